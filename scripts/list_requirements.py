"""List the rows of docs/required-behaviours.md that no test holds.

A test holds a row when it, its class or its module carries `pytest.mark.req("R-…")`. Several numbers may stand
in one mark. A number in a test that the document doesn't know is an error.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROW = re.compile(r"^- (R-[A-Z]+-\d+) (.*)$", re.MULTILINE)
MARK = re.compile(r"mark\.req\(([^)]*)\)")
NUMBER = re.compile(r"R-[A-Z]+-\d+")


def read_rows(text: str) -> dict[str, str]:
    """Return the promises by number."""
    return {match[1]: match[2] for match in ROW.finditer(text)}


def read_marks(folder: Path) -> dict[str, list[str]]:
    """Return the test files that hold each number."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        for mark in MARK.finditer(path.read_text(encoding="utf-8")):
            for number in NUMBER.findall(mark[1]):
                found.setdefault(number, []).append(path.relative_to(folder).as_posix())
    return found


def main() -> int:
    """Print the rows without a test; return 1 when a test names an unknown row."""
    rows = read_rows((ROOT / "docs" / "required-behaviours.md").read_text(encoding="utf-8"))
    marks = read_marks(ROOT / "tests")
    missing = [number for number in rows if number not in marks]
    for number in missing:
        print(f"{number:10} {rows[number]}")
    print(
        f"{len(rows) - len(missing)} of {len(rows)} required behaviours are held by a test, {len(missing)} are not yet"
    )
    unknown = sorted(set(marks) - set(rows))
    for number in unknown:
        print(f"unknown row {number} in {', '.join(marks[number])}", file=sys.stderr)
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
