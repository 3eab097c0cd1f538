"""The README leads with what it is, a picture and the two commands; its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINES = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()


def line_of(text: str) -> int:
    """Return the number of the first line that holds `text`, from 1."""
    return next(number for number, line in enumerate(LINES, start=1) if text in line)


def test_it_is_short_and_leads_with_the_picture_and_the_two_commands() -> None:
    assert len(LINES) < 150
    assert line_of("![") <= 10
    assert max(line_of("make demo"), line_of("make test")) <= 20


def test_its_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", "\n".join(LINES))
    assert targets
    assert [target for target in targets if "://" not in target and not (ROOT / target).exists()] == []


def test_each_guide_and_decision_links_to_what_exists() -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"
