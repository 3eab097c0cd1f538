"""How solutions find things in a view."""

from __future__ import annotations

import re
from collections.abc import Iterable

from harness.protocols.policies import SeenMark, View


def find_mark(view: View, *, role: str, name: str | None = None) -> SeenMark:
    """Return the first mark with that role, and name where one is given.

    Raises:
        LookupError: there is none; the text lists what there is.
    """
    for mark in view.marks:
        if mark.role == role and (name is None or mark.name.strip().lower() == name.lower()):
            return mark
    seen = ", ".join(f"{mark.role} {mark.name!r}" for mark in view.marks)
    raise LookupError(f"no {role} {name!r} among: {seen}")


def text_of(lines: Iterable[SeenMark | str]) -> str:
    """Return names and texts in reading order, one a line."""
    return "\n".join(line if isinstance(line, str) else line.name for line in lines)


def quoted(task: str) -> list[str]:
    """Return what stands in double quotes, in order."""
    return re.findall(r'"([^"]*)"', task)
