from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from click_grid import Block
from fake_monitors import THREE_MONITORS, FakeSystem, place
from mss.exception import ScreenShotError

from harness.controllers.desktop.screen import MssScreen, choose_monitor, grab_visible, is_black
from harness.errors import ControllerError, ObservationError
from harness.protocols import Pixels
from harness.values.desktop import DeviceBox, Monitor
from harness.values.geometry import Size

PIXEL_COUNTS = (1, 5, 16_384, 16_385, 100_000)


def box(left: float, top: float, width: float, height: float) -> DeviceBox:
    return DeviceBox(x=left, y=top, width=width, height=height)


@pytest.mark.case("G09")
@pytest.mark.req("R-ACT-1")
def test_monitors_stand_where_the_system_says() -> None:
    assert MssScreen(FakeSystem().connect).monitors() == (
        Monitor(number=0, box=box(-1920, -120, 5120, 1200)),
        Monitor(number=1, box=box(-1920, -120, 1920, 1080)),
        Monitor(number=2, box=box(0, 0, 1920, 1080)),
        Monitor(number=3, box=box(1920, 0, 1280, 800)),
    )


def test_a_system_that_lists_only_the_whole_desktop_has_one_monitor() -> None:
    screen = MssScreen(FakeSystem(places=(place(0, 0, 1280, 800),)).connect)
    assert [monitor.number for monitor in screen.monitors()] == [0, 1]
    assert screen.monitors()[1].box == box(0, 0, 1280, 800)


def test_monitors_are_listed_afresh_and_the_connection_for_pixels_stays() -> None:
    system = FakeSystem(places=THREE_MONITORS[:2])
    screen = MssScreen(system.connect)
    assert len(screen.monitors()) == 2
    system.places = THREE_MONITORS
    assert len(screen.monitors()) == 4
    screen.grab(Monitor(number=1, box=box(-1920, -120, 1920, 1080)))
    assert [capturer.is_closed for capturer in system.capturers] == [False, True, True]


@pytest.mark.case("G09")
@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_the_chosen_monitor_is_captured(number: int) -> None:
    corners = [(0, 0), (-1920, -120), (0, 0), (1920, 0)]
    blocks = [Block(x=x, y=y, colour=(index, 1, 2)) for index, (x, y) in enumerate(corners) if index == number]
    screen = MssScreen(FakeSystem(blocks=blocks).connect)
    pixels = screen.grab(choose_monitor(screen.monitors(), number))
    left, top = (1920, 120) if number == 0 else (0, 0)
    start = (top * pixels.size.width_px + left) * 4
    assert bytes(pixels.bgrx[start : start + 3]) == bytes((number, 1, 2))


@pytest.mark.case("G08")
@pytest.mark.parametrize("scale", [1, 1.25, 1.5, 2])
def test_a_scaled_system_gives_more_pixels_than_device_units(scale: float) -> None:
    screen = MssScreen(FakeSystem(scale=scale).connect)
    monitor = choose_monitor(screen.monitors(), 3)
    assert (monitor.box.width, monitor.box.height) == (1280, 800)
    assert screen.grab(monitor).size == Size(width_px=round(1280 * scale), height_px=round(800 * scale))


@pytest.mark.case("G09")
def test_a_monitor_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(ControllerError) as caught:
        choose_monitor(MssScreen(FakeSystem().connect).monitors(), 4)
    assert str(caught.value) == (
        "there is no monitor 4; set controller.monitor to one of: 0 (all of them) 5120x1200 at -1920,-120, "
        "1 1920x1080 at -1920,-120, 2 1920x1080 at 0,0, 3 1280x800 at 1920,0"
    )


def test_no_display_is_a_controller_error() -> None:
    with pytest.raises(ControllerError, match="Cannot connect to display"):
        MssScreen(FakeSystem(is_gone=True).connect)


@pytest.mark.parametrize(
    "failure", [ScreenShotError("please recreate your MSS object"), AssertionError(), OSError("gone")]
)
def test_a_connection_that_failed_is_replaced(failure: Exception) -> None:
    system = FakeSystem()
    screen = MssScreen(system.connect)
    system.capturers[0].failures.append(failure)
    assert screen.grab(Monitor(number=1, box=box(-1920, -120, 1920, 1080))).size == Size(width_px=1920, height_px=1080)
    assert system.capturers[0].is_closed


