"""Marks: numbered interactive elements, and the visible text between them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from harness.values.geometry import FrameBox, FramePoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A numbered interactive element of one frame.

    Attributes:
        id: Its number, unique within the frame, from 1.
        box: The visible part of the element, in frame pixels.
        click: A point inside its visible, hit-testable area.
        role: Its ARIA role or the nearest common name, for example `button` or `textbox`.
        name: Its accessible name, else its visible label; page text, so hostile.
        value: What a field or select holds now (never a password's), else None.
        states: Words such as `checked`, `selected`, `focused`, `expanded`, `readonly`, in a fixed order.
        frame_path: Indices of nested page frames from the main one, for example `0/2`; empty for the main frame.
    """

    id: int
    box: FrameBox
    click: FramePoint
    role: str
    name: str
    value: str | None = None
    states: tuple[str, ...] = ()
    frame_path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleText:
    """A run of visible text that belongs to no mark.

    Attributes:
        text: Page text with white space collapsed; hostile.
        after_mark: The id of the mark that precedes it in reading order, 0 before the first.
    """

    text: str
    after_mark: int


MAX_TITLE_CHARS = 200
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def quote_page_text(text: str) -> str:
    """Return page text as one quoted line: line breaks and control characters escaped, other scripts kept."""
    flat = _ENCODER.encode(text)
    if flat.isprintable():
        return flat
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in flat)


def quote_title(title: str) -> str:
    """Return a title of a page or window as one quoted line of bounded length; what is cut ends in `…`."""
    return quote_page_text(title if len(title) <= MAX_TITLE_CHARS else f"{title[: MAX_TITLE_CHARS - 1]}…")


def mark_line(mark: Mark) -> str:
    """Return the one line that stands for a mark in text, for example `[12] button "OK"`."""
    parts = [f"[{mark.id}] {mark.role} {quote_page_text(mark.name)}"]
    if mark.value is not None:
        parts.append(f"value {quote_page_text(mark.value)}")
    parts.extend(mark.states)
    return " ".join(parts)


def screen_lines(marks: Iterable[Mark], texts: Iterable[VisibleText]) -> tuple[str, ...]:
    """Return marks and visible text as lines in reading order; a text line is `[] text "…"`."""
    following: dict[int, list[str]] = {}
    for item in texts:
        following.setdefault(item.after_mark, []).append(f"[] text {quote_page_text(item.text)}")
    lines = following.get(0, [])
    for mark in marks:
        lines.append(mark_line(mark))
        lines.extend(following.get(mark.id, ()))
    return tuple(lines)
