"""What covers what: windows and popups from front to back, and the part of a box that shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from harness.values.desktop import DesktopWindow, DeviceBox
from harness.values.geometry import DevicePoint

_HELD: Final = 0.8
_BORDER: Final = 8.0  # device units around the items of a menu
Boxes = tuple[DeviceBox, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """Something that stands in front of or behind others.

    Attributes:
        box: Its content.
        window: None for a popup.
        is_veil: Whether it is only a part of its window, which stands in front of the rest.
    """

    box: DeviceBox
    window: DesktopWindow | None = None
    is_veil: bool = False

    @property
    def cover(self) -> DeviceBox:
        """What it covers: its content and the frame around it."""
        if self.window is None or self.window.frame_box is None or self.is_veil:
            return self.box
        return self.window.frame_box


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """The surfaces of a desktop, front to back."""

    area: DeviceBox
    surfaces: tuple[Surface, ...]

    @classmethod
    def of(cls, area: DeviceBox, windows: Iterable[DesktopWindow], popups: Iterable[DeviceBox]) -> Stack:
        """Return the stack of what shows; minimized windows do not."""
        fronts = [Surface(box=box) for box in popups]
        backs = [Surface(box=window.box, window=window) for window in windows if not window.is_minimized]
        return cls(area=area, surfaces=(*fronts, *backs))

    def with_popup(self, box: DeviceBox) -> Stack:
        """Return a stack with one more popup, in front of everything."""
        return Stack(area=self.area, surfaces=(Surface(box=box), *self.surfaces))

    def with_veil(self, box: DeviceBox, window: DesktopWindow) -> Stack:
        """Return a stack in which a part of a window stands in front of the rest of it."""
        place = next((place for place, item in enumerate(self.surfaces) if item.window is window), None)
        if place is None:
            return self
        veil = Surface(box=box, window=window, is_veil=True)
        return Stack(area=self.area, surfaces=(*self.surfaces[:place], veil, *self.surfaces[place:]))

    def window(self, window_id: int) -> Surface | None:
        """Return the surface of a window, or None when it does not show."""
        own = (item for item in self.surfaces if item.window is not None and item.window.id == window_id)
        return next((item for item in own if not item.is_veil), None)

    def veil(self, box: DeviceBox, surface: Surface) -> Surface:
        """Return the part of a window that stands in front at `box`; the surface itself when there is none."""
        veils = (item for item in self.surfaces if item.is_veil and item.window is surface.window and item.box == box)
        return next(veils, surface)

    def popup_of(self, box: DeviceBox, *, must_fit: bool = False) -> Surface | None:
        """Return the popup in which things around which `box` is drawn stand, or None.

        Args:
            box: Around a menu's items; a long menu scrolls, so it may reach far beyond its popup.
            must_fit: Whether the popup has to be as large as the box, but for its border.
        """
        popups = [surface for surface in self.surfaces if surface.window is None]
        rated = [(_likeness(surface.box, box), surface) for surface in popups]
        best = max(rated, key=lambda item: item[0], default=None)
        if best is None or best[0] == 0 or (must_fit and not _fits(best[1].box, box)):
            return None
        return best[1]

    def visible(self, box: DeviceBox, surface: Surface) -> Boxes:
        """Return the parts of a box on a surface that show, apart from each other."""
        inside = box.intersection(surface.box)
        inside = inside and inside.intersection(self.area)
        return without((inside,), self._in_front(surface)) if inside else ()

    def at(self, point: DevicePoint) -> Surface | None:
        """Return what is in front at a point."""
        return next((surface for surface in self.surfaces if surface.cover.contains(point)), None)

    def _in_front(self, surface: Surface) -> list[DeviceBox]:
        return [item.cover for item in self.surfaces[: self.surfaces.index(surface)]]


def without(parts: Sequence[DeviceBox], covers: Iterable[DeviceBox]) -> Boxes:
    """Return what is left of `parts` under `covers`, as boxes apart from each other."""
    left = tuple(parts)
    for cover in covers:
        left = tuple(piece for part in left for piece in _cut(part, cover))
    return left


def hull(boxes: Sequence[DeviceBox]) -> DeviceBox:
    """Return the smallest box around some boxes; there has to be one."""
    if len(boxes) == 1:
        return boxes[0]
    left, top = min([box.x for box in boxes]), min([box.y for box in boxes])
    right = max([box.x + box.width for box in boxes])
    bottom = max([box.y + box.height for box in boxes])
    return DeviceBox(x=left, y=top, width=right - left, height=bottom - top)


def _cut(part: DeviceBox, cover: DeviceBox) -> Iterable[DeviceBox]:
    """Return the parts above, below, left and right of a cover."""
    hole = part.intersection(cover)
    if hole is None:
        return (part,)
    right, bottom = part.x + part.width, part.y + part.height
    hole_right, hole_bottom = hole.x + hole.width, hole.y + hole.height
    sides = (
        (part.x, part.y, part.width, hole.y - part.y),
        (part.x, hole_bottom, part.width, bottom - hole_bottom),
        (part.x, hole.y, hole.x - part.x, hole.height),
        (hole_right, hole.y, right - hole_right, hole.height),
    )
    return [DeviceBox(x=x, y=y, width=w, height=h) for x, y, w, h in sides if w > 0 and h > 0]


def _likeness(popup: DeviceBox, box: DeviceBox) -> float:
    """Return how much two boxes have in common, 1 for all; 0 when neither holds most of the other."""
    shared = popup.intersection(box)
    if shared is None or _size(shared) < _HELD * min(_size(popup), _size(box)):
        return 0.0
    return _size(shared) / (_size(popup) + _size(box) - _size(shared))


def _fits(popup: DeviceBox, box: DeviceBox) -> bool:
    edges = (box.x - popup.x, box.y - popup.y)
    ends = (popup.x + popup.width - box.x - box.width, popup.y + popup.height - box.y - box.height)
    return all(abs(border) <= _BORDER for border in (*edges, *ends))


def _size(box: DeviceBox) -> float:
    return box.width * box.height
