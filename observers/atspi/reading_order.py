"""Puts boxes into the order in which a person reads them: line by line, each from left to right.

Toolkits list children in the order in which a program made them, which may be from right to left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from harness.values.desktop import DeviceBox

T = TypeVar("T")
_SHARED: Final = 0.5  # of the lower of two boxes, for both to stand in one line


def in_reading_order(items: Sequence[tuple[DeviceBox, T]]) -> list[T]:
    """Return the items line by line; one that spans several lines stands in the first of them."""
    ordered: list[T] = []
    rest = sorted(items, key=lambda item: (_bottom(item[0]), item[0].x))
    while rest:
        first = rest[0][0]
        line = [item for item in rest if _is_in_line(item[0], first)]
        rest = [item for item in rest if not _is_in_line(item[0], first)]
        ordered += [item for _, item in sorted(line, key=lambda placed: (placed[0].x, placed[0].y))]
    return ordered


def _is_in_line(box: DeviceBox, first: DeviceBox) -> bool:
    if box is first:
        return True
    shared = min(_bottom(box), _bottom(first)) - max(box.y, first.y)
    return shared > 0 and shared >= _SHARED * min(box.height, first.height)


def _bottom(box: DeviceBox) -> float:
    return box.y + box.height
