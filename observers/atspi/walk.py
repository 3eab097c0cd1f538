"""Reads a tree node by node, for what an application does not keep in its cache."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from observers.atspi import kinds, questions
from observers.atspi.accessible import Extents, Node, Ref
from observers.atspi.app_tree import Reach
from observers.atspi.bus import Bus
from observers.atspi.viewport import LongList
from observers.atspi.vocabulary import State

MANY_CHILDREN: Final = 64
_AT_ONCE: Final = 256  # objects that are asked before the clock is looked at
Found = tuple[Ref, int, Ref]  # parent, place among its children, object


@dataclass(slots=True, kw_only=True)
class Walk:
    """One walk through one application's tree, and what it has found so far.

    Attributes:
        reach: How much it reads at most.
        until: When it goes no deeper, as the event loop's time; what it has by then stays.
        is_brief: Whether it leaves out where things are and what they are called, top levels aside.
        has_popups: Whether a menu or another popup is open: without one, what opens popups is not looked into.
        nodes: What was read.
        boxes: Where nodes stand, in the toolkit's screen units.
        is_complete: Whether nothing that shows was left out.
    """

    bus: Bus
    root: Ref
    reach: Reach
    until: float
    is_brief: bool = False
    has_popups: bool = False
    nodes: dict[Ref, Node] = field(default_factory=dict)
    boxes: dict[Ref, Extents] = field(default_factory=dict)
    is_complete: bool = True

    def keep(self, nodes: Iterable[Node]) -> None:
        """Add nodes, as many as are read at most."""
        for node in nodes:
            if len(self.nodes) >= self.reach.nodes:
                self.is_complete = False
                return
            self.nodes[node.ref] = node

    async def measure(self, nodes: Iterable[Node]) -> None:
        """Ask nodes that show where they stand."""
        if self.is_brief:
            return
        asked = [node.ref for node in nodes if node.has(State.SHOWING) and node.has_place]
        for start in range(0, len(asked), _AT_ONCE):
            if self._is_over():
                return
            refs = asked[start : start + _AT_ONCE]
            boxes = await self.bus.ask([questions.extents(ref) for ref in refs])
            self.boxes.update((ref, box) for ref, box in zip(refs, boxes, strict=True) if box is not None)

    async def walk(self, found: list[Found]) -> None:
        """Read some objects and everything below them, level by level, with two waits a level."""
        while found and len(self.nodes) < self.reach.nodes and not self._is_over():
            now, found = found[:_AT_ONCE], found[_AT_ONCE:]
            nodes = await self._look(now)
            self.keep(nodes)
            kept = [node for node in nodes if node.ref in self.nodes]
            short = [node for node in kept if self._may_have_children(node)]
            long = [node for node in short if node.role in kinds.BULKY or node.has(State.MANAGES_DESCENDANTS)]
            *_, below = await asyncio.gather(
                self.measure(kept),
                self._name(kept),
                self.children([node.ref for node in short if node not in long]),
            )
            found += below + await self.children_of_long([node.ref for node in long])
        self.is_complete &= not found

    async def children(self, parents: Sequence[Ref]) -> list[Found]:
        """Return the children of objects that were not read yet."""
        answers = await self.bus.ask([questions.children(parent) for parent in parents])
        return self._new(
            (parent, pair) for parent, refs in zip(parents, answers, strict=True) for pair in enumerate(refs or ())
        )

    async def children_of_long(self, parents: Sequence[Ref]) -> list[Found]:
        """Return the children of objects that may have thousands; where they do, only those that show."""
        counts = await self.bus.ask([questions.child_count(parent) for parent in parents])
        counted = list(zip(parents, counts, strict=True))
        found = await self.children([parent for parent, count in counted if count is None or count <= MANY_CHILDREN])
        for parent, count in counted:
            box = self.boxes.get(parent)
            if count is None or count <= MANY_CHILDREN or box is None or box.is_empty:
                continue
            children, is_all = await self.long_list(parent, box, count).showing()
            self.is_complete &= is_all
            found += self._new((parent, pair) for pair in children)
        return found

    def long_list(self, parent: Ref, box: Extents, count: int) -> LongList:
        """Return an object with many children, to be asked for those that show."""
        return LongList(self.bus, parent, box=box, count=count, limit=self.reach.rows)

    def _is_over(self) -> bool:
        """Return whether there is no time left for more."""
        is_over = self.bus.loop.time() > self.until
        self.is_complete &= not is_over
        return is_over

    def _may_have_children(self, node: Node) -> bool:
        if self.reach.is_whole:
            return True
        if not node.has(State.SHOWING) or node.role in kinds.LEAVES:
            return False
        return self.has_popups or node.role not in kinds.POPUP_OWNERS

    def _new(self, found: Iterable[tuple[Ref, tuple[int, Ref]]]) -> list[Found]:
        """Return what has not been read yet; what was read without a parent that is here gets it."""
        new: list[Found] = []
        for parent, (index, ref) in found:
            known = self.nodes.get(ref)
            if known is None and ref.path != questions.NULL_PATH:
                new.append((parent, index, ref))
            elif known is not None and self._is_orphan(known):
                self.nodes[ref] = replace(known, parent=parent, index=index)
        return new

    def _is_orphan(self, node: Node) -> bool:
        return self.root not in {node.parent, node.ref} and node.parent not in self.nodes

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
        self.nodes.update((node.ref, replace(node, name=name)) for node, name in zip(asked, names, strict=True) if name)

    def _wants_name(self, node: Node) -> bool:
        if self.is_brief:
            return node.parent == self.root
        return self.reach.is_whole or node.role not in kinds.NAMELESS
