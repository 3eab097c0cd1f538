"""The mark observer of web pages."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import ClassVar
from weakref import WeakKeyDictionary

from playwright.async_api import Error as BrowserError
from playwright.async_api import Page

from harness.errors import ObservationError
from harness.protocols import OBSERVER_PROTOCOL, Marking
from harness.values.frame import Frame
from harness.values.geometry import FramePoint
from harness.values.mark import Mark
from observers.web_marks.frame_tree import UNREADABLE, FrameTree, why_unreadable
from observers.web_marks.listing import Source, list_items, number
from observers.web_marks.page_frame import Lens, PageFrame, to_child
from observers.web_marks.report import Spot

_KEPT_READINGS = 4  # a controller remembers the markings of its last few frames


class Reading:
    """The elements behind the marks of one observation."""

    def __init__(self, root: PageFrame, sources: tuple[Source, ...], frame: Frame) -> None:
        self.root = root
        self.sources = sources
        self.frame = frame

    async def dispose(self) -> None:
        """Let the browser forget the elements; a page that is gone has forgotten them already."""
        await asyncio.gather(*(page.store.dispose() for page in self.root.all()), return_exceptions=True)


class WebMarks:
    """Finds interactive elements on a Playwright page; changes nothing that the page can see.

    Element references are kept for the four newest observations of a page; older markings can't be found again.
    """

    PROTOCOL: ClassVar[int] = OBSERVER_PROTOCOL

    def __init__(self) -> None:
        self._readings: WeakKeyDictionary[Page, deque[Reading]] = WeakKeyDictionary()

    async def observe(self, device: object, frame: Frame, *, text_chars: int, deadline_s: float) -> Marking:
        """Return the marks of a page, and a notice for each page frame that could not be read.

        A page that does not answer within `deadline_s` gives no marks and a notice that says so.

        Raises:
            ObservationError: `device` is not a Playwright page.
        """
        page = _page(device)
        tree = FrameTree(text_chars=max(0, text_chars))
        try:
            async with asyncio.timeout(deadline_s):
                return await self._read(page, frame, tree)
        except UNREADABLE as problem:
            return Marking(marks=(), notices=(why_unreadable(problem),))

    async def _read(self, page: Page, frame: Frame, tree: FrameTree) -> Marking:
        root = await tree.read(page.main_frame, Lens.of(frame.transform))
        items = await list_items(root)
        marks, texts, sources = number(items, frame, text_chars=tree.text_chars)
        reading = Reading(root, tuple(sources), frame)
        await self._keep(page, reading)
        return Marking(marks=tuple(marks), texts=tuple(texts), notices=tuple(tree.notices), handle=reading)

    async def _keep(self, page: Page, reading: Reading) -> None:
        kept = self._readings.setdefault(page, deque())
        kept.append(reading)
        while len(kept) > _KEPT_READINGS:
            await kept.popleft().dispose()

    async def find(self, marking: Marking, mark: Mark, *, deadline_s: float) -> str | None:
        """Return None when the mark's element is connected, enabled and hit at its click point, else why not."""
        reading = marking.handle
        if not isinstance(reading, Reading) or not 1 <= mark.id <= len(reading.sources):
            return f"mark {mark.id} is not known here"
        source = reading.sources[mark.id - 1]
        try:
            async with asyncio.timeout(deadline_s):
                reason = await _why_lost(source, reading.frame, mark.click)
        except TimeoutError:
            return f"mark {mark.id} could not be checked: the page did not answer within {deadline_s:g} s"
        except BrowserError:
            return f"mark {mark.id} is gone"
        return f"mark {mark.id} {reason}" if reason else None


def _page(device: object) -> Page:
    if not isinstance(device, Page):
        raise ObservationError(f"web_marks sees Playwright pages, got {type(device).__name__}; use it with `web`")
    return device


async def _why_lost(source: Source, frame: Frame, click: FramePoint) -> str:
    point = frame.transform.to_device(click)
    spot: Spot = (point.x, point.y)
    for inner in source.page.chain()[1:]:
        assert inner.parent is not None
        assert inner.placement is not None
        now = await inner.parent.place(inner)
        if now is None or now.problem is not None:
            return "is gone with its page frame"
        if not (await inner.parent.reach(now.index, [spot]))[0]:
            return "is covered over its page frame"
        spot = to_child(now, spot)
    return await source.page.check(source.index, spot)
