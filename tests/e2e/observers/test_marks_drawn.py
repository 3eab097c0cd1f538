"""Marks drawn on rendered pages can be read: labels apart, inside the image, with contrast."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import Page

from harness.values.frame import Frame
from harness.values.geometry import FrameBox, Size
from observers.overlays import Overlays
from observers.overlays.colours import contrast
from observers.overlays.layout import outline_boxes
from observers.overlays.painter import layout_marks
from observers.web_marks import WebMarks

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

LEAST_CONTRAST = 4.5  # WCAG 2.2, success criterion 1.4.3


@pytest.mark.req("R-IMG-4")
@pytest.mark.parametrize("name", ["shop", "dense", "dark"])
async def test_labels_on_a_rendered_page_can_be_read(
    page: Page,
    serve: Callable[[dict[str, Any]], str],
    bodies: dict[str, Any],
    make_frame: Callable[..., Frame],
    name: str,
) -> None:
    await page.goto(f"{serve(bodies)}/{name}.html")
    clean = await page.screenshot()
    marking = await WebMarks().observe(page, make_frame(), text_chars=0, deadline_s=10)
    assert len(marking.marks) > 5
    canvas = Image.open(io.BytesIO(clean)).convert("RGB")
    size = Size(width_px=canvas.width, height_px=canvas.height)
    outlines = outline_boxes([mark.box for mark in marking.marks], size)
    labels, _ = layout_marks(canvas, marking.marks, outlines)
    whole = FrameBox(x_px=0, y_px=0, width_px=size.width_px, height_px=size.height_px)
    assert not [pair for pair in combinations(labels, 2) if pair[0].box.overlaps(pair[1].box)]
    assert all(_is_inside(label.box, whole) for label in labels)
    drawn = Image.open(io.BytesIO(Overlays().draw_marks(clean, marking.marks))).convert("RGB")
    weak = {label.index + 1: _contrast_in(drawn, label.box) for label in labels}
    assert not {mark: value for mark, value in weak.items() if value < LEAST_CONTRAST}


def _is_inside(box: FrameBox, outer: FrameBox) -> bool:
    return box.x_px >= 0 and box.y_px >= 0 and box.right_px <= outer.right_px and box.bottom_px <= outer.bottom_px


def _contrast_in(image: Image.Image, box: FrameBox) -> float:
    """Return the contrast between the fill of a label and the colour of its digits, as they were drawn."""
    cut = image.crop((box.x_px, box.y_px, box.right_px, box.bottom_px))
    fill = Counter(cut.get_flattened_data()).most_common(1)[0][0]
    return max(contrast(fill, colour) for colour in set(cut.get_flattened_data()))
