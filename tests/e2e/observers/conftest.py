"""Pages of these tests, and frames to mark them in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.values.frame import Frame
from harness.values.geometry import Transform

PAGES = Path(__file__).parent / "pages"
MakeFrame = Callable[..., Frame]


@pytest.fixture
def bodies() -> dict[str, str | bytes]:
    """Return every page of the folder by its path."""
    return {f"/{file.name}": file.read_text(encoding="utf-8") for file in PAGES.glob("*.html")}


@pytest.fixture
def make_frame() -> MakeFrame:
    """Return a function that makes a frame of a viewport at a scale."""

    def make(width_px: int = 800, height_px: int = 600, scale: float = 1.0) -> Frame:
        return Frame(
            sha256="0" * 64,
            media_type="image/png",
            width_px=round(width_px * scale),
            height_px=round(height_px * scale),
            device_scale=scale,
            captured_at_s=0.0,
            source="runtime",
            transform=Transform(scale_x=scale, scale_y=scale),
        )

    return make
