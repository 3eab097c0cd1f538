"""Numbers what was found and brings it into frame pixels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from harness.values.desktop import DesktopWindow, DeviceBox
from harness.values.frame import Frame
from harness.values.geometry import DevicePoint, FrameBox, FramePoint, Transform
from harness.values.mark import Mark, VisibleText
from observers.atspi.accessible import Node, Ref
from observers.atspi.applications import Application
from observers.atspi.branch import Entry
from observers.atspi.placement import Placement
from observers.atspi.stack import Boxes, hull

_START: Final = 12.0  # device units from the left edge, for what answers at its beginning only
_SOLID: Final = 0.9  # of the box around its parts, for an element to count as one piece
_CELL: Final = " | "  # between the texts of a row


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """An element as it was, with what is needed to look at it again.

    Attributes:
        top: The window or popup of its application in which it is.
        placement: How that was placed.
        in_popup: Whether it stood on a popup.
    """

    node: Node
    top: Node
    application: Application
    placement: Placement
    in_popup: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a mark came from: an element, or a whole window."""

    element: Element | None = None
    window: DesktopWindow | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What one window or popup shows.

    Attributes:
        entries: In reading order.
        spoken: Labels that became a mark's name, and that mark.
        source: Returns where an entry comes from.
    """

    entries: Sequence[Entry]
    source: Callable[[Entry], Source]
    spoken: Mapping[Ref, Ref] = field(default_factory=dict)


class Listing:
    """The marks and texts of a frame, numbered from 1 in the order in which they are added.

    Attributes:
        marks: The marks so far.
        sources: Where each of them came from.
        texts: The texts so far.
    """

    def __init__(self, frame: Frame, *, text_chars: int) -> None:
        self._frame = frame
        self._left_chars = text_chars
        self._row: Ref | None = None
        self.marks: list[Mark] = []
        self.sources: list[Source] = []
        self.texts: list[VisibleText] = []

    def add(self, shown: Shown) -> int:
        """List what a window shows and return how many marks that gave."""
        before = len(self.marks)
        listed = {entry.node.ref for entry in shown.entries if entry.role and entry.node}
        for entry in shown.entries:
            if entry.role:
                self._add_mark(entry, shown.source(entry))
            elif entry.node is None or shown.spoken.get(entry.node.ref) not in listed:
                self._add_text(entry)
        return len(self.marks) - before

    def _add_mark(self, entry: Entry, source: Source) -> None:
        region = aimed_region(entry)
        box = frame_box(region, self._frame)
        click = click_point(region, entry, self._frame)
        if box is None or click is None or not box.contains(click):
            return
        self._row = None
        self.sources.append(source)
        self.marks.append(
            Mark(
                id=len(self.marks) + 1,
                box=box,
                click=click,
                role=entry.role,
                name=entry.name,
                value=entry.value,
                states=entry.states,
            )
        )

    def _add_text(self, entry: Entry) -> None:
        if self._left_chars <= 0 or frame_box(entry.parts, self._frame) is None:
            return
        last = self.texts[-1] if self.texts and self.texts[-1].after_mark == len(self.marks) else None
        if last is not None and last.text == entry.name:
            return
        is_same_row = last is not None and entry.row is not None and entry.row == self._row
        said = (_CELL if is_same_row else "") + entry.name
        said = said[: self._left_chars]
        self._left_chars -= len(said)
        self._row = entry.row
        if is_same_row and last is not None:
            self.texts[-1] = VisibleText(text=last.text + said, after_mark=last.after_mark)
        else:
            self.texts.append(VisibleText(text=said, after_mark=len(self.marks)))


def frame_box(parts: Boxes, frame: Frame) -> FrameBox | None:
    """Return the box around parts in whole pixels of the frame, or None when nothing of them is on it."""
    around = hull(parts)
    left, top = _scaled(around.x, around.y, frame.transform)
    right, bottom = _scaled(around.x + around.width, around.y + around.height, frame.transform)
    x, y = max(0, math.floor(left + 0.01)), max(0, math.floor(top + 0.01))
    right_px, bottom_px = min(frame.width_px, math.ceil(right - 0.01)), min(frame.height_px, math.ceil(bottom - 0.01))
    if right_px <= x or bottom_px <= y:
        return None
    return FrameBox(x_px=x, y_px=y, width_px=right_px - x, height_px=bottom_px - y)


def aimed_region(entry: Entry) -> Boxes:
    """Return the parts of a mark that its box is drawn around: all, or the largest when much lies between them."""
    around = hull(entry.parts)
    if sum(map(_size, entry.parts)) >= _SOLID * _size(around):
        return entry.parts
    return (max(entry.clicks, key=_size),)


def click_point(region: Boxes, entry: Entry, frame: Frame) -> FramePoint | None:
    """Return the pixel to click, or None when no pixel's centre is on the element: its middle, if that shows."""
    clicks = [part for click in entry.clicks for box in region if (part := click.intersection(box))]
    largest = sorted(clicks, key=_size, reverse=True)
    for point in [_aim(part, at_start=entry.at_start) for part in (hull(region), *largest)]:
        pixel = frame.transform.to_frame(point)
        if frame.contains(pixel) and _is_on(frame.transform.to_device(pixel), clicks):
            return pixel
    return None


def _size(box: DeviceBox) -> float:
    return box.width * box.height


def _aim(part: DeviceBox, *, at_start: bool) -> DevicePoint:
    middle = part.width / 2
    return DevicePoint(x=part.x + (min(middle, _START) if at_start else middle), y=part.y + part.height / 2)


def _is_on(point: DevicePoint, parts: Sequence[DeviceBox]) -> bool:
    return any(part.contains(point) for part in parts)


def _scaled(x: float, y: float, transform: Transform) -> tuple[float, float]:
    return (x - transform.origin_x) * transform.scale_x, (y - transform.origin_y) * transform.scale_y
