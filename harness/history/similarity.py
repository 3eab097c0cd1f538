"""Whether two screenshots show the same screen, but for a blinking caret."""

from __future__ import annotations

import io
from typing import Final

from PIL import Image, ImageChops, UnidentifiedImageError

from harness.errors import ObservationError

CARET_WIDTH_PX: Final = 4
CARET_HEIGHT_PX: Final = 40
MAX_PIXELS: Final = 64_000_000
_FORMATS: Final = ("PNG", "JPEG", "WEBP")


def is_same_screen(image_a: bytes, image_b: bytes) -> bool:
    """Return whether two encoded images differ at most inside one box of the size of a caret.

    Args:
        image_a: PNG, JPEG or WebP with one frame, at most 64 Mpx.
        image_b: Likewise; images of different sizes are different screens.

    Raises:
        ObservationError: an image is damaged, too large or of another kind.
    """
    if image_a == image_b:
        return True
    first, second = _decode(image_a), _decode(image_b)
    if first.size != second.size:
        return False
    box = ImageChops.difference(first, second).getbbox()
    if box is None:
        return True
    left, top, right, bottom = box
    return right - left <= CARET_WIDTH_PX and bottom - top <= CARET_HEIGHT_PX


def _decode(image: bytes) -> Image.Image:
    try:
        opened = Image.open(io.BytesIO(image), formats=_FORMATS)
        width_px, height_px = opened.size
        if width_px * height_px > MAX_PIXELS or getattr(opened, "n_frames", 1) != 1:
            raise ObservationError(
                f"an image of {width_px}x{height_px} pixels can't be compared; "
                f"screenshots have one frame and at most {MAX_PIXELS} pixels"
            )
        return opened.convert("RGB")
    except (
        UnidentifiedImageError,
        OSError,
        ValueError,
        SyntaxError,
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
    ) as exc:
        raise ObservationError(
            f"an image of {len(image)} bytes can't be decoded ({exc}); capture the screen again"
        ) from exc
