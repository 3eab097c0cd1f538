"""The settle watch of a web page: requests, navigations and motion, driven by events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar, Final, TypeVar

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Page, Request

from harness.protocols import OBSERVER_PROTOCOL
from harness.values.action import Action
from harness.values.observation import SettleReport
from observers.settle.motion import DocumentGone, DocumentWatch, MotionSensor

T = TypeVar("T")
NAVIGATION_CAP_S: Final = 15.0
_START_S: Final = 2.0
_ASIDE_S: Final = 0.5
_RETRY_S: Final = 0.05
# They stay open for as long as the page likes, or answer nobody.
_ENDLESS: Final = frozenset({"eventsource", "media", "ping", "websocket"})


class WebSettle:
    """Waits until a page is at rest after an action."""

    PROTOCOL: ClassVar[int] = OBSERVER_PROTOCOL

    def __init__(self) -> None:
        self._sensor = MotionSensor()

    async def watch(self, device: object, action: Action | None = None) -> PageWatch:
        """Begin to watch a Playwright page, just before the action, whatever it is."""
        if not isinstance(device, Page):
            raise TypeError(f"web_settle watches a Playwright page, got {type(device).__name__}")
        watch = PageWatch(device, self._sensor)
        await watch.start()
        return watch

    def close(self) -> None:
        """Do nothing: its sessions end with their pages."""


class PageWatch:
    """A wait that began before an action on a page.

    At rest means: no request that began since then is open, no document was changed for 100 ms, two animation frames
    have passed and no finite animation runs. A navigation is first given up to 15 s to its parsed document.
    """

    def __init__(self, page: Page, sensor: MotionSensor) -> None:
        self._page = page
        self._sensor = sensor
        self._documents: tuple[DocumentWatch, ...] = ()
        self._open: set[Request] = set()
        self._navigation: Request | None = None
        self._is_committed = False
        self._events = 0
        self._happened = asyncio.Event()
        self._has_moved = False

    async def start(self) -> None:
        """Listen to the page and watch its documents; a page that doesn't answer is watched by its events alone."""
        self._page.on("request", self._on_request)
        self._page.on("requestfinished", self._on_request_end)
        self._page.on("requestfailed", self._on_request_failed)
        self._page.on("framenavigated", self._on_commit)
        self._page.on("domcontentloaded", self._on_document)
        self._page.on("close", self._on_close)
        await self._watch_documents(_START_S)

    async def settled(self, *, cap_s: float) -> SettleReport:
        """Wait until the page is at rest or `cap_s` seconds have passed, those of a navigation not counted."""
        began_s = time.monotonic()
        try:
            pending = await self._rest(cap_s)
        finally:
            await self._stop()
        waited_s = time.monotonic() - began_s
        if pending:
            return SettleReport(kind="cap", waited_s=waited_s, pending=pending)
        return SettleReport(kind="settled" if self._has_moved else "idle", waited_s=waited_s)

    async def _rest(self, cap_s: float) -> str:
        """Return what was still going on when the cap came, empty when the page is at rest."""
        end_s = time.monotonic() + cap_s
        while not self._page.is_closed():
            if self._navigation is not None:
                if not await self._arrive():
                    return "navigation"
                end_s = time.monotonic() + cap_s
            before = self._events
            is_quiet = await self._rest_once(end_s)
            if self._navigation is not None:
                continue
            if is_quiet and self._events == before and not self._open:
                return ""
            if time.monotonic() >= end_s:
                return await self._pending(is_quiet)
        return ""

    async def _arrive(self) -> bool:
        """Wait until the new document is parsed or painted; return False when neither came in time."""
        end_s = time.monotonic() + NAVIGATION_CAP_S
        if not await self._wait(lambda: self._navigation is None or self._is_committed, NAVIGATION_CAP_S):
            return False
        painting = asyncio.ensure_future(self._paint())
        parsing = asyncio.ensure_future(self._wait(lambda: self._navigation is None, end_s - time.monotonic()))
        await asyncio.wait({painting, parsing}, return_when=asyncio.FIRST_COMPLETED)
        await _cancel(painting, parsing)
        return self._navigation is None

    async def _paint(self) -> None:
        """Wait for the first paint; the rest of the document then counts as an open request."""
        navigation = self._navigation
        while self._navigation is not None and self._navigation is navigation:
            await self._stop_documents()
            await self._watch_documents(_START_S)
            try:
                await asyncio.gather(*(document.painted() for document in self._documents[:1]))
            except DocumentGone:
                await asyncio.sleep(_RETRY_S)
                continue
            if self._documents and self._is_committed and self._navigation is navigation and navigation is not None:
                self._open.add(navigation)
                self._navigation = None
            else:
                await asyncio.sleep(_RETRY_S)

    async def _rest_once(self, end_s: float) -> bool:
        """Wait for documents, then requests, once; return whether the documents rested in time."""
        rest = asyncio.ensure_future(self._rest_documents())
        navigated = asyncio.ensure_future(self._wait(lambda: self._navigation is not None, end_s - time.monotonic()))
        await asyncio.wait({rest, navigated}, return_when=asyncio.FIRST_COMPLETED)
        is_quiet = rest.done() and rest.result()
        await _cancel(rest, navigated)
        if is_quiet and self._open:
            await self._wait(lambda: not self._open or self._navigation is not None, end_s - time.monotonic())
        return is_quiet

    async def _rest_documents(self) -> bool:
        if not self._documents:
            await self._watch_documents(_START_S)
        answers = await asyncio.gather(*(document.rest() for document in self._documents), return_exceptions=True)
        if any(answer is True for answer in answers):
            self._has_moved = True
        gone = [answer for answer in answers if isinstance(answer, BaseException)]
        if not gone and answers:
            return True
        # A document was replaced under the watch: watch its successors from now on.
        self._has_moved = True
        self._events += 1
        await self._stop_documents()
        await self._watch_documents(_START_S)
        if not self._documents:
            await asyncio.sleep(_RETRY_S)
        return False

    async def _wait(self, is_over: Callable[[], bool], limit_s: float) -> bool:
        end_s = time.monotonic() + limit_s
        while not is_over():
            self._happened.clear()
            left_s = end_s - time.monotonic()
            if left_s <= 0 or self._page.is_closed():
                return False
            await _within(self._happened.wait(), left_s)
        return True

    async def _watch_documents(self, limit_s: float) -> None:
        try:
            self._documents = await asyncio.wait_for(self._sensor.watch(self._page), limit_s)
        except (DocumentGone, PlaywrightError, TimeoutError):
            self._documents = ()

    async def _stop(self) -> None:
        self._page.remove_listener("request", self._on_request)
        self._page.remove_listener("requestfinished", self._on_request_end)
        self._page.remove_listener("requestfailed", self._on_request_failed)
        self._page.remove_listener("framenavigated", self._on_commit)
        self._page.remove_listener("domcontentloaded", self._on_document)
        self._page.remove_listener("close", self._on_close)
        await self._stop_documents()

    async def _stop_documents(self) -> None:
        documents, self._documents = self._documents, ()
        await _within(_gathered(document.stop() for document in documents), _ASIDE_S)

    async def _pending(self, is_quiet: bool) -> str:
        parts = []
        if self._open:
            parts.append(_count(len(self._open), "request"))
        if not is_quiet:
            running = await _within(_gathered(document.animations() for document in self._documents), _ASIDE_S) or ()
            total = sum(count for count in running if isinstance(count, int))
            parts.append(_count(total, "animation") if total else "page changes")
        return ", ".join(parts) or "requests that follow each other"

    def _happen(self) -> None:
        self._events += 1
        self._happened.set()

    def _on_request(self, request: Request) -> None:
        if request.resource_type in _ENDLESS:
            return
        if request.is_navigation_request() and _is_main(self._page, request):
            self._navigation = request
            self._is_committed = False
        else:
            self._open.add(request)
        self._happen()

    def _on_request_end(self, request: Request) -> None:
        if request is self._navigation and not self._is_committed:
            # An answer without a document (204, a download) commits nothing; a document may yet commit.
            asyncio.get_running_loop().call_later(_ASIDE_S, self._abandon, request)
        if request in self._open:
            self._open.discard(request)
            self._happen()

    def _on_request_failed(self, request: Request) -> None:
        self._abandon(request)
        self._on_request_end(request)

    def _abandon(self, request: Request) -> None:
        if request is self._navigation and not self._is_committed:
            self._navigation = None
            self._happen()

    def _on_commit(self, frame: Frame) -> None:
        if frame is self._page.main_frame and self._navigation is not None:
            self._is_committed = True
            self._has_moved = True
            self._open.clear()
            self._happen()

    def _on_document(self, _page: Page) -> None:
        if self._is_committed:
            self._navigation = None
        self._has_moved = True
        self._happen()

    def _on_close(self, _page: Page) -> None:
        self._happen()


def _is_main(page: Page, request: Request) -> bool:
    try:
        return request.frame is page.main_frame
    except PlaywrightError:
        # A navigation whose page is not there yet belongs to a popup.
        return False


async def _cancel(*tasks: asyncio.Future[bool] | asyncio.Future[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


async def _gathered(calls: Iterable[Awaitable[T]]) -> tuple[T | BaseException, ...]:
    # A task of its own: a bare gather that is cancelled logs an exception that nobody retrieved.
    return tuple(await asyncio.gather(*calls, return_exceptions=True))


async def _within(call: Awaitable[T], limit_s: float) -> T | None:
    try:
        return await asyncio.wait_for(call, limit_s)
    except TimeoutError:
        return None
