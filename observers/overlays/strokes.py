"""Executed actions as shapes on the frame that the model saw when it decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import assert_never

from PIL import Image, ImageDraw

from harness.protocols import Stroke
from harness.values.action import (
    Click,
    Drag,
    FocusWindow,
    Hover,
    Launch,
    Move,
    PressKeys,
    Scroll,
    SelectOption,
    TypeText,
    WriteClipboard,
)
from harness.values.geometry import FrameBox, FramePoint, Size
from observers.overlays.fonts import label_size
from observers.overlays.layout import place_labels
from observers.overlays.shapes import CAPTION_PX, Caption, Dot, Line, Ring, Shape, hull

RING_PX = 13
_SCROLL_PX = 44
_CAPTION_CHARS = 30


def draw_strokes(canvas: Image.Image, strokes: Sequence[Stroke]) -> None:
    """Draw on `canvas` in place; touches no pixel outside `drawn_region`."""
    draw = ImageDraw.Draw(canvas)
    for shape in stroke_shapes(strokes, Size(width_px=canvas.width, height_px=canvas.height)):
        shape.draw(draw)


def drawn_region(strokes: Sequence[Stroke], size: Size) -> tuple[FrameBox, ...]:
    """Return the boxes, inside an image of `size`, outside of which a drawing of the strokes changes nothing."""
    return tuple(box for shape in stroke_shapes(strokes, size) if (box := _clipped(shape.region, size)) is not None)


def stroke_shapes(strokes: Sequence[Stroke], size: Size) -> list[Shape]:
    """Return the shapes of all strokes, captions last. An action without a place is named in a corner."""
    shapes: list[Shape] = []
    captioned: list[tuple[FrameBox, str]] = []
    for stroke in strokes:
        marker = list(_marker(stroke))
        text = _caption(stroke)
        shapes.extend(marker)
        if text is not None:
            home = hull([shape.region for shape in marker]) if marker else _corner(size)
            captioned.append((home, f"{stroke.number} {text}".strip()[:_CAPTION_CHARS]))
    sizes = [label_size(text, CAPTION_PX) for _, text in captioned]
    labels = place_labels([home for home, _ in captioned], size, sizes.__getitem__)
    shapes.extend(Caption(box=label.box, text=captioned[label.index][1]) for label in labels)
    return shapes


def _corner(size: Size) -> FrameBox:
    """Return where actions without a place are named: the bottom-left corner."""
    return FrameBox(x_px=0, y_px=size.height_px - 1, width_px=1, height_px=1)


def _marker(stroke: Stroke) -> Iterator[Shape]:
    match stroke.action:
        case Click(target=target, button=button, count=count):
            yield from _crosshair(target.point, is_square=button == "right")
            for extra in range(1, min(count, 3)):
                yield Ring(at=target.point, radius_px=RING_PX + 5 * extra, line_px=2, is_square=button == "right")
        case Move(target=target) | Hover(target=target):
            yield Ring(at=target.point, radius_px=6, line_px=2)
            yield Dot(at=target.point, radius_px=0)
        case SelectOption(target=target):
            yield from _crosshair(target.point)
        case TypeText(target=target) if target is not None:
            yield from _crosshair(target.point)
        case Drag(path=path):
            yield from _route([target.point for target in path])
        case Scroll(target=target, dx=dx, dy=dy):
            yield Dot(at=target.point, radius_px=3)
            yield Line(start=target.point, end=_scrolled(target.point, dx, dy), has_head=True)
        case _:
            return


def _crosshair(at: FramePoint, *, is_square: bool = False) -> Iterator[Shape]:
    """Yield a ring with a dot exactly on the point; the pixels between stay readable."""
    yield Ring(at=at, radius_px=RING_PX, is_square=is_square)
    yield Dot(at=at)


def _route(points: list[FramePoint]) -> Iterator[Shape]:
    if not points:
        return
    for at, (start, end) in enumerate(pairwise(points)):
        yield Line(start=start, end=end, has_head=at == len(points) - 2)
    yield Ring(at=points[0], radius_px=7)


def _scrolled(at: FramePoint, dx: int, dy: int) -> FramePoint:
    def shift(clicks: int) -> int:
        return (clicks > 0) * _SCROLL_PX - (clicks < 0) * _SCROLL_PX

    return FramePoint(x_px=at.x_px + shift(dx), y_px=at.y_px + shift(dy))


def _caption(stroke: Stroke) -> str | None:
    match stroke.action:
        case Click(button=button, count=count, keys=keys):
            times = {1: "", 2: "double", 3: "triple"}.get(count, f"{count}x")
            return " ".join(word for word in ("+".join(keys), "" if button == "left" else button, times) if word)
        case Drag(keys=keys):
            return " ".join(("+".join(keys), "drag")).strip()
        case Scroll():
            return "scroll"
        case Move() | Hover() as action:
            return action.kind
        case SelectOption():
            return "select"
        case TypeText():
            return "type"
        case PressKeys(keys=keys):
            return "press " + "+".join(keys)
        case Launch() | FocusWindow() | WriteClipboard() as action:
            return _desktop_caption(action)
        case _:
            return None


def _desktop_caption(action: Launch | FocusWindow | WriteClipboard) -> str:
    match action:
        case Launch(app=app):
            return f"launch {app}"
        case FocusWindow(window=window):
            return f"focus window {window}"
        case WriteClipboard():
            return "write clipboard"
        case _:
            assert_never(action)


def _clipped(box: FrameBox, size: Size) -> FrameBox | None:
    left, top = max(0, box.x_px), max(0, box.y_px)
    right, bottom = min(size.width_px, box.right_px), min(size.height_px, box.bottom_px)
    if right <= left or bottom <= top:
        return None
    return FrameBox(x_px=left, y_px=top, width_px=right - left, height_px=bottom - top)
