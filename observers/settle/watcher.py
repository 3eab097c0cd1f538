"""Watching one screen come to rest: an alarm that wakes, pictures that are compared, a rule that decides. Blocking."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from typing import Final

from harness.errors import ObservationError
from harness.protocols import DesktopView
from harness.values.desktop import DeviceBox
from harness.values.observation import SettleReport
from observers.settle.alarm import Alarm
from observers.settle.expectation import Expectation
from observers.settle.picture import Picture
from observers.settle.quiet import QuietRule
from observers.settle.screen_events import Changed, Painted, ScreenEvent

COMPARE_EVERY_S: Final = 0.01
logger = logging.getLogger(__name__)


class ScreenWatcher:
    """Watches one screen at a time, on one thread; only `stop` may be called from another."""

    def __init__(self, alarm: Alarm) -> None:
        self._alarm = alarm
        self._tells_painting = alarm.tells_painting
        self._picture = Picture()
        self._compared_s = 0.0
        self._is_stopped = False

    def arm(self, view: DesktopView) -> None:
        """Remember how the screen looks before the action.

        Raises:
            ControllerError: the display is gone.
        """
        self._is_stopped = False
        self._alarm.arm()
        self._picture.forget()
        self._compare(view)

    def rest(self, view: DesktopView, expectation: Expectation, cap_s: float) -> SettleReport:
        """Wait until the screen is at rest, the cap has come or `stop` is called.

        Raises:
            ControllerError: the display is gone.
        """
        began_s = time.monotonic()
        rule = QuietRule(expectation, area=view.area, began_s=began_s)
        _hear(rule, (*self._alarm.question(), *self._alarm.wait(0), *self._compare(view)))
        while not self._is_stopped:
            now_s = time.monotonic()
            if now_s >= began_s + cap_s:
                return SettleReport(kind="cap", waited_s=now_s - began_s, pending=rule.pending(now_s))
            if now_s >= rule.due_s and not self._has_last_word(view, rule):
                return SettleReport(kind="settled" if rule.has_moved else "idle", waited_s=now_s - began_s)
            self._wait(view, rule, min(rule.due_s, began_s + cap_s))
        return SettleReport(kind="cap", waited_s=time.monotonic() - began_s, pending="the wait was given up")

    def stop(self) -> None:
        """End a wait at once."""
        self._is_stopped = True
        self._alarm.wake()

    def close(self) -> None:
        """Give everything back."""
        self._alarm.close()

    def _wait(self, view: DesktopView, rule: QuietRule, until_s: float) -> None:
        """Hear what happens next; what is painted at once after it is compared with it, 100 times a second at most."""
        left_s = max(0.0, until_s - time.monotonic())
        happened = self._alarm.wait(left_s if self._tells_painting else min(left_s, COMPARE_EVERY_S))
        if _has_painting(happened):
            time.sleep(max(0.0, self._compared_s + COMPARE_EVERY_S - time.monotonic()))
            happened += self._alarm.wait(0)
        elif self._tells_painting:
            _hear(rule, happened)
            return
        _hear(rule, (*happened, *self._compare(view)))

    def _has_last_word(self, view: DesktopView, rule: QuietRule) -> bool:
        """Compare once more before the verdict, and return whether it must wait.

        A compositor may show what no painting was told of: such a display is polled from then on.
        """
        before_s = rule.due_s
        changed = self._compare(view)
        # Whatever the picture shows was told before, if at all.
        told = self._alarm.wait(0)
        _hear(rule, (*told, *changed))
        if rule.due_s <= before_s:
            return False
        if self._tells_painting and not _has_painting(told):
            logger.info("the display does not tell all that is painted; its pictures are compared instead")
            self._tells_painting = False
        return True

    def _compare(self, view: DesktopView) -> tuple[ScreenEvent, ...]:
        self._compared_s = time.monotonic()
        area = view.area
        try:
            boxes = self._picture.renew(view.grab(), area)
        except ObservationError:
            # A screen that changes its mode gives no picture for a moment.
            self._picture.forget()
            return ()
        return tuple(self._told(boxes))

    def _told(self, boxes: tuple[DeviceBox, ...]) -> Iterator[ScreenEvent]:
        for box in boxes:
            if not self._tells_painting:
                yield Painted(box=box)
            yield Changed(box=box)


def _has_painting(happened: tuple[ScreenEvent, ...]) -> bool:
    return any(isinstance(told, Painted) for told in happened)


def _hear(rule: QuietRule, happened: tuple[ScreenEvent, ...]) -> None:
    now_s = time.monotonic()
    for told in happened:
        rule.note(told, now_s)
