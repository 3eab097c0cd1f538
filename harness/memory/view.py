"""The one note view of a request: the agent's active notes inside a fence, within a budget of characters."""

from __future__ import annotations

from collections.abc import Sequence

from harness.values.fence import fence
from harness.values.note import Note
from harness.values.note_text import MIN_VIEW_CHARS, NO_NOTES, NOTES_HEADING, NOTES_SOURCE, note_entry, omission_line


def render_note_view(notes: Sequence[Note], *, limit_chars: int, token: str) -> str:
    """Return the view of the active notes.

    Notes are chosen newest first and shown oldest to newest. One that does not fit is left out, older ones that do
    fit still enter, and a line states how many are missing.

    Args:
        notes: Active notes of the round, oldest first.
        limit_chars: Length of the whole view in characters, fence and heading included; 0 switches it off.
        token: The session's fence token.

    Returns:
        At most `limit_chars` characters; empty when it is switched off.

    Raises:
        ValueError: `limit_chars` is neither 0 nor at least `MIN_VIEW_CHARS`.
    """
    if limit_chars == 0:
        return ""
    if limit_chars < MIN_VIEW_CHARS:
        raise ValueError(f"limit_chars must be 0 or at least {MIN_VIEW_CHARS}, got {limit_chars}")
    if not notes:
        return _frame(NO_NOTES, token)
    room = limit_chars - len(_frame("", token))
    entries = [note_entry(note, token=token) for note in notes]
    if sum(map(len, entries)) <= room:
        return _frame("".join(entries), token)
    room -= len(omission_line(omitted=len(entries), too_large=len(entries)))
    shown = _select_newest(entries, room)
    too_large = sum(1 for entry in entries if len(entry) > room)
    statement = omission_line(omitted=len(entries) - len(shown), too_large=too_large)
    return _frame("".join(shown) + statement, token)


def _frame(entries: str, token: str) -> str:
    return fence(f"{NOTES_HEADING}\n{entries}".removesuffix("\n"), source=NOTES_SOURCE, token=token)


def _select_newest(entries: Sequence[str], room: int) -> list[str]:
    shown: list[str] = []
    for entry in reversed(entries):
        if len(entry) <= room:
            shown.append(entry)
            room -= len(entry)
    return shown[::-1]
