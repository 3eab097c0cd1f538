"""Shapes that know which pixels they may touch, so that a drawing's region can be stated and tested."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from PIL import ImageDraw

from harness.values.geometry import FrameBox, FramePoint
from observers.overlays.colours import ACTION, WHITE, Colour
from observers.overlays.fonts import font, ink_box, padding

CAPTION_PX = 13
HALO_PX = 1


class Shape(Protocol):
    """A part of a drawing."""

    @property
    def region(self) -> FrameBox:
        """The only pixels it may touch; may reach over the image's edge."""
        ...

    def draw(self, draw: ImageDraw.ImageDraw) -> None:
        """Draw it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """A circle, or a square, around a point; `radius_px` is to the outside of the line."""

    at: FramePoint
    radius_px: int
    line_px: int = 3
    is_square: bool = False

    @property
    def region(self) -> FrameBox:
        """The square around the ring, halo included."""
        return around(self.at, self.radius_px + HALO_PX)

    def draw(self, draw: ImageDraw.ImageDraw) -> None:
        """Draw a coloured line between two thin white ones."""
        outline = draw.rectangle if self.is_square else draw.ellipse
        outline(_corners(self.at, self.radius_px + HALO_PX), outline=WHITE, width=self.line_px + 2 * HALO_PX)
        outline(_corners(self.at, self.radius_px), outline=ACTION, width=self.line_px)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A small square centred on a point."""

    at: FramePoint
    radius_px: int = 1

    @property
    def region(self) -> FrameBox:
        """The square, halo included."""
        return around(self.at, self.radius_px + HALO_PX)

    def draw(self, draw: ImageDraw.ImageDraw) -> None:
        """Draw it on a white one."""
        draw.rectangle(_corners(self.at, self.radius_px + HALO_PX), fill=WHITE)
        draw.rectangle(_corners(self.at, self.radius_px), fill=ACTION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A straight line between two points, with an arrow head at the end where asked."""

    start: FramePoint
    end: FramePoint
    has_head: bool = False
    width_px: int = 3

    @property
    def region(self) -> FrameBox:
        """The box of both ends, widened by the head or the line."""
        reach = (_HEAD_PX if self.has_head else self.width_px) + HALO_PX + 1
        left, right = sorted((self.start.x_px, self.end.x_px))
        top, bottom = sorted((self.start.y_px, self.end.y_px))
        return FrameBox(
            x_px=left - reach,
            y_px=top - reach,
            width_px=right - left + 2 * reach + 1,
            height_px=bottom - top + 2 * reach + 1,
        )

    def draw(self, draw: ImageDraw.ImageDraw) -> None:
        """Draw it over a wider white one."""
        ends = ((self.start.x_px, self.start.y_px), (self.end.x_px, self.end.y_px))
        head = _head(self.start, self.end) if self.has_head else []
        draw.line(ends, fill=WHITE, width=self.width_px + 2 * HALO_PX)
        draw.line(ends, fill=ACTION, width=self.width_px)
        if head:
            draw.polygon(head, fill=ACTION, outline=WHITE)


_HEAD_PX = 18


def _head(start: FramePoint, end: FramePoint) -> list[tuple[float, float]]:
    """Return the triangle of an arrow head whose tip is `end`; empty for an arrow without length."""
    if start == end:
        return []
    angle = math.atan2(end.y_px - start.y_px, end.x_px - start.x_px)
    corners = [
        (end.x_px - _HEAD_PX * math.cos(angle + turn), end.y_px - _HEAD_PX * math.sin(angle + turn))
        for turn in (0.45, -0.45)
    ]
    return [(end.x_px, end.y_px), *corners]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caption:
    """White text on a filled box."""

    box: FrameBox
    text: str
    fill: Colour = ACTION

    @property
    def region(self) -> FrameBox:
        """The box."""
        return self.box

    def draw(self, draw: ImageDraw.ImageDraw) -> None:
        """Fill the box and write the text."""
        box = self.box
        draw.rectangle((box.x_px, box.y_px, box.right_px - 1, box.bottom_px - 1), fill=self.fill)
        left, top, _, _ = ink_box(self.text, CAPTION_PX)
        across, down = padding(CAPTION_PX)
        draw.text((box.x_px + across - left, box.y_px + down - top), self.text, fill=WHITE, font=font(CAPTION_PX))


def around(at: FramePoint, radius_px: int) -> FrameBox:
    """Return the square of odd side centred on a point."""
    side = 2 * radius_px + 1
    return FrameBox(x_px=at.x_px - radius_px, y_px=at.y_px - radius_px, width_px=side, height_px=side)


def hull(boxes: Sequence[FrameBox]) -> FrameBox:
    """Return the smallest box around at least one box."""
    left, top = min(box.x_px for box in boxes), min(box.y_px for box in boxes)
    right, bottom = max(box.right_px for box in boxes), max(box.bottom_px for box in boxes)
    return FrameBox(x_px=left, y_px=top, width_px=right - left, height_px=bottom - top)


def _corners(at: FramePoint, radius_px: int) -> tuple[int, int, int, int]:
    return (at.x_px - radius_px, at.y_px - radius_px, at.x_px + radius_px, at.y_px + radius_px)
