"""The emergency stop where only the pointer's place is known."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

import pytest

from harness.controllers.desktop.emergency import EmergencyWatch
from harness.errors import EmergencyStop
from harness.values.geometry import DevicePoint

pytestmark = [pytest.mark.req("R-ACT-6")]
LIMIT_S = 20.0


class _Places:
    """Answers with the pointer's places in order, the last one for ever."""

    def __init__(self, *places: tuple[int, int]) -> None:
        self.asked = 0
        self._places = [DevicePoint(x=x, y=y) for x, y in places]
        self.were_all_asked = threading.Event()

    def __call__(self) -> DevicePoint:
        self.asked += 1
        if self.asked >= len(self._places) + 3:
            self.were_all_asked.set()
        return self._places[min(self.asked, len(self._places)) - 1]


@pytest.fixture
def stops() -> list[str]:
    return []


def test_a_held_corner_stops_once_and_for_good(stops: list[str]) -> None:
    watch = EmergencyWatch({}, _Places((9, 9), (0, 0)))
    stopped = threading.Event()
    watch.start(lambda: (stops.append(threading.current_thread().name), stopped.set()))
    watch.check()
    assert stopped.wait(LIMIT_S)
    for _ in range(2):
        with pytest.raises(EmergencyStop, match="held in the corner"):
            watch.check()
    watch.stop()
    assert stops == ["emergency"]
    with pytest.raises(EmergencyStop):
        watch.check()


def test_the_agents_own_corner_stops_nothing(stops: list[str]) -> None:
    places = _Places((9, 9), *[(0, 0)] * 12)
    watch = EmergencyWatch({}, places)
    watch.note_own_move(DevicePoint(x=0, y=0))
    watch.start(lambda: stops.append("stop"))
    assert places.were_all_asked.wait(LIMIT_S)
    watch.stop()
    watch.check()
    assert stops == []


def test_what_a_person_can_not_do_is_said() -> None:
    watch = EmergencyWatch({}, _Places((9, 9)))
    watch.start(lambda: None)
    assert watch.notice is not None
    assert "top-left corner" in watch.notice
    watch.stop()
    assert "top-left corner" in watch.notice


def test_without_any_way_to_watch_it_says_so_and_goes_on() -> None:
    watch = EmergencyWatch({}, None)
    watch.start(lambda: None)
    assert watch.notice is not None
    assert "nothing but the end of the program" in watch.notice
    watch.check()
    watch.stop()


def test_stop_ends_the_thread_and_again_is_harmless() -> None:
    watch = EmergencyWatch({}, _Places((9, 9)))
    watch.start(lambda: None)
    watch.stop()
    watch.stop()
    assert "emergency" not in {thread.name for thread in threading.enumerate()}


def test_the_callback_may_end_the_watch() -> None:
    watch = EmergencyWatch({}, _Places((9, 9), (0, 0)))
    ended = threading.Event()

    def end() -> None:
        watch.stop()
        ended.set()

    watch.start(end)
    assert ended.wait(LIMIT_S)


def test_a_display_that_does_not_answer_is_not_waited_for() -> None:
    asked, answer = threading.Event(), threading.Event()

    def position() -> DevicePoint:
        asked.set()
        answer.wait(LIMIT_S)
        return DevicePoint(x=9, y=9)

    watch = EmergencyWatch({}, position)
    watch.start(lambda: None)
    (thread,) = [thread for thread in threading.enumerate() if thread.name == "emergency"]
    assert asked.wait(LIMIT_S)
    began_s = time.monotonic()
    watch.stop()
    waited_s = time.monotonic() - began_s
    answer.set()
    thread.join(LIMIT_S)
    assert waited_s < LIMIT_S / 2
    assert not thread.is_alive()


@pytest.mark.parametrize("error", [OSError, AttributeError, TypeError])
def test_a_display_that_dies_within_an_answer_is_said(
    caplog: pytest.LogCaptureFixture, error: Callable[[str], Exception]
) -> None:
    def position() -> DevicePoint:
        raise error("half an answer")

    watch = EmergencyWatch({}, position)
    with caplog.at_level(logging.WARNING):
        watch.start(lambda: None)
        (thread,) = [thread for thread in threading.enumerate() if thread.name == "emergency"]
        thread.join(LIMIT_S)
    assert caplog.messages == ["the emergency stop no longer works: half an answer"]
    watch.stop()
