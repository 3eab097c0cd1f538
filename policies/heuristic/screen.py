"""The current screen with the text beside each mark, without the page's own copy of the task."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from harness.protocols import SeenMark, View
from policies.heuristic.words import CHECK_ROLES, FIELD_ROLES
from policies.mark_text import list_options


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A mark with the visible text right before and right after it; empty where another mark is the neighbour."""

    mark: SeenMark
    before: str = ""
    after: str = ""

    @property
    def label(self) -> str:
        """Its name, else the text beside it: after a box that is ticked, before anything else."""
        if self.mark.name.strip():
            return self.mark.name
        near = (self.after, self.before) if self.mark.role in CHECK_ROLES else (self.before, self.after)
        return next((text for text in near if text), "")

    @property
    def is_enabled(self) -> bool:
        """Whether it can be used."""
        return "disabled" not in self.mark.states

    @property
    def is_field(self) -> bool:
        """Whether text can be typed into it."""
        is_text = self.mark.role in FIELD_ROLES or (self.mark.role == "combobox" and not list_options(self.mark))
        return is_text and "readonly" not in self.mark.states

    @property
    def is_chosen(self) -> bool:
        """Whether it is ticked or selected."""
        return bool({"checked", "selected", "pressed"} & set(self.mark.states))


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """What the policy looks at.

    Attributes:
        items: The marks in reading order.
        lines: Marks and visible text in reading order.
        fingerprint: Equal for equal marks and texts, whatever has the focus.
        can_scroll_at: A point in the middle of the frame.
    """

    items: tuple[Item, ...]
    lines: tuple[SeenMark | str, ...]
    fingerprint: str
    can_scroll_at: tuple[int, int]

    @property
    def fields(self) -> tuple[Item, ...]:
        """The enabled text fields."""
        return tuple(item for item in self.items if item.is_field and item.is_enabled)


def read_screen(view: View, task: str) -> Screen:
    """Return the screen of a view; visible text that only repeats the task is left out."""
    lines = _without_task(view.lines, task)
    items = tuple(
        Item(mark=line, before=_text_at(lines, index - 1), after=_text_at(lines, index + 1))
        for index, line in enumerate(lines)
        if isinstance(line, SeenMark)
    )
    middle = (view.width_px // 2, view.height_px // 2)
    return Screen(items=items, lines=lines, fingerprint=_fingerprint(lines), can_scroll_at=middle)


def _text_at(lines: Sequence[SeenMark | str], index: int) -> str:
    if not 0 <= index < len(lines):
        return ""
    line = lines[index]
    return line.strip() if isinstance(line, str) else ""


def _without_task(lines: tuple[SeenMark | str, ...], task: str) -> tuple[SeenMark | str, ...]:
    """Drop the run of text lines that together spell the task out."""
    wanted = "".join(task.split())
    for start in range(len(lines)):
        rest = wanted
        for end in range(start, len(lines)):
            piece = lines[end]
            text = "".join(piece.split()) if isinstance(piece, str) else ""
            if not text or not rest.startswith(text):
                break
            rest = rest[len(text) :]
            if not rest:
                return lines[:start] + lines[end + 1 :]
    return lines


def _fingerprint(lines: Sequence[SeenMark | str]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        if isinstance(line, str):
            digest.update(f"text {line}\n".encode("utf-8", "replace"))
        else:
            states = [state for state in line.states if state != "focused"]
            digest.update(f"{line.role} {line.name!r} {line.value!r} {states}\n".encode("utf-8", "replace"))
    return digest.hexdigest()[:12]
