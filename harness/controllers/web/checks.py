"""Checks before a call: its arguments, the mark's element, and that the page is still the one the model saw."""

from __future__ import annotations

from dataclasses import dataclass

from harness.controllers.web.aim import CallFailed
from harness.controllers.web.deadline import Deadline, DeadlineReached
from harness.controllers.web.keyboard import known_names, unknown_keys
from harness.controllers.web.tabs import Place
from harness.protocols import Marking, MarkObserver
from harness.values.action import Action, Click, Drag, PressKeys, Target, action_targets
from harness.values.frame import Frame
from harness.values.geometry import Size
from harness.values.mark import Mark, quote_page_text

_FIND_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the model saw when it decided.

    Attributes:
        frame: The decision frame, or None.
        marking: The marks of that frame, or None when they are not known any more.
        screen: Size of the viewport in CSS pixels.
    """

    frame: Frame | None
    marking: Marking | None
    screen: Size


def check_arguments(action: Action, seen: Seen) -> None:
    """Refuse points outside the frame and unknown keys.

    Raises:
        CallFailed: the text says what is valid.
    """
    keys = action.keys if isinstance(action, Click | Drag | PressKeys) else ()
    unknown = unknown_keys(keys)
    if unknown or (isinstance(action, PressKeys) and not keys):
        raise CallFailed(f"unknown keys {list(unknown)!r}; use {known_names()}")
    for target in action_targets(action):
        _check_inside(target, seen)


def _check_inside(target: Target, seen: Seen) -> None:
    frame = seen.frame
    if frame is None:
        raise CallFailed("there is no frame to aim at; look first")
    if frame.contains(target.point):
        return
    raise CallFailed(
        f"{target.point.x_px},{target.point.y_px} is outside the frame: x must be 0 to {frame.width_px - 1} and "
        f"y 0 to {frame.height_px - 1} (viewport {seen.screen.width_px}x{seen.screen.height_px} CSS px); "
        "scroll to bring the target into view"
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


def what_changed(before: Place, now: Place) -> str | None:
    """Return in what the page differs from the one at the step's start, or None."""
    if now.tab != before.tab:
        return f"tab {now.tab} is active instead of tab {before.tab}"
    if now.dialogs != before.dialogs:
        return "a dialog opened"
    if now.route != before.route:
        return f"the address is now {quote_page_text(now.route)}"
    if now.document != before.document:
        return "the page loaded anew"
    return None
