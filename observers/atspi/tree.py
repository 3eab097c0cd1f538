"""Reads the tree of one application: from its cache where it has one, else node by node."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from harness.values.desktop import DeviceBox
from observers.atspi import kinds, questions
from observers.atspi.accessible import Node, Ref
from observers.atspi.app_tree import AppTree
from observers.atspi.cache import CachedTree, read_items
from observers.atspi.signatures import MalformedMessage
from observers.atspi.vocabulary import State
from observers.atspi.walk import MANY_CHILDREN, Walk

Popups = asyncio.Future[tuple[DeviceBox, ...]]


class TreeReader:
    """One reading of one application."""

    def __init__(self, walk: Walk, popups: Popups, *, has_silent_items: bool = False) -> None:
        """Prepare to read.

        Args:
            walk: A walk that has not begun.
            popups: The popups that are open on the desktop, once they are known; the cache is read in the meantime.
            has_silent_items: Whether the toolkit may not say of icons and of the items of open menus that they show,
                as GTK 2.
        """
        self._walk = walk
        self._popups = popups
        self._has_silent_items = has_silent_items

    async def read(self) -> AppTree:
        """Read the tree.

        Raises:
            NoAccessibility: the connection is gone.
        """
        walk = self._walk
        cached = await self._read_cache()
        if cached is not None:
            is_whole = walk.reach.is_whole
            walk.keep(node for node in cached.nodes if is_whole or node.has(State.SHOWING))
            await walk.measure(node for node in walk.nodes.values() if is_whole or kinds.is_measured(node))
        walk.has_popups = bool(await asyncio.shield(self._popups))
        if cached is None:
            await walk.walk(await walk.children((walk.root,)))
        else:
            await self._walk_on(node for node in walk.nodes.values() if _has_more(node, cached))
        if cached is not None and self._has_silent_items:
            await self._add_silent(cached)
        return AppTree(root=walk.root, nodes=walk.nodes, boxes=walk.boxes, is_complete=walk.is_complete)

    async def _read_cache(self) -> CachedTree | None:
        reply = await self._walk.bus.ask_one(questions.cached_items(self._walk.root.bus))
        if reply is None:
            return None
        try:
            cached = read_items(reply, with_hidden=self._walk.reach.is_whole or self._has_silent_items)
        except MalformedMessage:
            return None
        return cached if cached.nodes else None

    async def _walk_on(self, parents: Iterable[Node]) -> None:
        """Read what the cache leaves out: the rows of lists, and what toolkits forget to announce."""
        nodes = list(parents)
        long = [node.ref for node in nodes if not 0 <= node.child_count <= MANY_CHILDREN]
        short = [node.ref for node in nodes if 0 <= node.child_count <= MANY_CHILDREN]
        await self._walk.walk(await self._walk.children(short) + await self._walk.children_of_long(long))

    async def _add_silent(self, cached: CachedTree) -> None:
        """Add icons and items of open menus that do not say that they show: those that do have a place."""
        groups: dict[Ref | None, list[Node]] = defaultdict(list)
        for node in cached.nodes:
            if node.ref not in self._walk.nodes and node.has(State.VISIBLE) and self._may_be_silent(node):
                groups[node.parent].append(node)
        items = [node for parent, nodes in groups.items() for node in await self._in_sight(parent, nodes)]
        boxes = await self._walk.bus.ask([questions.extents(node.ref) for node in items])
        for node, box in zip(items, boxes, strict=True):
            if box is not None and not box.is_empty:
                self._walk.keep((replace(node, states=node.states | 1 << State.SHOWING),))
                self._walk.boxes[node.ref] = box

    def _may_be_silent(self, node: Node) -> bool:
        if node.role in kinds.ICONS:
            return node.parent in self._walk.nodes
        return self._walk.has_popups and node.role in kinds.MENU_ITEMS

    async def _in_sight(self, parent: Ref | None, nodes: list[Node]) -> list[Node]:
        """Return those of an object's children that can show, all when they are few."""
        box = None if parent is None else self._walk.boxes.get(parent)
        if parent is None or box is None or len(nodes) <= MANY_CHILDREN:
            return nodes
        children, is_all = await self._walk.long_list(parent, box, len(nodes)).showing()
        self._walk.is_complete &= is_all
        shown = {ref for _, ref in children}
        return [node for node in nodes if node.ref in shown]


def _has_more(node: Node, cached: CachedTree) -> bool:
    """Return whether a node that shows has children that the cache does not hold."""
    if not node.has(State.SHOWING) or node.role in kinds.APPLICATIONS:
        return False
    if node.child_count >= 0:
        return node.child_count != cached.count(node.ref)
    return node.has(State.MANAGES_DESCENDANTS)  # menus do not say it either, but theirs are there
