"""Reads the tree of one application: from its cache where it has one, else node by node."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from harness.values.desktop import DeviceBox
from observers.atspi import kinds, questions
from observers.atspi.accessible import Extents, Node, Ref
from observers.atspi.bus import Bus
from observers.atspi.cache import CachedTree, read_items
from observers.atspi.signatures import MalformedMessage
from observers.atspi.viewport import LongList
from observers.atspi.vocabulary import State

MANY_CHILDREN: Final = 64
_AT_ONCE: Final = 256  # objects that are asked before the clock is looked at
Found = tuple[Ref, int, Ref]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How much of an application is read.

    Attributes:
        nodes: At most so many.
        rows: Of them at most so many of one long list.
        is_whole: Whether what is hidden is read, too.
    """

    nodes: int = 3000
    rows: int = 600
    is_whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AppTree:
    """An application's tree as it was read.

    Attributes:
        root: The application itself.
        nodes: What shows, or everything when it was read whole; every object but the root has its parent's ref.
        boxes: Where nodes stand on the screen, in the toolkit's units, for those that can have a place.
        is_complete: Whether nothing that shows was left out.
    """

    root: Ref
    nodes: Mapping[Ref, Node]
    boxes: Mapping[Ref, Extents]
    is_complete: bool = True


@dataclass(slots=True, kw_only=True)
class TreeReader:
    """One reading of one application.

    Attributes:
        reach: How much it reads at most.
        until: When it goes no deeper, as the event loop's time; what it has by then is returned.
        popups: The popups that are open on the desktop, once they are known: without any, nobody's are looked into.
        has_silent_menus: Whether the toolkit does not say of the items of an open menu that they show, as GTK 2.
        is_brief: Whether it leaves out where things are and what they are called, top levels aside.
    """

    bus: Bus
    root: Ref
    reach: Reach
    until: float
    popups: asyncio.Future[tuple[DeviceBox, ...]]
    has_silent_menus: bool = False
    is_brief: bool = False
    _nodes: dict[Ref, Node] = field(default_factory=dict)
    _boxes: dict[Ref, Extents] = field(default_factory=dict)
    _is_complete: bool = True
    _has_popups: bool = False

    async def read(self) -> AppTree:
        """Read the tree.

        Raises:
            NoAccessibility: the connection is gone.
        """
        cached = await self._read_cache()
        if cached is None:
            self._has_popups = bool(await asyncio.shield(self.popups))
            await self._walk(await self._children((self.root,)))
        else:
            self._keep(node for node in cached.nodes if self.reach.is_whole or node.has(State.SHOWING))
            await self._measure(node for node in self._nodes.values() if self.reach.is_whole or kinds.is_measured(node))
            self._has_popups = bool(await asyncio.shield(self.popups))
            await self._walk_on(node for node in self._nodes.values() if _has_more(node, cached))
            if self.has_silent_menus and self._has_popups:
                await self._open_menus(cached)
        return AppTree(root=self.root, nodes=self._nodes, boxes=self._boxes, is_complete=self._is_complete)

    async def _open_menus(self, cached: CachedTree) -> None:
        """Add the items of open menus where a toolkit does not say that they show: they have a place, others none."""
        items = [node for node in cached.nodes if node.role in kinds.MENU_ITEMS and node.ref not in self._nodes]
        boxes = await self.bus.ask([questions.extents(node.ref) for node in items])
        for node, box in zip(items, boxes, strict=True):
            if box is not None and not box.is_empty and node.has(State.VISIBLE):
                self._keep((replace(node, states=node.states | 1 << State.SHOWING),))
                self._boxes[node.ref] = box

    async def _walk_on(self, parents: Iterable[Node]) -> None:
        """Read what the cache leaves out: the rows of lists, and what toolkits forget to announce."""
        nodes = list(parents)
        long = [node.ref for node in nodes if not 0 <= node.child_count <= MANY_CHILDREN]
        short = [node.ref for node in nodes if 0 <= node.child_count <= MANY_CHILDREN]
        await self._walk(await self._children(short) + await self._children_of_long(long))

    async def _read_cache(self) -> CachedTree | None:
        reply = await self.bus.ask_one(questions.cached_items(self.root.bus))
        if reply is None:
            return None
        try:
            cached = read_items(reply, with_hidden=self.reach.is_whole or self.has_silent_menus)
        except MalformedMessage:
            return None
        return cached if cached.nodes else None

    def _keep(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            if len(self._nodes) >= self.reach.nodes:
                self._is_complete = False
                return
            self._nodes[node.ref] = node

    async def _measure(self, nodes: Iterable[Node]) -> None:
        if self.is_brief:
            return
        asked = [node.ref for node in nodes if node.has(State.SHOWING) and node.has_place]
        for start in range(0, len(asked), _AT_ONCE):
            if self._is_over():
                return
            refs = asked[start : start + _AT_ONCE]
            boxes = await self.bus.ask([questions.extents(ref) for ref in refs])
            self._boxes.update((ref, box) for ref, box in zip(refs, boxes, strict=True) if box is not None)

    def _is_over(self) -> bool:
        """Return whether there is no time left for more."""
        is_over = self.bus.loop.time() > self.until
        self._is_complete &= not is_over
        return is_over

    async def _walk(self, found: list[Found]) -> None:
        """Read some objects and everything below them, level by level, with two waits a level."""
        while found and len(self._nodes) < self.reach.nodes and not self._is_over():
            now, found = found[:_AT_ONCE], found[_AT_ONCE:]
            nodes = await self._look(now)
            self._keep(nodes)
            kept = [node for node in nodes if node.ref in self._nodes]
            short = [node for node in kept if self._may_have_children(node)]
            long = [node for node in short if node.role in kinds.BULKY or node.has(State.MANAGES_DESCENDANTS)]
            *_, below = await asyncio.gather(
                self._measure(kept),
                self._name(kept),
                self._children([node.ref for node in short if node not in long]),
            )
            found += below + await self._children_of_long([node.ref for node in long])
        self._is_complete &= not found

    def _may_have_children(self, node: Node) -> bool:
        if self.reach.is_whole:
            return True
        if not node.has(State.SHOWING) or node.role in kinds.LEAVES:
            return False
        return self._has_popups or node.role not in kinds.POPUP_OWNERS

    async def _children(self, parents: Sequence[Ref]) -> list[Found]:
        answers = await self.bus.ask([questions.children(parent) for parent in parents])
        return self._new(
            (parent, pair) for parent, refs in zip(parents, answers, strict=True) for pair in enumerate(refs or ())
        )

    def _new(self, found: Iterable[tuple[Ref, tuple[int, Ref]]]) -> list[Found]:
        """Return what has not been read yet; what was read without a parent that is here gets it."""
        new: list[Found] = []
        for parent, (index, ref) in found:
            known = self._nodes.get(ref)
            if known is None and ref.path != questions.NULL_PATH:
                new.append((parent, index, ref))
            elif known is not None and self._is_orphan(known):
                self._nodes[ref] = replace(known, parent=parent, index=index)
        return new

    def _is_orphan(self, node: Node) -> bool:
        return self.root not in {node.parent, node.ref} and node.parent not in self._nodes

    async def _children_of_long(self, parents: Sequence[Ref]) -> list[Found]:
        """Return the children of objects that may have thousands; where they do, only those that show."""
        counts = await self.bus.ask([questions.child_count(parent) for parent in parents])
        counted = list(zip(parents, counts, strict=True))
        found = await self._children([parent for parent, count in counted if count is None or count <= MANY_CHILDREN])
        for parent, count in counted:
            box = self._boxes.get(parent)
            if count is None or count <= MANY_CHILDREN or box is None or box.is_empty:
                continue
            children, is_all = await LongList(self.bus, parent, box=box, count=count, limit=self.reach.rows).showing()
            self._is_complete &= is_all
            found += self._new((parent, pair) for pair in children)
        return found

    async def _look(self, found: Sequence[Found]) -> list[Node]:
        """Return the nodes of some objects; what hides is left out unless the tree is read whole."""
        refs = [ref for _, _, ref in found]
        states, roles = await asyncio.gather(
            self.bus.ask([questions.states(ref) for ref in refs]), self.bus.ask([questions.role(ref) for ref in refs])
        )
        return [
            Node(ref=ref, parent=parent, index=index, role=role, states=bits)
            for (parent, index, ref), bits, role in zip(found, states, roles, strict=True)
            if bits is not None and role is not None and (self.reach.is_whole or bits >> State.SHOWING & 1)
        ]

    async def _name(self, nodes: Sequence[Node]) -> None:
        asked = [node for node in nodes if self._wants_name(node)]
        names = await self.bus.ask([questions.name(node.ref) for node in asked])
        self._nodes.update(
            (node.ref, replace(node, name=name)) for node, name in zip(asked, names, strict=True) if name
        )

    def _wants_name(self, node: Node) -> bool:
        if self.is_brief:
            return node.parent == self.root
        return self.reach.is_whole or node.role not in kinds.NAMELESS


def _has_more(node: Node, cached: CachedTree) -> bool:
    """Return whether a node that shows has children that the cache does not hold."""
    if not node.has(State.SHOWING) or node.role in kinds.APPLICATIONS:
        return False
    if node.child_count >= 0:
        return node.child_count != cached.count(node.ref)
    return node.has(State.MANAGES_DESCENDANTS)  # menus do not say it either, but theirs are there
