"""Reads every application that owns a window, all at once, and waits for none of them too long."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from harness.values.desktop import DesktopWindow
from observers.atspi import kinds, questions
from observers.atspi.accessible import Extents, Node, Ref
from observers.atspi.app_tree import AppTree, Reach
from observers.atspi.applications import Application, Roster
from observers.atspi.bus import Bus
from observers.atspi.details import Details, read_details
from observers.atspi.placement import TopLevel
from observers.atspi.tree import Popups, TreeReader
from observers.atspi.vocabulary import State
from observers.atspi.walk import Walk

_WALK_SHARE: Final = 0.6  # of an application's time; what it has told by then is better than nothing
_LATE_SHARE: Final = 0.2  # of the time of others, for one that did not answer the last time


@dataclass(frozen=True, slots=True, kw_only=True)
class AppReading:
    """One application as it was read."""

    application: Application
    tree: AppTree
    details: Details
    tops: tuple[TopLevel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What the applications said.

    Attributes:
        readings: Those that answered.
        late: Processes of those that did not, in time.
    """

    readings: tuple[AppReading, ...] = ()
    late: frozenset[int | None] = frozenset()


class Surveyor:
    """Reads the applications of one accessibility bus."""

    def __init__(self, bus: Bus, reach: Reach) -> None:
        self.bus = bus
        self.reach = reach
        self._roster = Roster(bus)
        self._late: set[Ref] = set()

    async def survey(self, windows: Sequence[DesktopWindow], *, popups: Popups, limit_s: float) -> Survey:
        """Read the applications of some windows; each gets at most `limit_s` seconds, less if it was late before.

        Args:
            windows: Every window.
            popups: What stands in front of them, once that is known; applications are asked in the meantime.
            limit_s: For each application.

        Raises:
            NoAccessibility: the connection is gone.
        """
        owners = await self.owners(windows)
        read = await asyncio.gather(
            *(self._read_in_time(root, process_id, popups, limit_s) for root, process_id in owners)
        )
        late = frozenset(process_id for (_, process_id), reading in zip(owners, read, strict=True) if reading is None)
        return Survey(readings=tuple(reading for reading in read if reading is not None), late=late)

    async def owners(self, windows: Iterable[DesktopWindow]) -> tuple[tuple[Ref, int | None], ...]:
        """Return the roots and processes of the applications that may own some windows.

        Raises:
            NoAccessibility: the connection is gone.
        """
        return await self._roster.owners(windows)

    async def _read_in_time(
        self, root: Ref, process_id: int | None, popups: Popups, limit_s: float
    ) -> AppReading | None:
        if root in self._late:
            limit_s *= _LATE_SHARE
        try:
            async with asyncio.timeout(limit_s):
                until = self.bus.loop.time() + limit_s * _WALK_SHARE
                reading = await self._read(root, process_id, popups, until)
        except TimeoutError:
            self._late.add(root)
            return None
        self._late.discard(root)
        return reading

    async def _read(self, root: Ref, process_id: int | None, popups: Popups, until: float) -> AppReading:
        application = await self._roster.application(root, process_id)
        walk = Walk(bus=self.bus, root=root, reach=self.reach, until=until)
        tree = await TreeReader(walk, popups, has_silent_items=application.is_gtk2).read()
        details, tops = await asyncio.gather(
            read_details(self.bus, tree, is_gtk=application.is_gtk), read_tops(self.bus, tree, application)
        )
        return AppReading(application=application, tree=tree, details=details, tops=tops)


async def read_tops(bus: Bus, tree: AppTree, application: Application) -> tuple[TopLevel, ...]:
    """Return the windows and popups of a tree that show.

    Raises:
        NoAccessibility: the connection is gone.
    """
    nodes = [node for node in tree.nodes.values() if _is_top(node, tree)]
    tops = await asyncio.gather(*(ask_top(bus, node, application, box=tree.boxes[node.ref]) for node in nodes))
    return tuple(top for top in tops if top is not None)


async def ask_top(bus: Bus, node: Node, application: Application, *, box: Extents | None = None) -> TopLevel | None:
    """Return a window or popup as its application describes it, or None when it is gone.

    GTK counts the frame into a window's box, but not into places inside the window. Qt 5 gets those wrong.

    Raises:
        NoAccessibility: the connection is gone.
    """
    if not application.is_gtk:
        box = box or await bus.ask_one(questions.extents(node.ref))
        return None if box is None else TopLevel(node=node, box=box, corner=box[:2])
    asked = [questions.extents_in_window(node.ref)]
    if box is None:
        asked.append(questions.extents(node.ref))
    inside, *outside = await bus.ask(asked)
    box = box or (outside[0] if outside else None)
    if inside is None or box is None:
        return None
    return TopLevel(node=node, box=box, corner=(box.x - inside.x, box.y - inside.y))


def _is_top(node: Node, tree: AppTree) -> bool:
    is_window = node.parent == tree.root and node.role in kinds.TOP_LEVELS and node.has(State.SHOWING)
    return is_window and node.ref in tree.boxes
