"""Where a toolkit's coordinates lie on the desktop.

Toolkits count in units of their own (half as many on a screen of scale 2) and some from the corner of their window.
So every window's tree is tied to the place that the window system knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from harness.values.desktop import DesktopWindow, DeviceBox
from observers.atspi import kinds
from observers.atspi.accessible import Extents, Node, Ref

Unlikeness = tuple[bool, float, float]
_SAME_SIZE: Final = 0.15  # of the width or height; window frames count into some toolkits' sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class TopLevel:
    """A window as its application describes it.

    Attributes:
        box: Its place in the toolkit's screen units, with GTK the frame around it included.
        corner: The corner of its content, in the same units.
    """

    node: Node
    box: Extents
    corner: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """`device = toolkit * scale + shift`.

    Attributes:
        window: The window of the desktop; None for a popup, which no window manager knows.
    """

    scale: float
    shift_x: float
    shift_y: float
    window: DesktopWindow | None = None

    def to_device(self, box: Extents) -> DeviceBox:
        """Return a box of the toolkit in device units."""
        return DeviceBox(
            x=box.x * self.scale + self.shift_x,
            y=box.y * self.scale + self.shift_y,
            width=box.width * self.scale,
            height=box.height * self.scale,
        )

    def for_popups(self) -> Placement:
        """Return the placement of popups: a shift that only rounds the window's own place does not hold for them."""
        is_rounding = abs(self.shift_x) <= self.scale and abs(self.shift_y) <= self.scale
        shift_x, shift_y = (0.0, 0.0) if is_rounding else (self.shift_x, self.shift_y)
        return Placement(scale=self.scale, shift_x=shift_x, shift_y=shift_y)


def place(top: TopLevel, window: DesktopWindow, *, is_gtk: bool) -> Placement:
    """Return the placement of a window's tree."""
    scale = _scale(top.box, window.box, is_gtk=is_gtk)
    x, y = top.corner
    return Placement(scale=scale, shift_x=window.box.x - x * scale, shift_y=window.box.y - y * scale, window=window)


def match_windows(
    tops: Sequence[TopLevel], windows: Sequence[DesktopWindow], *, process_id: int | None, is_gtk: bool
) -> Mapping[Ref, DesktopWindow]:
    """Return which window each top level is, by process, title and size; those that are no window are left out.

    Args:
        tops: The top levels of one application.
        windows: All windows, front to back.
        process_id: The application's process, or None when it is not known.
        is_gtk: Whether the application draws with GTK.
    """
    pairs = sorted(
        (
            (_unlikeness(top, window, is_gtk=is_gtk), place, number)
            for number, top in enumerate(tops)
            for place, window in enumerate(windows)
        ),
    )
    matched: dict[Ref, DesktopWindow] = {}
    taken: set[int] = set()
    for unlikeness, place, number in pairs:
        node = tops[number].node
        if place in taken or node.ref in matched or not _may_be(node, windows[place], unlikeness, process_id):
            continue
        matched[node.ref] = windows[place]
        taken.add(place)
    return matched


def _may_be(node: Node, window: DesktopWindow, unlikeness: Unlikeness, process_id: int | None) -> bool:
    """Return whether a top level may be a window at all; the same process is proof enough, but not for popups."""
    is_known = process_id is not None and window.process_id is not None
    if is_known and process_id != window.process_id:
        return False
    title_differs, size_differs, _ = unlikeness
    is_alike = not title_differs or size_differs == 0
    return is_alike if node.role in kinds.POPUPS or not is_known else True


def _unlikeness(top: TopLevel, window: DesktopWindow, *, is_gtk: bool) -> Unlikeness:
    """Return how much a top level differs from a window: title, size, place."""
    scale = _scale(top.box, window.box, is_gtk=is_gtk)
    box, place = top.box, window.box
    size = max(
        abs(box.width * scale - place.width) / max(place.width, 1),
        abs(box.height * scale - place.height) / max(place.height, 1),
    )
    x, y = top.corner
    return (
        " ".join(top.node.name.split()) != " ".join(window.title.split()),
        size if size > _SAME_SIZE else 0.0,
        abs(x * scale - place.x) + abs(y * scale - place.y),
    )


def _scale(box: Extents, place: DeviceBox, *, is_gtk: bool) -> float:
    """Return device units per toolkit unit."""
    if box.is_empty:
        return 1.0
    ratio = place.width / box.width
    if is_gtk:
        return float(max(1, round(ratio)))
    by_height = place.height / box.height
    return 1.0 if abs(ratio - 1) < 0.02 and abs(by_height - 1) < 0.02 else ratio
