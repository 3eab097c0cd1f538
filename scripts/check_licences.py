"""The licence gate: fail when the environment holds a package that Transom must not install.

The core and the `web` and `evals` extras install nothing under the GPL or AGPL; tools of the development
environment are held to the same rule.
"""

from __future__ import annotations

import json
import subprocess
import sys

FORBIDDEN = ("GPL", "AGPL", "SSPL", "Business Source", "Commons Clause")
ALLOWED_ALTHOUGH = ("LGPL", "Lesser General Public")
# Packages that offer a choice of licences; the one we take stands beside the name.
CHOICES: dict[str, str] = {"text-unidecode": "Artistic License"}


def find_problems(rows: list[dict[str, str]]) -> list[str]:
    """Return one line for each package whose licence is forbidden or unknown."""
    problems = []
    for row in rows:
        name, licence = row["Name"], row["License"]
        if name in CHOICES or name == "transom":
            continue
        stripped = licence
        for allowed in ALLOWED_ALTHOUGH:
            stripped = stripped.replace(allowed, "")
        if licence.strip().upper() in {"", "UNKNOWN"}:
            problems.append(f"{name} {row['Version']}: no licence is stated; read it and decide")
        elif any(word in stripped for word in FORBIDDEN):
            problems.append(f"{name} {row['Version']}: {licence} is not allowed in the core, web or evals")
    return problems


def main() -> int:
    """Print what is wrong and return 1, or 0 when nothing is."""
    output = subprocess.run(
        [sys.executable, "-m", "piplicenses", "--format=json", "--from=mixed"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    rows = json.loads(output)
    problems = find_problems(rows)
    for line in problems:
        print(f"licences: {line}", file=sys.stderr)
    print(f"licences: {len(rows)} packages checked, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
