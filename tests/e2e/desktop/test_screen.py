"""Monitors and pixels of a real display, and of one that shows nothing."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from bare_display import BareDisplay
from desktop_session import DesktopSession
from x_client import x_client

from harness.controllers.desktop.preflight import check_display, server_answers
from harness.controllers.desktop.screen import MssScreen, choose_monitor, grab_visible, open_screen
from harness.errors import ControllerError, ObservationError
from harness.values.desktop import DeviceBox, Monitor
from harness.values.geometry import Size

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-1")]

# Clock, then four horizontal and four vertical timings.
SMALL_MODE = ("25", "640", "656", "752", "800", "480", "490", "492", "525")


@pytest.fixture
def bare_display(desktop: DesktopSession, tmp_path: Path) -> BareDisplay:
    return BareDisplay(desktop, tmp_path)


@pytest.fixture
def screen(desktop: DesktopSession) -> Iterator[MssScreen]:
    with closing(open_screen(desktop.environment)) as made:
        yield made


def monitor(number: int, x: float, y: float, width: float, height: float) -> Monitor:
    return Monitor(number=number, box=DeviceBox(x=x, y=y, width=width, height=height))


def test_pixels_are_what_a_program_draws(desktop: DesktopSession, screen: MssScreen) -> None:
    with x_client(desktop.environment) as client:
        client.window((200, 100, 40, 30), colour=0x102030, is_popup=True)
        pixels = screen.grab(choose_monitor(screen.monitors(), 1))
    assert pixels.size == Size(width_px=1280, height_px=800)
    for x, y, is_inside in ((200, 100, True), (239, 129, True), (199, 100, False), (240, 129, False)):
        start = (y * 1280 + x) * 4
        assert (bytes(pixels.bgrx[start : start + 3]) == b"\x30\x20\x10") is is_inside


def test_any_thread_may_grab(desktop: DesktopSession, screen: MssScreen) -> None:
    whole = choose_monitor(screen.monitors(), 0)
    expected = screen.grab(whole)

    def grab(_: int) -> bool:
        return screen.grab(whole) == expected and len(screen.monitors()) == 2

    with ThreadPoolExecutor(max_workers=4) as threads:
        assert all(threads.map(grab, range(80)))


@pytest.mark.case("G09")
def test_monitors_that_come_and_go_are_seen_at_once(bare_display: BareDisplay) -> None:
    with closing(open_screen(bare_display.environment)) as screen, x_client(bare_display.environment) as client:
        assert screen.monitors() == (monitor(0, 0, 0, 800, 600), monitor(1, 0, 0, 800, 600))
        client.window((400, 0, 400, 600), colour=0x00FF00, is_popup=True)
        bare_display.xrandr("--setmonitor", "L", "400/100x600/150+0+0", "screen")
        bare_display.xrandr("--setmonitor", "R", "400/100x500/120+400+100", "none")
        right = monitor(2, 400, 100, 400, 500)
        assert screen.monitors() == (monitor(0, 0, 0, 800, 600), monitor(1, 0, 0, 400, 600), right)
        pixels = screen.grab(right)
        assert pixels.size == Size(width_px=400, height_px=500)
        assert set(zip(*[iter(pixels.bgrx)] * 4, strict=True)) == {(0, 255, 0, 0)}
        bare_display.xrandr("--delmonitor", "R")
        assert len(screen.monitors()) == 2


def test_a_screen_that_grows_is_captured_whole(bare_display: BareDisplay) -> None:
    bare_display.xrandr("--newmode", "small", *SMALL_MODE)
    bare_display.xrandr("--addmode", "screen", "small")
    bare_display.xrandr("--output", "screen", "--mode", "small")
    with closing(open_screen(bare_display.environment)) as screen:
        assert screen.grab(choose_monitor(screen.monitors(), 0)).size == Size(width_px=640, height_px=480)
        bare_display.xrandr("--output", "screen", "--mode", "800x600")
        assert screen.grab(choose_monitor(screen.monitors(), 0)).size == Size(width_px=800, height_px=600)


@pytest.mark.case("G33")
def test_a_screen_without_a_picture_is_an_error_that_names_the_session(bare_display: BareDisplay) -> None:
    environment = {**bare_display.environment, "XDG_SESSION_TYPE": "x11"}
    with closing(open_screen(environment)) as screen:
        first = choose_monitor(screen.monitors(), 1)
        with pytest.raises(ObservationError) as caught:
            grab_visible(screen, first, environment=environment)
        for words in ("monitor 1 is black all over", "an X11 session", environment["DISPLAY"], "--desktop virtual"):
            assert words in str(caught.value)
        with x_client(environment) as client:
            client.window((0, 0, 800, 600), colour=0x202020, is_popup=True)
            assert set(grab_visible(screen, first, environment=environment).bgrx[:4]) == {0x20, 0}


@pytest.mark.case("G33")
def test_the_preflight_asks_whether_the_server_is_there(bare_display: BareDisplay) -> None:
    environment = {**bare_display.environment, "XDG_SESSION_TYPE": "x11"}
    assert check_display(environment, "linux") is None
    assert server_answers(environment["DISPLAY"])
    bare_display.end()
    problem = check_display(environment, "linux")
    assert problem is not None
    assert "no X server answers there" in problem


def test_a_display_that_is_gone_is_a_controller_error(bare_display: BareDisplay) -> None:
    screen = open_screen(bare_display.environment)
    first = choose_monitor(screen.monitors(), 1)
    screen.grab(first)
    bare_display.end()
    for use in (screen.monitors, lambda: screen.grab(first), lambda: grab_visible(screen, first, environment={})):
        with pytest.raises(ControllerError, match="can't be captured"):
            use()
    screen.close()
    with pytest.raises(ControllerError, match="can't be captured"):
        open_screen(bare_display.environment)
