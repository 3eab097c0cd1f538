"""A frame: one screenshot at the size that is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.values.geometry import FrameBox, FramePoint, Size, Transform

MediaType = Literal["image/png", "image/jpeg", "image/webp"]
FrameSource = Literal["action", "runtime"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One screenshot at the sent size; its bytes live in the blob store under `sha256`.

    Attributes:
        sha256: Hex digest of the encoded image.
        media_type: How the image is encoded.
        width_px: Width of the sent image.
        height_px: Height of the sent image.
        device_scale: Physical pixels per device unit when it was captured (1.0, 2.0, …).
        captured_at_s: Unix time of the capture, in seconds.
        source: `action` when a GUI action returned it, `runtime` when the harness captured it by itself.
        transform: Frame pixels to device units; fixed for the life of the frame.
    """

    sha256: str
    media_type: MediaType
    width_px: int
    height_px: int
    device_scale: float
    captured_at_s: float
    source: FrameSource
    transform: Transform

    @property
    def size(self) -> Size:
        """The sent size."""
        return Size(width_px=self.width_px, height_px=self.height_px)

    def contains(self, point: FramePoint) -> bool:
        """Return whether `point` is a pixel of this frame."""
        return FrameBox(x_px=0, y_px=0, width_px=self.width_px, height_px=self.height_px).contains(point)


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """A frame with its bytes, on the way from the device to the store.

    Attributes:
        frame: The frame at the sent size.
        image: Its encoded bytes.
        raw_image: The encoded bytes as captured, where they differ from `image`; else None.
        raw_size: Size of `raw_image`, or None.
    """

    frame: Frame
    image: bytes
    raw_image: bytes | None = None
    raw_size: Size | None = None
