"""One sight of a page: screenshot, frame, marks, and the facts around it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace

from playwright.async_api import Error as PlaywrightError

from harness.controllers.deadline import Deadline, DeadlineReached
from harness.controllers.frames import build_capture
from harness.controllers.markings import MarkingMemory
from harness.controllers.web.launch import first_line
from harness.controllers.web.screen import PageScreen
from harness.controllers.web.tabs import Tabs, page_title
from harness.errors import ObservationError
from harness.protocols import Marking, MarkObserver
from harness.values.frame import Capture, Frame, FrameSource
from harness.values.geometry import Size
from harness.values.observation import Observation, SettleReport, Sight


@dataclass(frozen=True, slots=True, kw_only=True)
class _Picture:
    capture: Capture | None
    notices: tuple[str, ...] = ()
    error: str | None = None


class Eyes:
    """Looks at the active page, and remembers the marks of the last few frames."""

    def __init__(
        self, tabs: Tabs, *, observer: MarkObserver | None, max_sent: Size, text_chars: int, is_chromium: bool
    ) -> None:
        self._tabs = tabs
        self._observer = observer
        self._max_sent = max_sent
        self._text_chars = text_chars
        self._is_chromium = is_chromium
        self._screens: dict[int, PageScreen] = {}
        self._markings = MarkingMemory()
        self._last_sha256 = ""
        self.screen = Size(width_px=1, height_px=1)

    def marking(self, frame: Frame | None) -> Marking | None:
        """Return the marks of a frame, or None when it is not one of the last few."""
        return self._markings.recall(frame)

    async def look(self, deadline: Deadline, *, source: FrameSource, settle: SettleReport | None) -> Sight:
        """Return what the active page shows; a failed capture is an observation without a frame."""
        picture = await self._picture(deadline, source)
        marking = Marking(marks=())
        if picture.capture is not None:
            marking = await self._marks(picture.capture.frame, deadline)
        observation = Observation(
            frame=None if picture.capture is None else picture.capture.frame,
            screen=self.screen,
            marks=marking.marks,
            texts=marking.texts,
            url=self._tabs.active.url,
            title=await page_title(self._tabs.active, deadline),
            settle=self._checked(settle, picture.capture),
            dialogs=self._tabs.take_dialogs(),
            tabs=await self._tabs.report(deadline),
            notices=(*picture.notices, *marking.notices, *self._tabs.take_notices()),
            error=picture.error,
        )
        return Sight(observation=observation, capture=picture.capture)

    async def _picture(self, deadline: Deadline, source: FrameSource) -> _Picture:
        try:
            screen = self._page_screen()
            self.screen = await screen.viewport(deadline)
            shot = await screen.shoot(deadline)
            capture = await asyncio.to_thread(
                build_capture,
                shot.png,
                area=shot.area,
                max_sent=self._max_sent,
                source=source,
                captured_at_s=time.time(),
            )
        except (PlaywrightError, DeadlineReached, ObservationError) as exc:
            return _Picture(capture=None, error=f"the capture failed: {first_line(exc)}")
        return _Picture(capture=capture, notices=() if shot.degraded is None else (shot.degraded,))

    async def _marks(self, frame: Frame, deadline: Deadline) -> Marking:
        if self._observer is None:
            return self._markings.keep(frame, Marking(marks=()))
        looking = self._observer.observe(
            self._tabs.active, frame, text_chars=self._text_chars, deadline_s=deadline.left_s
        )
        try:
            return self._markings.keep(frame, await deadline.run(looking, "finding marks"))
        except (PlaywrightError, DeadlineReached) as exc:
            return Marking(marks=(), notices=(f"no marks: {first_line(exc)}",))

    def _checked(self, settle: SettleReport | None, capture: Capture | None) -> SettleReport | None:
        """Return the report, `settled` where only pixels moved: a canvas changes without a change of its document."""
        before = self._last_sha256
        self._last_sha256 = "" if capture is None else capture.frame.sha256
        if settle is not None and settle.kind == "idle" and self._last_sha256 != before:
            return replace(settle, kind="settled")
        return settle

    def _page_screen(self) -> PageScreen:
        page = self._tabs.active
        tab = self._tabs.place().tab
        if tab not in self._screens:
            self._screens[tab] = PageScreen(page, is_chromium=self._is_chromium)
        return self._screens[tab]
