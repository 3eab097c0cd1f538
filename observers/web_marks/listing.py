"""Numbers what was found in reading order and brings it into frame pixels."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from harness.values.frame import Frame
from harness.values.geometry import DevicePoint, FrameBox, FramePoint
from harness.values.mark import Mark, VisibleText
from observers.web_marks.frame_tree import open_spots
from observers.web_marks.page_frame import PageFrame
from observers.web_marks.report import NAME_CHARS, VALUE_CHARS, FoundMark, FoundText, Spot


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a mark came from: a page frame and the index among its elements."""

    page: PageFrame
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A mark or text of one page frame, in reading order over all of them."""

    page: PageFrame
    found: FoundMark | FoundText
    index: int = 0


async def list_items(page: PageFrame) -> list[Item]:
    """Return marks and texts of a page frame and everything inside it, in reading order."""
    nested = [inner for inner in page.all() if inner.parent is not None]
    reached = await asyncio.gather(*(open_spots(inner) for inner in nested))
    return list(_walk(page, {inner.path: spots for inner, spots in zip(nested, reached, strict=True)}))


def _walk(page: PageFrame, reached: dict[str, set[Spot]]) -> Iterator[Item]:
    """Yield what can be reached from the top; the main frame, not in `reached`, is open everywhere."""
    open_here = reached.get(page.path)
    marks = enumerate(page.report.marks)
    texts = iter(page.report.texts)
    children = {child.placement.index: child for child in page.children if child.placement is not None}
    frames = count()
    for letter in page.report.order:
        if letter == "m":
            index, mark = next(marks)
            spots = [spot for spot in mark.spots if open_here is None or spot in open_here]
            if spots:
                yield Item(page=page, found=mark.model_copy(update={"spots": spots}), index=index)
        elif letter == "t":
            text = next(texts)
            if text is not None and (open_here is None or text.at in open_here):
                yield Item(page=page, found=text)
        elif (child := children.get(next(frames))) is not None:
            yield from _walk(child, reached)


def number(items: list[Item], frame: Frame, *, text_chars: int) -> tuple[list[Mark], list[VisibleText], list[Source]]:
    """Return marks numbered from 1, the texts between them within `text_chars`, and each mark's source."""
    marks: list[Mark] = []
    texts: list[VisibleText] = []
    sources: list[Source] = []
    left = text_chars
    for item in items:
        if isinstance(item.found, FoundMark):
            mark = _mark(len(marks) + 1, item.page, item.found, frame)
            if mark is not None:
                marks.append(mark)
                sources.append(Source(page=item.page, index=item.index))
        elif left > 0:
            text = item.found.text[:left]
            left -= len(text)
            texts.append(VisibleText(text=text, after_mark=len(marks)))
    return marks, texts, sources


def _mark(mark_id: int, page: PageFrame, found: FoundMark, frame: Frame) -> Mark | None:
    click = next((point for spot in found.spots if frame.contains(point := _pixel(page, spot, frame))), None)
    if click is None:
        return None
    return Mark(
        id=mark_id,
        box=_box(page, found, frame, click),
        click=click,
        role=found.role,
        name=found.name[:NAME_CHARS],
        value=None if found.value is None else found.value[:VALUE_CHARS],
        states=found.words,
        frame_path=page.path,
    )


def _pixel(page: PageFrame, spot: Spot, frame: Frame) -> FramePoint:
    x, y = page.to_top(spot)
    return frame.transform.to_frame(DevicePoint(x=x, y=y))


def _box(page: PageFrame, found: FoundMark, frame: Frame, click: FramePoint) -> FrameBox:
    """Return the box in whole pixels inside the frame; it always holds the click point."""
    left, top = _scaled(page, found.box[:2], frame)
    right, bottom = _scaled(page, found.box[2:], frame)
    x = min(max(0, math.floor(left + 0.01)), click.x_px)
    y = min(max(0, math.floor(top + 0.01)), click.y_px)
    right_px = max(min(frame.width_px, math.ceil(right - 0.01)), click.x_px + 1)
    bottom_px = max(min(frame.height_px, math.ceil(bottom - 0.01)), click.y_px + 1)
    return FrameBox(x_px=x, y_px=y, width_px=right_px - x, height_px=bottom_px - y)


def _scaled(page: PageFrame, spot: Spot, frame: Frame) -> Spot:
    x, y = page.to_top(spot)
    transform = frame.transform
    return ((x - transform.origin_x) * transform.scale_x, (y - transform.origin_y) * transform.scale_y)
