"""One page frame that was read, and the way between its viewport and the top one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from playwright.async_api import Frame as BrowserFrame
from playwright.async_api import JSHandle
from pydantic import TypeAdapter

from harness.values.geometry import Transform
from observers.web_marks.report import Box, PageReport, Placement, Spot

_SCRIPTS = ("tree.js", "kinds.js", "names.js", "collect.js")
_PLACEMENT = TypeAdapter[Placement | None](Placement | None)
NESTED_SPOTS = 9


def load_pass() -> str:
    """Return the JavaScript function that reads one page frame."""
    folder = files("observers.web_marks") / "page"
    body = "\n".join((folder / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    return f'(options) => {{\n"use strict";\n{body}\n}}'


_PASS = load_pass()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFrame:
    """A page frame with its elements' handle.

    Attributes:
        frame: The browser's frame.
        path: Indices from the main frame, for example `0/2`; empty for the main one.
        store: Handle to the elements and questions of the page's pass.
        report: What it showed.
        parent: The frame it stands in, or None.
        placement: Where it stood in the parent; None for the main frame.
        size: Its viewport in its own CSS pixels, as the page says.
        children: The nested frames that were read.
    """

    frame: BrowserFrame
    path: str
    store: JSHandle
    report: PageReport
    parent: PageFrame | None = None
    placement: Placement | None = None
    size: Spot = (0.0, 0.0)
    children: list[PageFrame] = field(default_factory=list)

    def chain(self) -> tuple[PageFrame, ...]:
        """Return the frames from the main one down to this one."""
        return (*(self.parent.chain() if self.parent else ()), self)

    def all(self) -> Iterator[PageFrame]:
        """Yield this frame and everything read inside it."""
        yield self
        for child in self.children:
            yield from child.all()

    def to_top(self, spot: Spot) -> Spot:
        """Return a point of this frame's viewport in the top viewport."""
        if self.parent is None or self.placement is None:
            return spot
        return self.parent.to_top(to_parent(self.placement, spot))

    async def check(self, index: int, spot: Spot) -> str:
        """Return why a click at `spot` no longer reaches mark `index` of this frame; empty while it does."""
        return str(await self.store.evaluate("(store, ask) => store.check(ask)", [index, *spot]))

    async def reach(self, index: int, spots: Sequence[Spot]) -> list[bool]:
        """Return for each point whether nested frame `index` is what is hit there."""
        found = await self.store.evaluate("(store, ask) => store.reach(ask)", [index, [list(spot) for spot in spots]])
        return [item is True for item in found]

    async def place(self, child: PageFrame) -> Placement | None:
        """Return where a nested frame stands now, or None when nothing of it shows."""
        assert child.placement is not None
        ask = [child.placement.index, *child.size]
        raw = await self.store.evaluate("(store, [index, ...size]) => store.place([store.frames[index], ...size])", ask)
        return _PLACEMENT.validate_python(raw)


def to_parent(placement: Placement, spot: Spot) -> Spot:
    """Return a child's point in its parent's viewport."""
    return (
        spot[0] * placement.scale[0] + placement.origin[0],
        spot[1] * placement.scale[1] + placement.origin[1],
    )


def to_child(placement: Placement, spot: Spot) -> Spot:
    """Return a parent's point in the child's viewport."""
    return (
        (spot[0] - placement.origin[0]) / placement.scale[0],
        (spot[1] - placement.origin[1]) / placement.scale[1],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """How a page frame's viewport maps to frame pixels: `pixel = css * scale + shift`, and what of it can show."""

    scale: Spot
    shift: Spot
    clip: Box | None = None

    @classmethod
    def of(cls, transform: Transform) -> Lens:
        """Return the lens of the main frame."""
        scale = (transform.scale_x, transform.scale_y)
        return cls(scale=scale, shift=(-transform.origin_x * scale[0], -transform.origin_y * scale[1]))

    def within(self, placement: Placement) -> Lens:
        """Return the lens of a nested frame."""
        left, top = to_child(placement, placement.clip[:2])
        right, bottom = to_child(placement, placement.clip[2:])
        return Lens(
            scale=(self.scale[0] * placement.scale[0], self.scale[1] * placement.scale[1]),
            shift=(
                self.shift[0] + placement.origin[0] * self.scale[0],
                self.shift[1] + placement.origin[1] * self.scale[1],
            ),
            clip=(left, top, right, bottom),
        )


async def read_store(frame: BrowserFrame, lens: Lens, *, text_chars: int, spots: int) -> tuple[JSHandle, PageReport]:
    """Run the pass in one page frame; return the elements' handle and the checked report."""
    options = {
        "pixels": [*lens.scale, *lens.shift],
        "clip": None if lens.clip is None else list(lens.clip),
        "textChars": text_chars,
        "spots": spots,
    }
    store = await frame.evaluate_handle(_PASS, options)
    return store, PageReport.model_validate_json(await store.evaluate("store => store.report"))


async def locate(parent: PageFrame, child: BrowserFrame) -> tuple[Placement | None, Spot]:
    """Return where a nested frame stands in its parent, and the size of its viewport."""
    element = await child.frame_element()
    width, height = await child.evaluate("[innerWidth, innerHeight]")
    raw = await parent.store.evaluate("(store, ask) => store.place(ask)", [element, width, height])
    await element.dispose()
    return _PLACEMENT.validate_python(raw), (float(width), float(height))
