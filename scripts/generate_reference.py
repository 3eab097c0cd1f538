"""Write the generated reference pages, or with --check say which are out of date."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from harness.cli.reference import cli_reference
from harness.config.reference import config_json_schema, config_reference

ROOT: Final = Path(__file__).resolve().parents[1]
PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "docs/reference/cli.md": cli_reference,
    "docs/reference/config.md": config_reference,
    "docs/reference/agents.schema.json": lambda: config_json_schema() + "\n",
}


def stale_pages(root: Path = ROOT) -> tuple[str, ...]:
    """Return the pages whose text differs from what the code says."""
    return tuple(
        name
        for name, page in PAGES.items()
        if not (root / name).is_file() or (root / name).read_text("utf-8") != page()
    )


def main(arguments: list[str]) -> int:
    """Write all pages; with `--check` write nothing and return 1 when one is stale."""
    stale = stale_pages()
    if "--check" in arguments:
        print(
            f"out of date: {', '.join(stale)}; run scripts/generate_reference.py"
            if stale
            else "reference is up to date"
        )
        return 1 if stale else 0
    for name in stale:
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGES[name](), "utf-8")
        print(f"wrote {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
