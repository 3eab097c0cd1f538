"""Which children of a long list can be seen: a list may hold ten thousand rows and show twenty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from observers.atspi import questions
from observers.atspi.accessible import Extents, Ref
from observers.atspi.bus import Bus
from observers.atspi.vocabulary import role_numbers

_STEP: Final = 16  # how many children are looked at once
_HEADER_STEP: Final = 8
_COLUMNS: Final = 4
_ROWS: Final = 6
_CLIMB: Final = 3
_HEADERS: Final = role_numbers("table column header", "column header")


class LongList:
    """An object with `count` children, at `box` in its toolkit's screen units; `limit` of them are read at most."""

    def __init__(self, bus: Bus, ref: Ref, *, box: Extents, count: int, limit: int) -> None:
        self._bus = bus
        self._ref = ref
        self._box = box
        self._count = count
        self._limit = limit

    async def showing(self) -> tuple[list[tuple[int, Ref]], bool]:
        """Return the children that show with their places, headers too, and whether those are all that show."""
        found = dict(await self._headers())
        seen = await self._seeds()
        low, high = (min(seen), max(seen)) if seen else (0, min(self._count, _STEP) - 1)
        is_whole = bool(seen) and high - low < self._limit
        high = min(high, low + self._limit - 1)
        found |= await self._children(range(low, high + 1))
        if seen:
            found |= await self._beyond(low, -1, self._limit - len(found))
            found |= await self._beyond(high, 1, self._limit - len(found))
        return sorted(found.items()), is_whole

    async def _headers(self) -> list[tuple[int, Ref]]:
        """Return the column headers: they are the first children, wherever the list is scrolled to."""
        found: list[tuple[int, Ref]] = []
        for start in range(0, self._count, _HEADER_STEP):
            step = await self._children(range(start, min(self._count, start + _HEADER_STEP)))
            roles = await self._bus.ask([questions.role(ref) for ref in step.values()])
            headers = [item for item, role in zip(step.items(), roles, strict=True) if role in _HEADERS]
            found += headers
            if len(headers) < _HEADER_STEP or len(found) >= self._limit:
                break
        return found

    async def _seeds(self) -> set[int]:
        """Return the places of the children that a grid of points hits."""
        x, y, width, height = self._box
        points = [
            (x + (2 * column + 1) * width // (2 * _COLUMNS), y + (2 * row + 1) * height // (2 * _ROWS))
            for row in range(_ROWS)
            for column in range(_COLUMNS)
        ]
        hits = await self._bus.ask([questions.object_at(self._ref, *point) for point in points])
        refs = {hit for hit in hits if hit is not None and hit.path != questions.NULL_PATH and hit != self._ref}
        children = await self._climb(refs)
        places = await self._bus.ask([questions.index_in_parent(ref) for ref in children])
        return {place for place in places if place is not None and 0 <= place < self._count}

    async def _climb(self, refs: set[Ref]) -> list[Ref]:
        """Return the children of the list in which these objects are."""
        children: list[Ref] = []
        seen: set[Ref] = set()
        for _ in range(_CLIMB):
            todo = list(refs - seen)
            seen |= refs
            parents = await self._bus.ask([questions.parent(ref) for ref in todo])
            children += [ref for ref, parent in zip(todo, parents, strict=True) if parent == self._ref]
            refs = {parent for parent in parents if parent is not None and parent != self._ref}
        return children

    async def _beyond(self, edge: int, direction: int, room: int) -> dict[int, Ref]:
        """Return the children past `edge` that still show: the grid may have missed some."""
        found: dict[int, Ref] = {}
        while len(found) < room:
            start = edge + direction
            step = [place for place in range(start, start + direction * _STEP, direction) if 0 <= place < self._count]
            children = await self._children(step)
            showing = await self._in_view(children)
            if not showing:
                break
            found |= showing
            edge = step[-1]
        return found

    async def _in_view(self, children: dict[int, Ref]) -> dict[int, Ref]:
        boxes = await self._bus.ask([questions.extents(ref) for ref in children.values()])
        return {
            place: ref
            for (place, ref), box in zip(children.items(), boxes, strict=True)
            if box is not None and not box.is_empty and _meet(box, self._box)
        }

    async def _children(self, places: Sequence[int]) -> dict[int, Ref]:
        refs = await self._bus.ask([questions.child_at(self._ref, place) for place in places])
        return {
            place: ref
            for place, ref in zip(places, refs, strict=True)
            if ref is not None and ref.path != questions.NULL_PATH
        }


def _meet(one: Extents, other: Extents) -> bool:
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )
