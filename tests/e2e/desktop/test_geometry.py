"""Clicks on two real monitors land on what the image of each shows."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from bare_display import BareDisplay
from click_grid import BLOCK_UNITS, LIMIT, Block, area_of, grid_blocks, off_by_px, seen_centre
from desktop_session import DesktopSession
from PIL import Image
from x_client import XClient, x_client
from Xlib.protocol import event

from harness.controllers.desktop.backend import PointerInput
from harness.controllers.desktop.backends import open_backend
from harness.controllers.desktop.screen import choose_monitor, open_screen
from harness.controllers.frames import build_capture_from_pixels, plan_frame
from harness.protocols import ControllerSpec
from harness.values.desktop import DeviceBox, Monitor
from harness.values.frame import Capture
from harness.values.geometry import DevicePoint, Size

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-IMG-9"), pytest.mark.case("G09")]

WHOLE = Size(width_px=2880, height_px=1000)


@pytest.fixture
def two_monitors(desktop: DesktopSession, tmp_path: Path) -> BareDisplay:
    """Return a display with a monitor of 1280x800 and, right of it and lower, one of 1600x900."""
    display = BareDisplay(desktop, tmp_path, size=WHOLE)
    display.xrandr("--setmonitor", "L", "1280/300x800/200+0+0", "screen")
    display.xrandr("--setmonitor", "R", "1600/400x900/220+1280+100", "none")
    return display


@pytest.fixture
def client(two_monitors: BareDisplay) -> Iterator[XClient]:
    with x_client(two_monitors.environment) as made:
        yield made


def capture_of(display: BareDisplay, number: int) -> tuple[Monitor, Capture]:
    with closing(open_screen(display.environment)) as screen:
        monitor = choose_monitor(screen.monitors(), number)
        pixels = screen.grab(monitor)
    planned = plan_frame(pixels.size, area=area_of(monitor.box), max_sent=LIMIT, source="action", captured_at_s=1.0)
    return monitor, build_capture_from_pixels(pixels, planned)


def paint(client: XClient, blocks: tuple[Block, ...]) -> None:
    """Cover the whole display with one window, and blocks on it whose clicks it gets."""
    sheet = client.window((0, 0, WHOLE.width_px, WHOLE.height_px), colour=0xC8C8C8, is_popup=True)
    for block in blocks:
        colour = int.from_bytes(bytes(block.colour), "little")
        corner = (round(block.x) - BLOCK_UNITS // 2, round(block.y) - BLOCK_UNITS // 2)
        sheet.create_window(
            *(*corner, BLOCK_UNITS, BLOCK_UNITS, 0, client.display.screen().root_depth), background_pixel=colour
        ).map()
    client.display.sync()


def click(pointer: PointerInput, client: XClient, at: DevicePoint) -> DevicePoint:
    """Click at a point and return where the window says that it was clicked."""
    pointer.move(at)
    pointer.press("left")
    pointer.release("left")
    pressed = client.wait_for_event(event.ButtonPress)
    return DevicePoint(x=pressed.root_x, y=pressed.root_y)


@pytest.mark.parametrize(
    ("number", "box", "sent"),
    [
        (1, DeviceBox(x=0, y=0, width=1280, height=800), (1280, 800)),
        (2, DeviceBox(x=1280, y=100, width=1600, height=900), (1280, 720)),
        (0, DeviceBox(x=0, y=0, width=2880, height=1000), (1280, 444)),
    ],
)
def test_clicks_land_on_what_the_image_shows(
    two_monitors: BareDisplay, client: XClient, number: int, box: DeviceBox, sent: tuple[int, int]
) -> None:
    blocks = tuple(grid_blocks(box))
    paint(client, blocks)
    monitor, capture = capture_of(two_monitors, number)
    assert monitor.box == box
    with Image.open(io.BytesIO(capture.image)) as image:
        image.load()
    assert image.size == sent
    with closing(open_backend(ControllerSpec(kind="desktop"), two_monitors.environment)) as backend:
        for block in blocks:
            at = capture.frame.transform.to_device(seen_centre(image, block))
            assert off_by_px(capture.frame, click(backend.pointer, client, at), block) <= 1
