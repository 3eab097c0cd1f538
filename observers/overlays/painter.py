"""The overlay painter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from PIL import Image, ImageDraw, ImageFilter

from harness.protocols import OBSERVER_PROTOCOL, Stroke
from harness.values.geometry import FrameBox, Size
from harness.values.mark import Mark
from observers.overlays.colours import WHITE, mark_colour
from observers.overlays.fonts import font, ink_box, label_size, padding
from observers.overlays.images import decode, encode_png
from observers.overlays.layout import Ink, Label, outline_boxes, place_labels
from observers.overlays.strokes import draw_strokes

_THIN_FONT_PX = 11
_FONT_SIZES_PX = (14, 11, 9)
_CROWD = 150  # so many marks start with the second size
_INK_CELL_PX = 2
_MOST_INK = 60


class Overlays:
    """Draws marks and actions on copies of a frame: bytes in, PNG out, in the frame's own mode.

    Where labels can't all be placed they get smaller; one that finds no place even then is left out and its box stays.
    """

    PROTOCOL: ClassVar[int] = OBSERVER_PROTOCOL

    def draw_marks(self, image: bytes, marks: Sequence[Mark]) -> bytes:
        """Return the image with numbered boxes.

        Raises:
            ObservationError: the image is damaged, too large or of another kind.
        """
        canvas = decode(image)
        outlines = outline_boxes([mark.box for mark in marks], Size(width_px=canvas.width, height_px=canvas.height))
        labels, size_px = layout_marks(canvas, marks, outlines)
        draw = ImageDraw.Draw(canvas)
        for mark, box in zip(marks, outlines, strict=True):
            _draw_outline(draw, mark.id, box)
        for label in labels:
            if label.is_detached:
                _draw_leader(draw, label, marks[label.index])
        for label in labels:
            _draw_label(draw, label, marks[label.index], size_px)
        return encode_png(canvas)

    def draw_actions(self, image: bytes, strokes: Sequence[Stroke]) -> bytes:
        """Return the image with the step's actions; every other pixel is the frame's.

        Raises:
            ObservationError: the image is damaged, too large or of another kind.
        """
        canvas = decode(image)
        draw_strokes(canvas, strokes)
        return encode_png(canvas)


def layout_marks(
    canvas: Image.Image, marks: Sequence[Mark], boxes: Sequence[FrameBox]
) -> tuple[tuple[Label, ...], int]:
    """Return the labels of marks, outlined by `boxes`, and the font size in which most of them fit."""
    image = Size(width_px=canvas.width, height_px=canvas.height)
    ink = ink_of(canvas)
    best: tuple[tuple[Label, ...], int] = ((), _FONT_SIZES_PX[0])
    for size_px in _FONT_SIZES_PX[1 if len(marks) > _CROWD else 0 :]:
        sizes = [label_size(str(mark.id), size_px) for mark in marks]
        labels = place_labels(boxes, image, sizes.__getitem__, ink)
        if len(labels) == len(marks):
            return labels, size_px
        if len(labels) > len(best[0]):
            best = (labels, size_px)
    return best


def ink_of(canvas: Image.Image) -> Ink:
    """Return where there are edges, which is where text is."""
    edges = canvas.convert("L").filter(ImageFilter.FIND_EDGES)
    if edges.width > 2 and edges.height > 2:
        # The filter leaves the outermost pixels as they are.
        ImageDraw.Draw(edges).rectangle((0, 0, edges.width - 1, edges.height - 1), outline=0)
    # A border is sharper than text but matters less, so sharpness beyond that of text does not count.
    cells = edges.reduce(_INK_CELL_PX).point([min(value, _MOST_INK) for value in range(256)])
    return Ink(cells=cells.tobytes(), columns=cells.width, cell_px=_INK_CELL_PX)


def _draw_outline(draw: ImageDraw.ImageDraw, mark_id: int, box: FrameBox) -> None:
    width = 1 if min(box.width_px, box.height_px) < 12 else 2
    corners = (box.x_px, box.y_px, box.right_px - 1, box.bottom_px - 1)
    draw.rectangle(corners, outline=mark_colour(mark_id), width=width)


def _draw_leader(draw: ImageDraw.ImageDraw, label: Label, mark: Mark) -> None:
    draw.line((_middle(label.box), _middle(mark.box)), fill=mark_colour(mark.id), width=1)


def _middle(box: FrameBox) -> tuple[int, int]:
    return box.x_px + box.width_px // 2, box.y_px + box.height_px // 2


def _draw_label(draw: ImageDraw.ImageDraw, label: Label, mark: Mark, size_px: int) -> None:
    text = str(mark.id)
    box = label.box
    draw.rectangle((box.x_px, box.y_px, box.right_px - 1, box.bottom_px - 1), fill=mark_colour(mark.id))
    left, top, _, _ = ink_box(text, size_px)
    across, down = padding(size_px)
    at = (box.x_px + across - left, box.y_px + down - top)
    # Thin strokes of small digits blend with the fill; drawn again they reach the contrast that the colours have.
    for _ in range(2 if size_px <= _THIN_FONT_PX else 1):
        draw.text(at, text, fill=WHITE, font=font(size_px))
