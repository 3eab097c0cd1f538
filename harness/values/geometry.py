"""Points, boxes and the one transform of a frame. Each coordinate space is a type of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """A width and a height in pixels of the space that the owner names."""

    width_px: int
    height_px: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FramePoint:
    """A point in pixels of a frame as it was sent: origin top-left, y grows downward."""

    x_px: int
    y_px: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameBox:
    """An axis-aligned box in pixels of a frame; right and bottom edges are exclusive."""

    x_px: int
    y_px: int
    width_px: int
    height_px: int

    @property
    def right_px(self) -> int:
        """The first column right of the box."""
        return self.x_px + self.width_px

    @property
    def bottom_px(self) -> int:
        """The first row below the box."""
        return self.y_px + self.height_px

    def contains(self, point: FramePoint) -> bool:
        """Return whether `point` lies inside."""
        return self.x_px <= point.x_px < self.right_px and self.y_px <= point.y_px < self.bottom_px

    def overlaps(self, other: FrameBox) -> bool:
        """Return whether the two boxes share at least one pixel."""
        return (
            self.x_px < other.right_px
            and other.x_px < self.right_px
            and self.y_px < other.bottom_px
            and other.y_px < self.bottom_px
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePoint:
    """A point in the device's own input units: CSS pixels of the viewport, or physical screen pixels.

    Screen coordinates may be negative: a monitor can stand left of or above the primary one.
    """

    x: float
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Transform:
    """Maps frame pixels to device units: `device = (frame + 0.5) / scale + origin`, pixel centres.

    Attributes:
        scale_x: Frame pixels per device unit, horizontally.
        scale_y: Frame pixels per device unit, vertically.
        origin_x: Device x of the frame's left edge.
        origin_y: Device y of the frame's top edge.
    """

    scale_x: float = 1.0
    scale_y: float = 1.0
    origin_x: float = 0.0
    origin_y: float = 0.0

    def to_device(self, point: FramePoint) -> DevicePoint:
        """Return the device point at the centre of a frame pixel."""
        return DevicePoint(
            x=(point.x_px + 0.5) / self.scale_x + self.origin_x,
            y=(point.y_px + 0.5) / self.scale_y + self.origin_y,
        )

    def to_frame(self, point: DevicePoint) -> FramePoint:
        """Return the frame pixel that covers a device point."""
        return FramePoint(
            x_px=math.floor((point.x - self.origin_x) * self.scale_x + 1e-6),
            y_px=math.floor((point.y - self.origin_y) * self.scale_y + 1e-6),
        )
