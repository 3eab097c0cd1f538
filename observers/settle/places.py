"""Places on a screen where something changes: what looks like a caret, what is minor, what is the same place. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from harness.values.desktop import DeviceBox

_CARET_WIDTH: Final = 4
_CARET_HEIGHT: Final = 64
_MINOR_AREA: Final = 400
_STRIP_WIDTH: Final = 16
_STRIP_RATIO: Final = 4


def area_of(box: DeviceBox) -> float:
    """Return how large a box is, in square units."""
    return box.width * box.height


def is_caret(box: DeviceBox) -> bool:
    """Return whether a box has the shape of a text caret: a thin line, upright, or lying where text is overwritten."""
    return min(box.width, box.height) <= _CARET_WIDTH and max(box.width, box.height) <= _CARET_HEIGHT


def is_minor(box: DeviceBox) -> bool:
    """Return whether a box is as small as a spinner or as narrow as a scrollbar."""
    short, long = sorted((box.width, box.height))
    return area_of(box) < _MINOR_AREA or (short <= _STRIP_WIDTH and long >= _STRIP_RATIO * short)


def is_same_place(one: DeviceBox, other: DeviceBox) -> bool:
    """Return whether two boxes have at least half of the larger one in common."""
    shared = one.intersection(other)
    return shared is not None and area_of(shared) * 2 >= max(area_of(one), area_of(other))


def share_of(whole: DeviceBox, part: DeviceBox) -> float:
    """Return how much of `whole` lies in `part`, from 0 to 1."""
    shared = whole.intersection(part)
    return 0.0 if shared is None else area_of(shared) / area_of(whole)


def union(boxes: Iterable[DeviceBox]) -> DeviceBox:
    """Return the smallest box around boxes; there must be one at least."""
    edges = [(box.x, box.y, box.x + box.width, box.y + box.height) for box in boxes]
    left, top = min(edge[0] for edge in edges), min(edge[1] for edge in edges)
    right, bottom = max(edge[2] for edge in edges), max(edge[3] for edge in edges)
    return DeviceBox(x=left, y=top, width=right - left, height=bottom - top)
