"""From captured pixels to a frame: header check, one resize to the profile, the transform. Pure and blocking."""

from __future__ import annotations

import hashlib
import io
import struct
from dataclasses import dataclass
from typing import Final

from PIL import Image, UnidentifiedImageError

from harness.errors import ObservationError
from harness.values.frame import Capture, Frame, FrameSource
from harness.values.geometry import Size, Transform

MAX_CAPTURE_PIXELS: Final = 64_000_000
_PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_PNG_END: Final = b"IEND\xaeB`\x82"
_HEADER_BYTES: Final = 24
_FAST_PNG_LEVEL: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceArea:
    """The part of a device that a capture shows, in device units (CSS pixels, or screen pixels).

    Attributes:
        width: Width of the area.
        height: Height of the area.
        origin_x: Its left edge; may be negative on a desktop.
        origin_y: Its top edge; may be negative on a desktop.
    """

    width: float
    height: float
    origin_x: float = 0.0
    origin_y: float = 0.0


def png_size(png: bytes) -> Size:
    """Return the size in a PNG's header without decoding it.

    Raises:
        ObservationError: not a whole PNG, or more than 64 megapixels.
    """
    if len(png) < _HEADER_BYTES or not png.startswith(_PNG_SIGNATURE) or png[12:16] != b"IHDR":
        raise ObservationError(f"the capture is not a PNG: it starts with {png[:8]!r}; capture again")
    width_px, height_px = struct.unpack(">II", png[16:_HEADER_BYTES])
    if width_px == 0 or height_px == 0 or width_px * height_px > MAX_CAPTURE_PIXELS:
        raise ObservationError(
            f"the capture's header says {width_px}x{height_px} px, allowed are 1 to {MAX_CAPTURE_PIXELS} pixels; "
            "use a smaller viewport or device scale"
        )
    if not png.endswith(_PNG_END):
        raise ObservationError(f"the capture is cut off after {len(png)} bytes; capture again")
    return Size(width_px=width_px, height_px=height_px)


def fit_size(size: Size, limit: Size) -> Size:
    """Return the largest size inside `limit` with the aspect ratio of `size`; never larger than `size`."""
    if size.width_px <= limit.width_px and size.height_px <= limit.height_px:
        return size
    ratio = min(limit.width_px / size.width_px, limit.height_px / size.height_px)
    return Size(
        width_px=max(1, min(limit.width_px, round(size.width_px * ratio))),
        height_px=max(1, min(limit.height_px, round(size.height_px * ratio))),
    )


def build_capture(
    png: bytes, *, area: DeviceArea, max_sent: Size, source: FrameSource, captured_at_s: float
) -> Capture:
    """Return the frame of a captured PNG: resized once when it exceeds `max_sent`, else its bytes unchanged.

    Takes tens of milliseconds for a large capture: call it in a thread.

    Raises:
        ObservationError: the bytes are damaged or too large.
    """
    captured = png_size(png)
    sent = fit_size(captured, max_sent)
    image = png if sent == captured else _resize(png, sent)
    frame = Frame(
        sha256=hashlib.sha256(image).hexdigest(),
        media_type="image/png",
        width_px=sent.width_px,
        height_px=sent.height_px,
        device_scale=captured.width_px / area.width,
        captured_at_s=captured_at_s,
        source=source,
        transform=Transform(
            scale_x=sent.width_px / area.width,
            scale_y=sent.height_px / area.height,
            origin_x=area.origin_x,
            origin_y=area.origin_y,
        ),
    )
    if image is png:
        return Capture(frame=frame, image=image)
    return Capture(frame=frame, image=image, raw_image=png, raw_size=captured)


def _resize(png: bytes, sent: Size) -> bytes:
    try:
        with Image.open(io.BytesIO(png), formats=("PNG",)) as opened:
            pixels = opened.convert("RGB")
    except (OSError, SyntaxError, ValueError, UnidentifiedImageError) as exc:
        raise ObservationError(f"the capture can't be decoded: {exc}; capture again") from exc
    out = io.BytesIO()
    resized = pixels.resize((sent.width_px, sent.height_px), Image.Resampling.LANCZOS)
    resized.save(out, format="PNG", compress_level=_FAST_PNG_LEVEL)
    return out.getvalue()
