"""Reads every reachable page frame, and keeps only what can be reached from the top."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from playwright.async_api import Error as BrowserError
from playwright.async_api import Frame as BrowserFrame
from pydantic import ValidationError

from harness.values.mark import quote_page_text
from observers.web_marks.page_frame import NESTED_SPOTS, Lens, PageFrame, locate, read_store, to_parent
from observers.web_marks.report import Spot

UNREADABLE = (BrowserError, TimeoutError, ValidationError)


@dataclass(slots=True, kw_only=True)
class FrameTree:
    """One reading of a page: the frames that were read and what could not be seen."""

    text_chars: int
    notices: list[str] = field(default_factory=list)

    async def read(self, main: BrowserFrame, lens: Lens) -> PageFrame:
        """Read the main frame and everything inside it; only the main frame's failure is raised."""
        store, report = await read_store(main, lens, text_chars=self.text_chars, spots=1)
        root = PageFrame(frame=main, path="", store=store, report=report)
        await self._read_children(root, lens)
        return root

    async def _read_children(self, parent: PageFrame, lens: Lens) -> None:
        found = await asyncio.gather(
            *(self._read_child(parent, index, child, lens) for index, child in enumerate(parent.frame.child_frames))
        )
        parent.children.extend(child for child in found if child is not None)

    async def _read_child(self, parent: PageFrame, index: int, child: BrowserFrame, lens: Lens) -> PageFrame | None:
        path = f"{parent.path}/{index}".lstrip("/")
        try:
            placement, size = await locate(parent, child)
            if placement is None:
                return None
            if placement.problem is not None:
                self.notices.append(f"page frame {path} {placement.problem}: its elements are not marked")
                return None
            inner = lens.within(placement)
            store, report = await read_store(child, inner, text_chars=self.text_chars, spots=NESTED_SPOTS)
        except UNREADABLE as problem:
            self.notices.append(f"page frame {path} {quote_page_text(child.url[:80])} {_reason(problem)}")
            return None
        nested = PageFrame(
            frame=child, path=path, store=store, report=report, parent=parent, placement=placement, size=size
        )
        await self._read_children(nested, inner)
        return nested


def _reason(problem: Exception) -> str:
    if isinstance(problem, TimeoutError):
        return "did not answer in time: its elements are not marked"
    if isinstance(problem, ValidationError):
        return "answered something else than was asked: its elements are not marked"
    return "could not be read: its elements are not marked"


def why_unreadable(problem: Exception) -> str:
    """Return a sentence about the main frame."""
    return f"the page {_reason(problem)}"


async def open_spots(nested: PageFrame) -> set[Spot]:
    """Return the points of a nested frame's report that no ancestor frame covers."""
    spots = [spot for mark in nested.report.marks for spot in mark.spots]
    spots += [text.at for text in nested.report.texts if text is not None]
    alive = {spot: spot for spot in spots}
    for inner in reversed(nested.chain()[1:]):
        assert inner.parent is not None
        assert inner.placement is not None
        outer = {spot: to_parent(inner.placement, at) for spot, at in alive.items()}
        hits = await inner.parent.reach(inner.placement.index, list(outer.values()))
        alive = {spot: at for (spot, at), is_hit in zip(outer.items(), hits, strict=True) if is_hit}
    return set(alive)
