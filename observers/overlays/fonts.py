"""The font of labels: the one that Pillow bundles, so pixels do not depend on the machine."""

from __future__ import annotations

from functools import lru_cache

from PIL import ImageFont

from harness.values.geometry import Size

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@lru_cache(maxsize=16)
def font(size_px: int) -> Font:
    """Return the bundled font."""
    return ImageFont.load_default(size=size_px)


@lru_cache(maxsize=4096)
def ink_box(text: str, size_px: int) -> tuple[int, int, int, int]:
    """Return the box of the text's pixels relative to where it is drawn."""
    left, top, right, bottom = font(size_px).getbbox(text)
    return int(left), int(top), int(right), int(bottom)


def padding(size_px: int) -> tuple[int, int]:
    """Return the space left and right, and above and below, of a label's text."""
    return (3, 2) if size_px > 11 else (2, 1)


def label_size(text: str, size_px: int) -> Size:
    """Return the size of a label with its padding."""
    left, top, right, bottom = ink_box(text, size_px)
    across, down = padding(size_px)
    return Size(width_px=right - left + 2 * across, height_px=bottom - top + 2 * down)
