"""Whether a frame shows what the screen came to rest at."""

from __future__ import annotations

import io
import time
from collections.abc import Mapping

from PIL import Image, ImageChops

from harness.controllers.desktop.screen import open_screen

# What a caret and a fading scroll bar may differ by, in pixels.
TOLERANCE_PX = 120
REST_S = 0.8


class ScreenTruth:
    """Compares frames with the screen 0.8 s later."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._screen = open_screen(environment)
        self._monitor = self._screen.monitors()[1]

    def is_settled(self, png: bytes) -> bool:
        """Wait 0.8 s and return whether at most 120 pixels of the frame have changed since."""
        time.sleep(REST_S)
        with Image.open(io.BytesIO(png)) as opened:
            return changed_pixels(opened.convert("RGB"), self._now()) <= TOLERANCE_PX

    def _now(self) -> Image.Image:
        pixels = self._screen.grab(self._monitor)
        size = (pixels.size.width_px, pixels.size.height_px)
        return Image.frombuffer("RGB", size, pixels.bgrx, "raw", "BGRX", 0, 1)

    def close(self) -> None:
        """Give the display back."""
        self._screen.close()


def changed_pixels(before: Image.Image, after: Image.Image) -> int:
    """Return how many pixels differ in any channel."""
    difference = ImageChops.difference(before, after)
    strongest = ImageChops.lighter(ImageChops.lighter(*difference.split()[:2]), difference.split()[2])
    return sum(strongest.histogram()[1:])
