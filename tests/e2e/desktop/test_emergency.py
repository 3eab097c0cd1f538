"""A person takes a real display back. The person is a second client that sends real key presses and moves."""

from __future__ import annotations

import logging
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from bare_display import BareDisplay
from desktop_session import LIMIT_S, DesktopSession, wait_for
from settle_desk import Hand
from Xlib import XK, X

from harness.controllers.desktop.corner import HOLD_S
from harness.controllers.desktop.emergency import TICK_S, EmergencyWatch
from harness.controllers.desktop.stop_key import X11Person
from harness.errors import ControllerError, EmergencyStop
from harness.values.geometry import DevicePoint

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-6")]
CHORD = ("Control_L", "Alt_L", "q")


class _Watched:
    """A watch, and what it has called."""

    def __init__(self, watch: EmergencyWatch) -> None:
        self.watch = watch
        self.calls = 0
        self.is_stopped = threading.Event()
        watch.start(self._stop)

    def _stop(self) -> None:
        self.calls += 1
        self.is_stopped.set()

    def assert_stopped(self, reason: str) -> None:
        assert self.is_stopped.wait(LIMIT_S)
        for _ in range(2):
            with pytest.raises(EmergencyStop, match=reason):
                self.watch.check()
        assert self.calls == 1

    def assert_not_stopped_within(self, seconds: float) -> None:
        assert not self.is_stopped.wait(seconds)
        self.watch.check()


@pytest.fixture
def person(desktop: DesktopSession) -> Hand:
    return Hand(desktop.display)


@pytest.fixture
def watched(desktop: DesktopSession) -> Iterator[_Watched]:
    watched = _Watched(EmergencyWatch(desktop.environment, None))
    assert watched.watch.notice is None
    # The pointer has been seen away from the corner.
    watched.assert_not_stopped_within(2 * TICK_S)
    yield watched
    watched.watch.stop()


def test_the_chord_stops_at_once_and_for_good(watched: _Watched, person: Hand) -> None:
    person.press(*CHORD)
    watched.assert_stopped("stop keys")
    watched.watch.stop()
    person.press(*CHORD)
    watched.assert_stopped("stop keys")


@pytest.mark.parametrize("locks", [("Num_Lock",), ("Caps_Lock",), ("Num_Lock", "Caps_Lock")])
def test_locks_do_not_hide_the_chord(watched: _Watched, person: Hand, locks: tuple[str, ...]) -> None:
    for lock in locks:
        person.press(lock)
    try:
        person.press(*CHORD)
        watched.assert_stopped("stop keys")
    finally:
        for lock in locks:
            person.press(lock)


@pytest.mark.parametrize("keys", [("q",), ("Control_L", "q"), ("Alt_L", "q"), ("Control_L", "Alt_L", "w")])
def test_other_keys_stop_nothing(watched: _Watched, person: Hand, keys: tuple[str, ...]) -> None:
    person.press(*keys)
    watched.assert_not_stopped_within(3 * TICK_S)


def test_the_chord_follows_the_layout(watched: _Watched, person: Hand, desktop: DesktopSession) -> None:
    before = desktop.display.keysym_to_keycode(XK.XK_q)
    subprocess.run(["setxkbmap", "fr"], env=dict(desktop.environment), check=True, timeout=LIMIT_S)
    wait_for(lambda: _code_of_q(desktop) != before, "the French layout, whose Q stands elsewhere")
    # The watch learns of the layout by an event of its own connection.
    wait_for(lambda: watched.is_stopped.is_set() or person.press(*CHORD), "the chord at its new place")
    watched.assert_stopped("stop keys")


def _code_of_q(desktop: DesktopSession) -> int:
    desktop.display.sync()
    while desktop.display.pending_events():
        desktop.display.refresh_keyboard_mapping(desktop.display.next_event())
    return desktop.display.keysym_to_keycode(XK.XK_q)


def test_a_chord_that_another_program_holds_is_said_and_the_corner_still_works(
    desktop: DesktopSession, person: Hand
) -> None:
    root = desktop.display.screen().root
    code = desktop.display.keysym_to_keycode(XK.XK_q)
    modifiers = X.ControlMask | X.Mod1Mask
    root.grab_key(code, modifiers, False, X.GrabModeAsync, X.GrabModeAsync)
    desktop.display.sync()
    watched = _Watched(EmergencyWatch(desktop.environment, None))
    try:
        assert watched.watch.notice is not None
        assert "another program has taken it" in watched.watch.notice
        watched.assert_not_stopped_within(2 * TICK_S)
        person.move(0, 0)
        watched.assert_stopped("corner")
    finally:
        watched.watch.stop()
        root.ungrab_key(code, modifiers)
        desktop.display.sync()


def test_a_person_who_holds_the_corner_stops(watched: _Watched, person: Hand) -> None:
    person.move(0, 0)
    watched.assert_stopped("corner")


def test_passing_through_the_corner_stops_nothing(watched: _Watched, person: Hand) -> None:
    for _ in range(3):
        person.move(0, 0)
        watched.assert_not_stopped_within(HOLD_S / 2)
        person.move(200, 200)
        watched.assert_not_stopped_within(2 * TICK_S)


def test_the_agents_own_corner_stops_nothing_until_a_person_comes_back(watched: _Watched, person: Hand) -> None:
    watched.watch.note_own_move(DevicePoint(x=0, y=0))
    person.move(0, 0)
    watched.assert_not_stopped_within(HOLD_S + 5 * TICK_S)
    person.move(90, 90)
    watched.assert_not_stopped_within(3 * TICK_S)
    person.move(0, 0)
    watched.assert_stopped("corner")


def test_a_stopped_watch_gives_the_chord_back(desktop: DesktopSession, watched: _Watched) -> None:
    watched.watch.stop()
    again = EmergencyWatch(desktop.environment, None)
    again.start(lambda: None)
    assert again.notice is None
    again.stop()


def test_the_watch_of_a_display_that_is_gone_can_be_ended(
    desktop: DesktopSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bare = BareDisplay(desktop, tmp_path)
    watch = EmergencyWatch(bare.environment, None)
    with caplog.at_level(logging.WARNING):
        watch.start(lambda: None)
        bare.end()
        wait_for(lambda: bool(caplog.messages), "the end of the watch")
    assert "the emergency stop no longer works: the display is gone" in caplog.messages[0]
    watch.stop()


class _Unable(X11Person):
    """A person whose chord the server refuses to take."""

    def _grab(self) -> str | None:
        raise ControllerError("refused")


def _open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_a_watch_that_can_not_begin_keeps_nothing(desktop: DesktopSession) -> None:
    before = _open_files()
    with pytest.raises(ControllerError, match="refused") as caught:
        _Unable(desktop.environment)
    assert _open_files() == before
    del caught


def test_it_costs_less_than_a_hundredth_of_a_core(watched: _Watched) -> None:
    del watched
    thread = next(thread for thread in threading.enumerate() if thread.name == "emergency")
    assert thread.ident is not None
    clock = time.pthread_getcpuclockid(thread.ident)
    began_s, began_cpu_s = time.monotonic(), time.clock_gettime(clock)
    time.sleep(2.0)
    used = (time.clock_gettime(clock) - began_cpu_s) / (time.monotonic() - began_s)
    assert used < 0.01
