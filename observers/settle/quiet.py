"""When a screen has come to rest after an action. Pure: events and times in, verdict out.

Waited for: pictures that differ, new windows that have not painted themselves yet, an application that was asked for a
sign of life. Not waited for: the caret, fading scrollbars and spinners (small or narrow, again and again at the same
place), tooltips.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, assert_never

from harness.values.desktop import DeviceBox
from observers.settle.expectation import Expectation
from observers.settle.places import is_caret, is_minor, is_same_place, share_of, union
from observers.settle.screen_events import (
    ActiveChanged,
    Answered,
    Asked,
    Changed,
    Closed,
    Conversation,
    Painted,
    ScreenEvent,
    WindowHidden,
    WindowListed,
    WindowShown,
)

QUIET_S: Final = 0.1
PAINT_WITHIN_S: Final = 1.0
# For an application that has not answered yet: it may not know how to.
ANSWER_WITHIN_S: Final = 0.5
# What comes of a menu or dialog that closes is often another dialog.
AFTER_CLOSING_S: Final = 0.5
# The frame of a window is less than half of it, its content nearly all.
_PAINTED_SHARE: Final = 0.5
# More of the screen than a highlighted icon or button takes up.
_MUCH_SHARE: Final = 0.02
_IN_TOOLTIP_SHARE: Final = 0.9
_RECENT_S: Final = 1.0


@dataclass(slots=True, kw_only=True)
class _Unpainted:
    box: DeviceBox
    until_s: float
    painted_share: float = 0.0


class QuietRule:
    """Hears what happens on a screen and says when it is at rest.

    Attributes:
        has_moved: Whether anything has happened that is waited for.
    """

    def __init__(self, expectation: Expectation, *, area: DeviceBox, began_s: float) -> None:
        """Begin to listen.

        Args:
            expectation: What the action may bring about.
            area: The part of the screen that matters.
            began_s: When the action ended; every other time is on the same clock.
        """
        self.has_moved = False
        self._expectation = expectation
        # A launch may bring an open window to the front; else the keyboard also moves when a window closes.
        self._may_only_raise = expectation.first_sign == "window"
        self._area = area
        self._began_s = began_s
        self._last_s = -math.inf
        self._quiet_s = QUIET_S
        self._has_begun = False
        self._has_answered = False
        self._recent: list[tuple[float, DeviceBox]] = []
        self._minor: list[DeviceBox] = []
        self._tooltips: list[DeviceBox] = []
        self._unpainted: dict[int, _Unpainted] = {}
        self._questions: dict[int, float] = {}

    @property
    def due_s(self) -> float:
        """When the screen is at rest if nothing more happens; past when it is, infinite when that won't do."""
        first_sign_s = self._began_s if self._has_begun else self._began_s + self._first_wait_s
        return max(first_sign_s, self._last_s + self._quiet_s, *self._holds())

    def note(self, happened: ScreenEvent, at_s: float) -> None:
        """Hear of something that happened."""
        match happened:
            case Changed():
                self._note_change(happened.box, at_s)
            case Painted():
                self._note_painting(happened.box)
            case WindowShown():
                self._note_shown(happened, at_s)
            case WindowHidden():
                self._note_hidden(happened, at_s)
            case WindowListed():
                self._quiet_s = self._expectation.window_quiet_s
                self._move(at_s, is_first_sign=True)
            case ActiveChanged():
                self._move(at_s, is_first_sign=self._may_only_raise)
            case Asked() | Answered() | Closed():
                self._note_conversation(happened, at_s)
            case _:
                assert_never(happened)

    def pending(self, now_s: float) -> str:
        """Return what still goes on, in words."""
        if any(window.until_s > now_s for window in self._unpainted.values()):
            return "a new window has not painted itself yet"
        if any(until_s > now_s for until_s in self._questions.values()):
            return "the application is busy and does not answer"
        boxes = [box for when_s, box in self._recent if now_s - when_s <= _RECENT_S]
        if not boxes or (not self._has_begun and self._expectation.first_sign == "window"):
            return "no new window has appeared yet"
        around = union(boxes)
        place = f"{around.x - self._area.x:.0f},{around.y - self._area.y:.0f}"
        return f"an area of {around.width:.0f}x{around.height:.0f} px at {place} keeps changing"

    @property
    def _first_wait_s(self) -> float:
        return self._expectation.answered_wait_s if self._has_answered else self._expectation.first_wait_s

    def _holds(self) -> Iterator[float]:
        yield from (window.until_s for window in self._unpainted.values())
        yield from self._questions.values()

    def _move(self, at_s: float, *, is_first_sign: bool) -> None:
        self.has_moved = True
        self._last_s = at_s
        self._has_begun |= is_first_sign

    def _note_change(self, box: DeviceBox, at_s: float) -> None:
        if not self._counts(box):
            return
        self._recent = [(when_s, where) for when_s, where in self._recent if at_s - when_s <= _RECENT_S]
        self._recent.append((at_s, box))
        self._move(at_s, is_first_sign=self._is_first_sign(box))

    def _counts(self, box: DeviceBox) -> bool:
        if is_caret(box) or any(share_of(box, tooltip) >= _IN_TOOLTIP_SHARE for tooltip in self._tooltips):
            return False
        if not is_minor(box):
            return True
        if any(is_same_place(box, before) for before in self._minor):
            return False
        self._minor.append(box)
        return True

    def _is_first_sign(self, box: DeviceBox) -> bool:
        match self._expectation.first_sign:
            case "some change":
                return True
            case "much change":
                return share_of(self._area, box) >= _MUCH_SHARE
            case "window":
                return False
            case _:
                assert_never(self._expectation.first_sign)

    def _note_painting(self, box: DeviceBox) -> None:
        for number, window in tuple(self._unpainted.items()):
            window.painted_share += share_of(window.box, box)
            if window.painted_share >= _PAINTED_SHARE:
                del self._unpainted[number]

    def _note_shown(self, shown: WindowShown, at_s: float) -> None:
        visible = shown.box.intersection(self._area)
        if shown.kind == "tooltip":
            self._tooltips.append(shown.box)
        elif visible is not None:
            self._unpainted[shown.window] = _Unpainted(box=visible, until_s=at_s + PAINT_WITHIN_S)
            if shown.kind == "window":
                self._quiet_s = self._expectation.window_quiet_s
            self._move(at_s, is_first_sign=True)

    def _note_hidden(self, hidden: WindowHidden, at_s: float) -> None:
        self._unpainted.pop(hidden.window, None)
        if hidden.kind == "tooltip":
            self._tooltips.append(hidden.box)
        if hidden.kind == "tooltip" or hidden.box.intersection(self._area) is None:
            return
        first_wait_s = max(self._expectation.first_wait_s, AFTER_CLOSING_S)
        self._expectation = replace(self._expectation, first_wait_s=first_wait_s, first_sign="window")
        self._has_begun = False
        self._move(at_s, is_first_sign=False)

    def _note_conversation(self, said: Conversation, at_s: float) -> None:
        match said:
            case Asked():
                self._questions[said.window] = math.inf if said.is_sure else at_s + ANSWER_WITHIN_S
            case Answered():
                self._questions.pop(said.window, None)
                self._has_answered = True
                self._last_s = max(self._last_s, at_s)
            case Closed():
                self._questions.pop(said.window, None)
            case _:
                assert_never(said)
