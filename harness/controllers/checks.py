"""Checks before a call: its points, and that the marks it names are still there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline, DeadlineReached
from harness.protocols import Marking, MarkObserver
from harness.values.action import Action, Click, Drag, PressKeys, action_targets
from harness.values.frame import Frame
from harness.values.mark import Mark

_FIND_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the model saw when it decided.

    Attributes:
        frame: The decision frame, or None.
        marking: The marks of that frame, or None when they are not known any more.
        screen_text: The device's size in words, for example `viewport 1280x800 CSS px`.
    """

    frame: Frame | None
    marking: Marking | None
    screen_text: str


class KeyNames(Protocol):
    """A keyboard that knows its keys by name."""

    def unknown_keys(self, keys: tuple[str, ...], /) -> tuple[str, ...]:
        """Return the names that it does not have."""
        ...

    def known_names(self) -> str:
        """Return the names that it has, for an error text."""
        ...


def check_keys(action: Action, keyboard: KeyNames) -> None:
    """Refuse keys that a keyboard does not have.

    Raises:
        CallFailed: the text names the keys there are.
    """
    if not isinstance(action, Click | Drag | PressKeys) or not (action.keys or isinstance(action, PressKeys)):
        return
    unknown = keyboard.unknown_keys(action.keys)
    if unknown or not action.keys:
        raise CallFailed(f"unknown keys {list(unknown)!r}; use {keyboard.known_names()}")


def check_targets(action: Action, seen: Seen) -> None:
    """Refuse points outside the frame.

    Raises:
        CallFailed: the text says what is valid.
    """
    for target in action_targets(action):
        frame = seen.frame
        if frame is None:
            raise CallFailed("there is no frame to aim at; look first")
        if not frame.contains(target.point):
            raise CallFailed(
                f"{target.point.x_px},{target.point.y_px} is outside the frame: x must be 0 to {frame.width_px - 1} "
                f"and y 0 to {frame.height_px - 1} ({seen.screen_text}); scroll to bring the target into view"
            )


async def check_marks(action: Action, seen: Seen, observer: MarkObserver | None, deadline: Deadline) -> None:
    """Ask the observer whether the marks that an action names are still there and hit.

    Raises:
        CallFailed: one is not; the text says why.
    """
    marks = [target.mark for target in action_targets(action) if target.mark is not None]
    for mark in marks:
        reason = await _why_lost(mark, seen, observer, deadline)
        if reason is not None:
            raise CallFailed(f"mark {mark.id} can't be used: {reason}")


async def _why_lost(mark: Mark, seen: Seen, observer: MarkObserver | None, deadline: Deadline) -> str | None:
    if observer is None or seen.marking is None:
        return "its frame is no longer the current one; look again"
    cap_s = min(_FIND_S, deadline.left_s)
    try:
        finding = observer.find(seen.marking, mark, deadline_s=cap_s)
        return await deadline.run(finding, "finding it again", cap_s=cap_s)
    except DeadlineReached as exc:
        return str(exc)
