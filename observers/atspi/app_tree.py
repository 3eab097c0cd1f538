"""An application's tree, and how much of it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from observers.atspi.accessible import Extents, Node, Ref


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How much of an application is read.

    Attributes:
        nodes: At most so many.
        rows: Of them at most so many of one long list.
        is_whole: Whether what is hidden is read, too.
    """

    nodes: int = 3000
    rows: int = 600
    is_whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AppTree:
    """An application's tree as it was read.

    Attributes:
        root: The application itself.
        nodes: What shows, or everything when it was read whole; every object but the root has its parent's ref.
        boxes: Where nodes stand on the screen, in the toolkit's units, for those that can have a place.
        is_complete: Whether nothing that shows was left out.
    """

    root: Ref
    nodes: Mapping[Ref, Node]
    boxes: Mapping[Ref, Extents]
    is_complete: bool = True
