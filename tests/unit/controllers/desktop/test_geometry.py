"""From what a monitor shows to where a click lands: within a pixel of the image that the model saw."""

from __future__ import annotations

import io
import math

import pytest
from click_grid import LIMIT, Block, area_of, grid_blocks, off_by_px, seen_centre
from fake_monitors import FakeSystem, place
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from harness.controllers.desktop.screen import MssScreen, choose_monitor
from harness.controllers.frames import DeviceArea, build_capture_from_pixels, fit_size, plan_frame
from harness.values.desktop import Monitor
from harness.values.frame import Capture
from harness.values.geometry import FramePoint, Size

LAYOUT = (
    place(-1920, -200, 5120, 1400),
    place(-1920, -200, 1920, 1080),
    place(0, 0, 1600, 1200),
    place(1920, 37, 1280, 800),
)


def capture_of(screen: MssScreen, monitor: Monitor) -> Capture:
    pixels = screen.grab(monitor)
    planned = plan_frame(pixels.size, area=area_of(monitor.box), max_sent=LIMIT, source="action", captured_at_s=1.0)
    return build_capture_from_pixels(pixels, planned)


@pytest.mark.req("R-IMG-9")
@pytest.mark.case("G08")
@pytest.mark.case("G09")
@pytest.mark.parametrize("scale", [1, 1.25, 1.5, 2])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_clicks_on_what_the_image_shows_land_there(number: int, scale: float) -> None:
    system = FakeSystem(places=LAYOUT, scale=scale)
    monitor = choose_monitor(MssScreen(system.connect).monitors(), number)
    blocks = tuple(grid_blocks(monitor.box))
    capture = capture_of(MssScreen(FakeSystem(places=LAYOUT, scale=scale, blocks=blocks).connect), monitor)
    assert capture.frame.device_scale == pytest.approx(scale, rel=0.001)
    with Image.open(io.BytesIO(capture.image)) as image:
        image.load()
        for block in blocks:
            landed = capture.frame.transform.to_device(seen_centre(image, block))
            assert off_by_px(capture.frame, landed, block) <= 1
            assert monitor.box.contains(landed)


@pytest.mark.req("R-IMG-9")
@pytest.mark.case("G08")
def test_a_screen_of_two_pixels_a_point_is_clicked_in_points() -> None:
    button = Block(x=700, y=400, colour=(77, 10, 10))
    screen = MssScreen(FakeSystem(places=(place(0, 0, 1440, 813),), scale=2, blocks=[button]).connect)
    capture = capture_of(screen, choose_monitor(screen.monitors(), 1))
    assert capture.raw_size == Size(width_px=2880, height_px=1626)
    with Image.open(io.BytesIO(capture.image)) as image:
        seen = seen_centre(image, button)
    assert seen.x_px != pytest.approx(700, abs=20)
    assert off_by_px(capture.frame, capture.frame.transform.to_device(seen), button) <= 1


lengths = st.integers(min_value=64, max_value=7680)
origins = st.integers(min_value=-7680, max_value=7680)
scales = st.sampled_from([1, 1.25, 1.5, 1.75, 2])


@st.composite
def screens(draw: st.DrawFn) -> tuple[DeviceArea, Size]:
    """A monitor of up to 8K with any origin, and its physical pixels, at most 64 million."""
    width, height, scale = draw(lengths), draw(lengths), draw(scales)
    pixels = Size(width_px=round(width * scale), height_px=round(height * scale))
    while pixels.width_px * pixels.height_px > 64_000_000:
        width, height = width // 2, height // 2
        pixels = Size(width_px=round(width * scale), height_px=round(height * scale))
    return DeviceArea(width=width, height=height, origin_x=draw(origins), origin_y=draw(origins)), pixels


@pytest.mark.req("R-IMG-9")
@given(screens(), st.floats(min_value=0, max_value=1), st.floats(min_value=0, max_value=1))
def test_every_pixel_of_every_screen_comes_back(screen: tuple[DeviceArea, Size], right: float, down: float) -> None:
    box, pixels = screen
    frame = plan_frame(pixels, area=box, max_sent=LIMIT, source="action", captured_at_s=1.0)
    assert frame.size == fit_size(pixels, LIMIT)
    point = FramePoint(x_px=round(right * (frame.width_px - 1)), y_px=round(down * (frame.height_px - 1)))
    device = frame.transform.to_device(point)
    assert box.origin_x < device.x < box.origin_x + box.width
    assert box.origin_y < device.y < box.origin_y + box.height
    assert frame.transform.to_frame(device) == point
    # A pointer stands on whole units: the one that holds the point.
    assert abs(math.floor(device.x) + 0.5 - device.x) * frame.transform.scale_x <= 1
    assert abs(math.floor(device.y) + 0.5 - device.y) * frame.transform.scale_y <= 1
