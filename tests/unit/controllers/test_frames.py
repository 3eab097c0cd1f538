from __future__ import annotations

import hashlib
import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from harness.controllers.frames import (
    DeviceArea,
    build_capture,
    build_capture_from_pixels,
    fit_size,
    plan_frame,
    png_size,
)
from harness.errors import ObservationError
from harness.protocols import Pixels
from harness.values.frame import Capture
from harness.values.geometry import DevicePoint, FramePoint, Size

LIMIT = Size(width_px=1280, height_px=800)
sides = st.integers(min_value=1, max_value=8000)


def png(width_px: int, height_px: int, mode: str = "RGB") -> bytes:
    out = io.BytesIO()
    Image.new(mode, (width_px, height_px), 40).save(out, format="PNG")
    return out.getvalue()


@given(sides, sides)
@pytest.mark.req("R-IMG-9")
def test_a_size_fits_and_keeps_its_ratio(width_px: int, height_px: int) -> None:
    fitted = fit_size(Size(width_px=width_px, height_px=height_px), LIMIT)
    assert 1 <= fitted.width_px <= min(width_px, LIMIT.width_px)
    assert 1 <= fitted.height_px <= min(height_px, LIMIT.height_px)
    ratio = min(1, LIMIT.width_px / width_px, LIMIT.height_px / height_px)
    assert abs(fitted.width_px - width_px * ratio) <= 1
    assert abs(fitted.height_px - height_px * ratio) <= 1


@pytest.mark.req("R-IMG-9")
def test_a_capture_that_fits_keeps_its_bytes() -> None:
    raw = png(800, 600)
    capture = build_capture(
        raw, area=DeviceArea(width=800, height=600), max_sent=LIMIT, source="action", captured_at_s=1.0
    )
    assert capture.image is raw
    assert (capture.raw_image, capture.raw_size) == (None, None)
    assert capture.frame.device_scale == 1.0


@pytest.mark.req("R-IMG-9")
@pytest.mark.parametrize(
    ("pixels", "area"),
    [
        ((3840, 2160), DeviceArea(width=3840, height=2160)),
        ((2560, 1600), DeviceArea(width=1280, height=800)),
        ((1920, 1080), DeviceArea(width=1920, height=1080, origin_x=-1920, origin_y=-120)),
        ((1501, 997), DeviceArea(width=1000.7, height=664.7)),
    ],
)
def test_points_come_back_within_a_pixel(pixels: tuple[int, int], area: DeviceArea) -> None:
    capture = build_capture(png(*pixels), area=area, max_sent=LIMIT, source="runtime", captured_at_s=1.0)
    assert capture.raw_size == Size(width_px=pixels[0], height_px=pixels[1])
    frame = capture.frame
    with Image.open(io.BytesIO(capture.image)) as sent:
        assert sent.size == (frame.width_px, frame.height_px)
    for x_px, y_px in ((0, 0), (frame.width_px - 1, frame.height_px - 1), (frame.width_px // 3, 7)):
        point = FramePoint(x_px=x_px, y_px=y_px)
        device = frame.transform.to_device(point)
        assert area.origin_x <= device.x <= area.origin_x + area.width
        assert area.origin_y <= device.y <= area.origin_y + area.height
        assert frame.transform.to_frame(device) == point
    corner = frame.transform.to_frame(DevicePoint(x=area.origin_x, y=area.origin_y))
    assert corner == FramePoint(x_px=0, y_px=0)


def test_an_alpha_channel_is_sent_as_rgb() -> None:
    area = DeviceArea(width=2000, height=100)
    capture = build_capture(png(2000, 100, "RGBA"), area=area, max_sent=LIMIT, source="action", captured_at_s=1.0)
    with Image.open(io.BytesIO(capture.image)) as sent:
        assert sent.mode == "RGB"


@pytest.mark.req("R-IMG-13")
@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda raw: b"", "not a PNG"),
        (lambda raw: b"GIF89a" + raw, "not a PNG"),
        (lambda raw: raw[:-9], "cut off"),
        (lambda raw: raw[:16] + struct.pack(">II", 8001, 8000) + raw[24:], "8001x8000"),
        (lambda raw: raw[:16] + struct.pack(">II", 0, 8000) + raw[24:], "0x8000"),
    ],
)
def test_damaged_bytes_are_a_typed_error(damage, problem: str) -> None:
    with pytest.raises(ObservationError, match=problem):
        png_size(damage(png(4, 4)))


