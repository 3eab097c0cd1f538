from __future__ import annotations

import io
import struct
import zlib

import pytest
from PIL import Image, ImageDraw

from harness.errors import ObservationError
from harness.history.similarity import is_same_screen


def _png(*boxes: tuple[int, int, int, int], size: tuple[int, int] = (300, 200), kind: str = "PNG") -> bytes:
    image = Image.new("RGB", size, "white")
    for box in boxes:
        ImageDraw.Draw(image).rectangle(box, fill="black")
    stream = io.BytesIO()
    image.save(stream, kind)
    return stream.getvalue()


PLAIN = _png()


@pytest.mark.req("R-HIS-5")
@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        (PLAIN, True),
        (_png(kind="WEBP"), True),
        (_png((50, 50, 53, 89)), True),
        (_png((50, 50, 50, 60)), True),
        (_png((50, 50, 54, 60)), False),
        (_png((50, 50, 53, 90)), False),
        (_png((50, 50, 51, 60), (90, 50, 91, 60)), False),
        (_png(size=(301, 200)), False),
    ],
)
def test_only_a_caret_may_differ(other: bytes, is_same: bool) -> None:
    assert is_same_screen(PLAIN, other) is is_same
    assert is_same_screen(other, PLAIN) is is_same


def _huge_png() -> bytes:
    header = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))


def _two_frames() -> bytes:
    stream = io.BytesIO()
    first, second = Image.new("RGB", (9, 9), "red"), Image.new("RGB", (9, 9), "blue")
    first.save(stream, "PNG", save_all=True, append_images=[second])
    return stream.getvalue()


@pytest.mark.req("R-IMG-13")
@pytest.mark.parametrize(
    "damaged", [b"", b"no image", PLAIN[:60], PLAIN[: len(PLAIN) // 2], _huge_png(), _two_frames(), _png(kind="GIF")]
)
def test_damaged_or_foreign_bytes_are_a_typed_error(damaged: bytes) -> None:
    with pytest.raises(ObservationError):
        is_same_screen(PLAIN, damaged)
