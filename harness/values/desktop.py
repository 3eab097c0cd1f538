"""What a desktop consists of: monitors and windows, in the device's own units."""

from __future__ import annotations

from dataclasses import dataclass

from harness.values.geometry import DevicePoint
from harness.values.mark import quote_title


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceBox:
    """An axis-aligned box in device units; x and y may be negative. Right and bottom edges are exclusive."""

    x: float
    y: float
    width: float
    height: float

    def contains(self, point: DevicePoint) -> bool:
        """Return whether `point` lies inside."""
        return self.x <= point.x < self.x + self.width and self.y <= point.y < self.y + self.height

    def intersection(self, other: DeviceBox) -> DeviceBox | None:
        """Return what both boxes cover, or None."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right = min(self.x + self.width, other.x + other.width)
        bottom = min(self.y + self.height, other.y + other.height)
        if right <= left or bottom <= top:
            return None
        return DeviceBox(x=left, y=top, width=right - left, height=bottom - top)


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """One monitor, or the whole desktop.

    Attributes:
        number: 0 is the whole desktop, 1 the first monitor.
        box: Where it stands in device units; monitors left of or above the first have negative origins.
    """

    number: int
    box: DeviceBox


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopWindow:
    """An open window.

    Attributes:
        id: A small number that stays with the window while the device is open.
        title: Its title; the application's text, so hostile.
        app: Name of its application, for example `mousepad`; hostile like the title.
        box: Where its content stands, in device units, without the frame that the window manager draws.
        is_active: Whether it has the keyboard.
        is_minimized: Whether it is hidden.
        process_id: The process that owns it, or None.
        kind: `dialog` for a dialog or another window that belongs to one, else `window`.
        frame_box: Where it stands with that frame, or None when the window system does not tell.
    """

    id: int
    title: str
    app: str
    box: DeviceBox
    is_active: bool = False
    is_minimized: bool = False
    process_id: int | None = None
    kind: str = "window"
    frame_box: DeviceBox | None = None


def window_line(window: DesktopWindow) -> str:
    """Return the one line that stands for a window in text, for example `window 3 (active): "letter.txt"`."""
    state = " (active)" if window.is_active else " (minimized)" if window.is_minimized else ""
    return f"{window.kind} {window.id}{state}: {quote_title(window.title or window.app)}"