@pytest.mark.req("R-IMG-13")
def test_bytes_that_only_look_whole_are_a_typed_error() -> None:
    raw = png(2000, 100)
    broken = raw[:60] + b"\x00" * (len(raw) - 72) + raw[-12:]
    with pytest.raises(ObservationError, match="can't be decoded"):
        build_capture(
            broken, area=DeviceArea(width=2000, height=100), max_sent=LIMIT, source="action", captured_at_s=1.0
        )


def from_pixels(pixels: Pixels) -> Capture:
    area = DeviceArea(width=pixels.size.width_px, height=pixels.size.height_px)
    planned = plan_frame(pixels.size, area=area, max_sent=LIMIT, source="action", captured_at_s=1.0)
    assert planned.sha256 == ""
    return build_capture_from_pixels(pixels, planned)


@pytest.mark.req("R-IMG-9")
@pytest.mark.parametrize("buffer", [bytes, bytearray])
def test_pixels_keep_their_colours_and_the_unused_byte_is_dropped(buffer) -> None:
    data = buffer(b"\x01\x02\x03\x00" * 3 + b"\xf0\x80\x10\xff" * 3)
    capture = from_pixels(Pixels(size=Size(width_px=3, height_px=2), bgrx=data))
    assert (capture.raw_image, capture.raw_size) == (None, None)
    assert capture.frame.sha256 == hashlib.sha256(capture.image).hexdigest()
    with Image.open(io.BytesIO(capture.image)) as sent:
        assert sent.mode == "RGB"
        assert sent.tobytes() == b"\x03\x02\x01" * 3 + b"\x10\x80\xf0" * 3


@pytest.mark.req("R-IMG-9")
@pytest.mark.parametrize(("width_px", "height_px", "sent"), [(2560, 1600, (1280, 800)), (1920, 1080, (1280, 720))])
def test_pixels_over_the_limit_are_sent_smaller_and_kept_whole(
    width_px: int, height_px: int, sent: tuple[int, int]
) -> None:
    data = b"\x0a\x14\x1e\x00" * (width_px * height_px)
    capture = from_pixels(Pixels(size=Size(width_px=width_px, height_px=height_px), bgrx=data))
    assert capture.raw_size == Size(width_px=width_px, height_px=height_px)
    assert capture.raw_image is not None
    for image, size in ((capture.image, sent), (capture.raw_image, (width_px, height_px))):
        with Image.open(io.BytesIO(image)) as opened:
            assert opened.size == size
            assert opened.getcolors() == [(size[0] * size[1], (0x1E, 0x14, 0x0A))]
    assert capture.frame.sha256 == hashlib.sha256(capture.image).hexdigest()


@pytest.mark.req("R-IMG-9")
def test_the_same_screen_becomes_the_same_bytes_from_pixels_and_from_a_png() -> None:
    data = bytes(range(256)) * (2000 * 4 * 32 // 256)
    pixels = Pixels(size=Size(width_px=2000, height_px=32), bgrx=data)
    by_pixels = from_pixels(pixels)
    assert by_pixels.raw_image is not None
    by_png = build_capture(
        by_pixels.raw_image,
        area=DeviceArea(width=2000, height=32),
        max_sent=LIMIT,
        source="action",
        captured_at_s=1.0,
    )
    assert by_png == by_pixels


@pytest.mark.req("R-IMG-13")
@pytest.mark.parametrize("count", [0, 5, 7])
def test_pixels_that_are_not_as_many_as_they_say_are_a_typed_error(count: int) -> None:
    with pytest.raises(ObservationError, match=f"{count * 4} bytes are no 3x2 pixels"):
        from_pixels(Pixels(size=Size(width_px=3, height_px=2), bgrx=bytes(count * 4)))


@pytest.mark.req("R-IMG-13")
@pytest.mark.parametrize(("width_px", "height_px"), [(8001, 8000), (0, 8)])
def test_too_many_pixels_or_none_are_a_typed_error(width_px: int, height_px: int) -> None:
    size = Size(width_px=width_px, height_px=height_px)
    area = DeviceArea(width=100, height=100)
    with pytest.raises(ObservationError, match=f"{width_px}x{height_px}"):
        plan_frame(size, area=area, max_sent=LIMIT, source="action", captured_at_s=1.0)
