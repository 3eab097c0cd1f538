"""The watcher of a screen, on a screen and with an alarm made by hand."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from harness.errors import ControllerError, ObservationError
from harness.protocols import Pixels
from harness.values.desktop import DesktopWindow, DeviceBox
from harness.values.geometry import Size
from observers.settle.expectation import DIRECT, LAUNCHING
from observers.settle.screen_events import Painted, ScreenEvent
from observers.settle.watcher import ScreenWatcher

pytestmark = [pytest.mark.req("R-ACT-3")]
AREA = DeviceBox(x=0, y=0, width=64, height=64)
SIZE = Size(width_px=64, height_px=64)
EMPTY, DRAWN = bytes(64 * 64 * 4), b"\x80" * (64 * 64 * 4)


class _Screen:
    """Shows what a test paints on it."""

    def __init__(self) -> None:
        self.environment: dict[str, str] = {}
        self.area = AREA
        self.shown: bytes | Exception = EMPTY
        self.grabs = 0

    def windows(self) -> tuple[DesktopWindow, ...]:
        return ()

    def popups(self) -> tuple[DeviceBox, ...]:
        return ()

    def grab(self) -> Pixels:
        self.grabs += 1
        if isinstance(self.shown, Exception):
            raise self.shown
        return Pixels(size=SIZE, bgrx=self.shown)

    def show_later(self, after_s: float, shown: bytes | Exception) -> None:
        threading.Timer(after_s, lambda: setattr(self, "shown", shown)).start()


class _Alarm:
    """Tells what a test lets it tell, and nothing by itself."""

    def __init__(self, *, tells_painting: bool = True) -> None:
        self.tells_painting = tells_painting
        self.happened: list[ScreenEvent] = []
        self._woken = threading.Event()

    def arm(self) -> None:
        self.happened.clear()
        self._woken.clear()

    def question(self) -> tuple[ScreenEvent, ...]:
        return ()

    def wait(self, limit_s: float) -> tuple[ScreenEvent, ...]:
        if not self.happened:
            self._woken.wait(limit_s)
        told, self.happened = tuple(self.happened), []
        return told

    def wake(self) -> None:
        self._woken.set()

    def close(self) -> None:
        pass


@pytest.fixture
def screen() -> _Screen:
    return _Screen()


def _armed(screen: _Screen, alarm: _Alarm) -> ScreenWatcher:
    watcher = ScreenWatcher(alarm)
    watcher.arm(screen)
    return watcher


def test_without_news_two_pictures_are_all_that_is_looked_at(screen: _Screen) -> None:
    watcher = _armed(screen, _Alarm())
    screen.grabs = 0
    assert watcher.rest(screen, DIRECT, 1.0).kind == "idle"
    assert screen.grabs <= 3


def test_what_happened_during_the_action_counts(screen: _Screen) -> None:
    watcher = _armed(screen, _Alarm())
    screen.shown = DRAWN
    assert watcher.rest(screen, DIRECT, 1.0).kind == "settled"


def test_a_painting_that_changes_nothing_is_no_motion(screen: _Screen) -> None:
    alarm = _Alarm()
    watcher = _armed(screen, alarm)
    alarm.happened.append(Painted(box=AREA))
    assert watcher.rest(screen, DIRECT, 1.0).kind == "idle"


def test_a_display_that_tells_nothing_of_a_change_is_polled_from_then_on(screen: _Screen) -> None:
    watcher = _armed(screen, _Alarm())
    screen.show_later(0.05, DRAWN)
    assert watcher.rest(screen, DIRECT, 1.0).kind == "settled"
    watcher.arm(screen)
    screen.grabs = 0
    watcher.rest(screen, DIRECT, 1.0)
    assert screen.grabs > 5


def test_pictures_alone_tell_of_a_window_too(screen: _Screen) -> None:
    watcher = _armed(screen, _Alarm(tells_painting=False))
    screen.show_later(0.05, DRAWN)
    report = watcher.rest(screen, DIRECT, 1.0)
    assert report.kind == "settled"
    assert report.waited_s >= 0.15


def test_a_screen_without_a_picture_for_a_moment_is_no_failure(screen: _Screen) -> None:
    watcher = _armed(screen, _Alarm(tells_painting=False))
    screen.shown = ObservationError("it changes its mode")
    screen.show_later(0.05, DRAWN)
    assert watcher.rest(screen, DIRECT, 1.0).kind == "idle"


def test_a_screen_that_is_gone_is_one(screen: _Screen) -> None:
    watcher = _armed(screen, _Alarm())
    screen.shown = ControllerError("the display is gone")
    with pytest.raises(ControllerError, match="gone"):
        watcher.rest(screen, DIRECT, 1.0)


@pytest.mark.parametrize(
    "stop", [lambda watcher: watcher.stop(), lambda watcher: threading.Timer(0.05, watcher.stop).start()]
)
def test_a_wait_that_is_given_up_ends(screen: _Screen, stop: Callable[[ScreenWatcher], None]) -> None:
    watcher = _armed(screen, _Alarm())
    stop(watcher)
    began_s = time.monotonic()
    assert watcher.rest(screen, LAUNCHING, 30.0).pending == "the wait was given up"
    assert time.monotonic() - began_s < 15.0
    watcher.arm(screen)
    assert watcher.rest(screen, DIRECT, 1.0).kind == "idle"
