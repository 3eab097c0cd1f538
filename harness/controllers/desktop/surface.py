"""The desktop as one step sees it."""

from __future__ import annotations

from functools import partial

from harness.controllers.aim import CallFailed
from harness.controllers.checks import Seen, check_keys, check_marks, check_targets
from harness.controllers.deadline import Deadline, DeadlineReached
from harness.controllers.desktop.backend import WindowState
from harness.controllers.desktop.parts import DesktopParts
from harness.protocols import SettleWatch
from harness.values.action import Action
from harness.values.mark import quote_page_text


class DesktopSurface:
    """Checks and acts on a desktop. Made when a step begins, with the windows there are then."""

    def __init__(self, parts: DesktopParts, *, seen: Seen, start: WindowState) -> None:
        self._parts = parts
        self._seen = seen
        self._start = start

    async def changed(self) -> str | None:
        """Return which window opened, closed or took the keyboard since the step's beginning, or None."""
        return what_changed(self._start, await self._parts.thread.run(self._parts.backend.windows.state))

    async def check(self, action: Action, deadline: Deadline) -> None:
        """Refuse unknown keys, points outside the frame and marks that are gone."""
        await self._check_keys(action, deadline)
        check_targets(action, self._seen)
        await check_marks(action, self._seen, self._parts.observer, deadline)

    async def _check_keys(self, action: Action, deadline: Deadline) -> None:
        checking = self._parts.thread.run(partial(check_keys, action, self._parts.backend.keyboard))
        try:
            await deadline.run(checking, "looking for the keys")
        except DeadlineReached as exc:
            raise CallFailed(str(exc)) from exc

    async def watch(self, action: Action) -> SettleWatch:
        """Begin to watch the screen."""
        return await self._parts.settler.watch(self._parts.eyes.view, action)

    async def act(self, action: Action, deadline: Deadline) -> str:
        """Perform one action."""
        return await self._parts.hands.act(action, self._seen.frame, deadline)


def what_changed(before: WindowState, now: WindowState) -> str | None:
    """Return in what the windows differ, or None."""
    for number, title in now.titles.items():
        if number not in before.titles:
            return f"window {number} {quote_page_text(title)} opened"
    for number, title in before.titles.items():
        if number not in now.titles:
            return f"window {number} {quote_page_text(title)} closed"
    if now.active != before.active:
        return f"{_named(now.active)} has the keyboard instead of {_named(before.active)}"
    return None


def _named(window: int | None) -> str:
    return "no window" if window is None else f"window {window}"
