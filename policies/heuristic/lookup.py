"""Values that stand beside a name: on the screen, or in the notes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from harness.protocols import SeenMark
from policies.heuristic.words import plain


def value_on_screen(name: str, lines: Sequence[SeenMark | str]) -> str | None:
    """Return the value that the screen shows for `name`, or None.

    Read are `name: value` and `name | value` within a line, a line that is the name followed by a line with the value,
    and a mark of that name that holds a value.
    """
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else None
        found = _in_mark(name, line) if isinstance(line, SeenMark) else _in_text(name, line, following)
        if found:
            return found
    return None


def _in_mark(name: str, mark: SeenMark) -> str | None:
    if plain(mark.name) == plain(name):
        return mark.value or None
    return _after_name(name, mark.name)


def _in_text(name: str, text: str, following: SeenMark | str | None) -> str | None:
    if plain(text) != plain(name):
        return _after_name(name, text)
    if isinstance(following, str):
        return following.strip()
    return None if following is None else following.value or following.name or None


def _after_name(name: str, text: str) -> str | None:
    found = re.search(rf"(?<!\w){re.escape(name)}\s*(?::|\||=|–|—|\bis\b)\s*(?P<value>\S[^|]*)", text, re.IGNORECASE)
    return None if found is None else found["value"].strip()


def note_line(name: str, value: str) -> str:
    """Return the note that keeps a value."""
    return f"{name}: {value}"


def value_in_notes(name: str, notes: Sequence[str]) -> str | None:
    """Return the value that the newest note for `name` keeps, or None."""
    for note in reversed(notes):
        key, colon, value = note.partition(": ")
        if colon and key.casefold() == name.casefold():
            return value
    return None
