"""What is listed, as a tree in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.values.desktop import DeviceBox
from observers.atspi.accessible import Node, Ref
from observers.atspi.reading_order import in_reading_order
from observers.atspi.stack import Boxes, hull


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something to list: a mark when it has a role, else text.

    Attributes:
        node: What it stands for; None for a window without a tree.
        parts: What of it shows, in device units, apart from each other; never empty.
        name: A mark's name, or the text.
        clicks: The parts of a mark in which no other mark stands.
        row: The table row that a text belongs to, or None; neighbours of one row become one line.
        in_popup: Whether it stands on a popup.
        at_start: Whether only its beginning answers to clicks.
    """

    node: Node | None
    parts: Boxes
    name: str
    clicks: Boxes = ()
    role: str = ""
    value: str | None = None
    states: tuple[str, ...] = ()
    row: Ref | None = None
    in_popup: bool = False
    at_start: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A part of a window; made by `grow`.

    Attributes:
        entry: What is listed for the part itself, before what is inside.
        inside: Its parts in reading order.
        after: Popups that it opened; they stand elsewhere.
        box: The box around everything listed, popups aside; None when nothing is.
    """

    entry: Entry | None = None
    inside: tuple[Branch, ...] = ()
    after: tuple[Branch, ...] = ()
    box: DeviceBox | None = None

    @property
    def is_open(self) -> bool:
        """Whether it shows anything, in itself or in popups that it opened."""
        return self.box is not None or bool(self.after)

    def marks(self) -> Iterator[Entry]:
        """Yield the marks that stand here, popups aside."""
        if self.entry is not None and self.entry.role:
            yield self.entry
        for branch in self.inside:
            yield from branch.marks()

    def entries(self) -> Iterator[Entry]:
        """Yield everything in reading order."""
        if self.entry is not None:
            yield self.entry
        for branch in (*self.inside, *self.after):
            yield from branch.entries()


def grow(entry: Entry | None, parts: Sequence[Branch], opened: Sequence[Branch] = ()) -> Branch:
    """Return a branch with its parts in reading order.

    Args:
        entry: What is listed for the whole.
        parts: What is inside, in any order; those without anything to list are left out.
        opened: Popups that the whole itself opened.
    """
    placed = [(part.box, part) for part in parts if part.box is not None]
    inside = tuple(in_reading_order(placed))
    boxes = [*(entry.parts if entry else ()), *(box for box, _ in placed)]
    after = [popup for part in parts if part.box is None for popup in part.after]
    return Branch(
        entry=entry,
        inside=inside,
        after=(*after, *(popup for popup in opened if popup.is_open)),
        box=hull(boxes) if boxes else None,
    )