def test_a_display_that_is_gone_is_a_controller_error_and_no_picture_an_observation_error() -> None:
    system = FakeSystem()
    screen = MssScreen(system.connect)
    with pytest.raises(ObservationError, match="no picture of monitor 5"):
        screen.grab(Monitor(number=5, box=box(9000, 0, 10, 10)))
    system.is_gone = True
    for use in (screen.monitors, lambda: screen.grab(Monitor(number=5, box=box(9000, 0, 10, 10)))):
        with pytest.raises(ControllerError, match="start it again"):
            use()


def test_a_lost_connection_is_given_back_in_silence() -> None:
    system = FakeSystem(closing_failure=ScreenShotError("connection lost"))
    screen = MssScreen(system.connect)
    screen.monitors()
    system.capturers[0].failures.append(AssertionError())
    screen.grab(Monitor(number=1, box=box(-1920, -120, 1920, 1080)))
    screen.close()
    assert all(capturer.is_closed for capturer in system.capturers)


def pixels(data: bytes | bytearray) -> Pixels:
    return Pixels(size=Size(width_px=len(data) // 4, height_px=1), bgrx=data)


@pytest.mark.case("G33")
@pytest.mark.parametrize("count", PIXEL_COUNTS)
@pytest.mark.parametrize("unused", [0, 255])
def test_black_is_black_whatever_the_unused_byte(count: int, unused: int) -> None:
    assert is_black(pixels(bytearray((0, 0, 0, unused)) * count))


@pytest.mark.case("G33")
@pytest.mark.parametrize("count", PIXEL_COUNTS)
@pytest.mark.parametrize("where", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("channel", [0, 1, 2])
def test_one_pixel_that_is_not_black_is_enough(count: int, where: float, channel: int) -> None:
    data = bytearray(count * 4)
    data[round((count - 1) * where) * 4 + channel] = 1
    assert not is_black(pixels(data))


@pytest.mark.case("G33")
def test_a_plain_screen_of_another_colour_is_a_picture() -> None:
    assert not is_black(pixels(bytes((30, 30, 30, 0)) * 1000))


@pytest.mark.case("G33")
def test_looking_for_black_costs_less_than_copying_the_screen() -> None:
    black = pixels(bytearray(1280 * 800 * 4))

    def fastest(call: Callable[[], object]) -> float:
        return min(_timed(call) for _ in range(20))

    assert fastest(lambda: is_black(black)) < fastest(lambda: bytes(black.bgrx) + b"x") * 2


def _timed(call: Callable[[], object]) -> float:
    start_s = time.perf_counter()
    call()
    return time.perf_counter() - start_s


@dataclass
class FakeScreen:
    """Gives one picture after the other, the last one for ever; an error is raised."""

    pictures: list[Pixels | Exception]
    grabs: int = 0

    def monitors(self) -> tuple[Monitor, ...]:
        return (MONITOR,)

    def grab(self, monitor: Monitor) -> Pixels:
        self.grabs += 1
        picture = self.pictures[min(self.grabs, len(self.pictures)) - 1]
        if isinstance(picture, Exception):
            raise picture
        return picture


MONITOR = Monitor(number=1, box=box(0, 0, 4, 1))
BLACK = pixels(bytes(16))
GREY = pixels(bytes((90, 90, 90, 0)) * 4)
WAYLAND = {"XDG_SESSION_TYPE": "wayland", "DISPLAY": ":0"}


def visible(screen: FakeScreen, pauses: list[float]) -> Pixels:
    return grab_visible(screen, MONITOR, environment=WAYLAND, platform="linux", sleep=pauses.append)


@pytest.mark.case("G33")
def test_a_picture_is_returned_at_once() -> None:
    pauses: list[float] = []
    assert visible(FakeScreen([GREY]), pauses) is GREY
    assert pauses == []


@pytest.mark.case("G33")
@pytest.mark.parametrize("first", [BLACK, ObservationError("XGetImage failed")])
def test_a_screen_that_wakes_up_is_waited_for(first: Pixels | Exception) -> None:
    pauses: list[float] = []
    assert visible(FakeScreen([first, first, GREY]), pauses) is GREY
    assert len(pauses) == 2


@pytest.mark.case("G33")
@pytest.mark.parametrize(
    ("picture", "said"),
    [(BLACK, "monitor 1 is black all over"), (ObservationError("XGetImage failed"), "XGetImage failed")],
)
def test_a_screen_that_stays_black_is_an_error_that_names_session_and_cure(
    picture: Pixels | Exception, said: str
) -> None:
    pauses: list[float] = []
    screen = FakeScreen([picture])
    with pytest.raises(ObservationError) as caught:
        visible(screen, pauses)
    for words in (said, "a Wayland session", "log in with an X11 session", "--desktop virtual"):
        assert words in str(caught.value)
    assert screen.grabs == 4
    assert sum(pauses) < 1
