"""Image bytes in and out: headers are checked before anything is decoded."""

from __future__ import annotations

import io
import warnings

from PIL import Image, UnidentifiedImageError

from harness.errors import ObservationError

MAX_PIXELS = 64_000_000
FORMATS = ("PNG", "JPEG", "WEBP")


def decode(data: bytes) -> Image.Image:
    """Return a fresh RGB or RGBA image of the bytes.

    Raises:
        ObservationError: not PNG, JPEG or WebP, over 64 million pixels, more than one frame, or damaged.
    """
    try:
        with warnings.catch_warnings():
            # The size is judged below by a limit of our own.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=FORMATS)
            _check_header(image)
            return image.copy() if image.mode in {"RGB", "RGBA"} else image.convert("RGB")
    except Image.DecompressionBombError as problem:
        raise ObservationError(f"an image is too large: {problem}; capture a smaller screen") from problem
    except UnidentifiedImageError as problem:
        raise ObservationError(
            f"{len(data)} bytes are no PNG, JPEG or WebP image (they begin with {data[:8]!r}); capture again"
        ) from problem
    except (OSError, SyntaxError, ValueError) as problem:
        raise ObservationError(f"an image of {len(data)} bytes is damaged: {problem}; capture again") from problem


def _check_header(image: Image.Image) -> None:
    pixels = image.width * image.height
    if pixels > MAX_PIXELS:
        raise ObservationError(
            f"an image of {image.width}x{image.height} px is over {MAX_PIXELS // 1_000_000} million pixels; "
            "capture a smaller screen"
        )
    frames = getattr(image, "n_frames", 1)
    if frames != 1:
        raise ObservationError(f"an image has {frames} frames where one is expected; capture a still image")


def encode_png(image: Image.Image) -> bytes:
    """Return the image as PNG; fast rather than small."""
    out = io.BytesIO()
    image.save(out, format="PNG", compress_level=1)
    return out.getvalue()
