"""What a node of an accessibility tree is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from observers.atspi.vocabulary import State


class Ref(NamedTuple):
    """Where an accessible object lives: a connection on the bus and a path there."""

    bus: str
    path: str


class Extents(NamedTuple):
    """A box in a toolkit's own units; right and bottom edges are exclusive."""

    x: int
    y: int
    width: int
    height: int

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it can show: no size, or the place that toolkits give to what is not drawn."""
        return self.width < 1 or self.height < 1 or min(self.x, self.y) < -(1 << 30)


NOWHERE: Final = Extents(0, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An accessible object as it was read.

    Attributes:
        parent: Its parent, or None for an application.
        index: Its place among the parent's children, -1 when unknown.
        role: Role number of AT-SPI.
        states: State bits of AT-SPI.
        name: Its own name, as it came; hostile.
        description: Its description, often its tooltip; hostile.
        has_place: Whether it can be asked where it stands; GTK warns on its standard error when it can't and is.
        has_text: Whether it can be asked for its text.
        child_count: How many children it says it has, -1 when it would not say.
    """

    ref: Ref
    parent: Ref | None
    index: int
    role: int
    states: int
    name: str = ""
    description: str = ""
    has_place: bool = True
    has_text: bool = True
    child_count: int = -1

    def has(self, state: State) -> bool:
        """Return whether it is in a state."""
        return bool(self.states >> state & 1)
