"""A tree as its nodes relate: who contains whom, which label stands beside which field, what a row is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from observers.atspi import kinds
from observers.atspi.accessible import Extents, Node, Ref
from observers.atspi.app_tree import AppTree

_MAX_DEPTH = 1000
_NO_NODES: Sequence[Node] = ()


class Family:
    """Looks up relatives in a tree."""

    def __init__(self, tree: AppTree) -> None:
        self._tree = tree
        self._children: dict[Ref, list[Node]] = defaultdict(list)
        self._rows: dict[Ref, dict[int, list[Node]]] = {}
        for node in tree.nodes.values():
            if node.parent is not None:
                self._children[node.parent].append(node)
        for children in self._children.values():
            children.sort(key=lambda node: node.index)

    def node(self, ref: Ref | None) -> Node | None:
        """Return a node that was read, or None."""
        return None if ref is None else self._tree.nodes.get(ref)

    def box(self, node: Node) -> Extents | None:
        """Return where a node stands, or None when it has no place."""
        box = self._tree.boxes.get(node.ref)
        return None if box is None or box.is_empty else box

    def parent(self, node: Node) -> Node | None:
        """Return its parent, or None for a top level."""
        return self.node(node.parent)

    def top(self, node: Node) -> Node:
        """Return the window or popup that a node is in."""
        for _ in range(_MAX_DEPTH):
            parent = self.parent(node)
            if parent is None:
                break
            node = parent
        return node

    def children(self, node: Node) -> Sequence[Node]:
        """Return its children, in the application's order."""
        return self._children.get(node.ref, _NO_NODES)

    def all(self) -> Iterable[Node]:
        """Return every node."""
        return self._tree.nodes.values()

    def below(self, node: Node, *, depth: int = 8) -> Iterator[Node]:
        """Yield everything inside a node down to `depth` levels, parents before their children."""
        for child in self.children(node):
            yield child
            if depth > 1:
                yield from self.below(child, depth=depth - 1)

    def row(self, cell: Node) -> list[Node]:
        """Return the cells that stand in one line with a cell, itself too, from left to right."""
        box, parent = self.box(cell), self.parent(cell)
        if box is None or parent is None:
            return [cell]
        return sorted(self._lines(parent).get(box.y, [cell]), key=self._left)

    def _lines(self, table: Node) -> dict[int, list[Node]]:
        known = self._rows.get(table.ref)
        if known is None:
            known = self._rows[table.ref] = defaultdict(list)
            for child in self.children(table):
                box = self.box(child)
                if child.role in kinds.CELLS and box is not None:
                    known[box.y].append(child)
        return known

    def _left(self, node: Node) -> int:
        box = self.box(node)
        return 0 if box is None else box.x
