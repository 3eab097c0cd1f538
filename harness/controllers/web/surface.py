"""The active page as one step sees it."""

from __future__ import annotations

from playwright.async_api import Error as PlaywrightError

from harness.controllers.aim import CallFailed
from harness.controllers.checks import Seen, check_keys, check_marks, check_targets
from harness.controllers.deadline import Deadline
from harness.controllers.step import TargetLost
from harness.controllers.web import keyboard
from harness.controllers.web.actions import Hands
from harness.controllers.web.checks import what_changed
from harness.controllers.web.launch import first_line
from harness.controllers.web.tabs import Tabs
from harness.protocols import MarkObserver, Settler, SettleWatch
from harness.values.action import Action
from harness.values.mark import quote_page_text


class PageSurface:
    """Checks and acts on the active page."""

    def __init__(
        self, *, tabs: Tabs, hands: Hands, settler: Settler, observer: MarkObserver | None, seen: Seen
    ) -> None:
        self._tabs = tabs
        self._hands = hands
        self._settler = settler
        self._observer = observer
        self._seen = seen
        self._start = tabs.place()

    async def changed(self) -> str | None:
        """Return in what the page differs from the step's beginning, or None."""
        if self._tabs.is_active_lost:
            return "the page was closed"
        return what_changed(self._start, self._tabs.place())

    async def check(self, action: Action, deadline: Deadline) -> None:
        """Refuse unknown keys, points outside the frame and marks that are gone."""
        check_keys(action, keyboard)
        check_targets(action, self._seen)
        await check_marks(action, self._seen, self._observer, deadline)

    async def watch(self, action: Action) -> SettleWatch:
        """Begin to watch the active page."""
        return await self._settler.watch(self._tabs.active, action)

    async def act(self, action: Action, deadline: Deadline) -> str:
        """Perform one action on the active page."""
        page = self._tabs.active
        try:
            return await self._hands.act(page, action, self._seen.frame, deadline)
        except PlaywrightError as exc:
            if self._tabs.is_active_lost or page.is_closed():
                raise TargetLost(f"the page went away during {action.kind}; it may have happened") from exc
            raise CallFailed(f"the browser refused: {quote_page_text(first_line(exc))}") from exc
