"""The element that has the keyboard."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import Final

from harness.protocols import FocusedField
from harness.values.desktop import DesktopWindow
from observers.atspi import kinds, questions
from observers.atspi.accessible import Node, Ref
from observers.atspi.app_tree import AppTree
from observers.atspi.naming import flat
from observers.atspi.survey import Surveyor
from observers.atspi.tree import Popups, TreeReader
from observers.atspi.vocabulary import State
from observers.atspi.walk import Walk

MAX_VALUE_CHARS: Final = 8000
_BEFORE_CARET: Final = 6000  # of them, when a text is longer
_UNKNOWN: Final = FocusedField(kind="unknown")


class FocusReader:
    """Finds the focused element of one desktop, and remembers it: typing asks many times in a row."""

    def __init__(self, surveyor: Surveyor) -> None:
        self._surveyor = surveyor
        self._bus = surveyor.bus
        self._last: tuple[int, Node] | None = None

    async def read(self, windows: Sequence[DesktopWindow]) -> FocusedField:
        """Return the focused element of the active window.

        Raises:
            NoAccessibility: the connection is gone.
        """
        active = next((window for window in windows if window.is_active), None)
        if active is None:
            return _UNKNOWN
        node = await self._still_focused(active) or await self._find(active)
        if node is None:
            self._last = None
            return _UNKNOWN
        self._last = (active.id, node)
        return await self._describe(node)

    async def _still_focused(self, active: DesktopWindow) -> Node | None:
        if self._last is None or self._last[0] != active.id:
            return None
        node = self._last[1]
        states, role = await asyncio.gather(
            self._bus.ask_one(questions.states(node.ref)), self._bus.ask_one(questions.role(node.ref))
        )
        if states is None or role != node.role:
            return None
        now = Node(ref=node.ref, parent=node.parent, index=node.index, role=role, states=states)
        return now if _has_focus(now) and _holds_text(now) else None

    async def _find(self, active: DesktopWindow) -> Node | None:
        owners = await self._surveyor.owners((active,))
        trees = await asyncio.gather(*(self._brief_tree(root) for root, _ in owners))
        found = [node for tree in trees for node in _focused(tree, active)]
        return next((node for node in found if _holds_text(node)), found[-1] if found else None)

    async def _brief_tree(self, root: Ref) -> AppTree:
        popups: Popups = self._bus.loop.create_future()
        popups.set_result(())
        walk = Walk(bus=self._bus, root=root, reach=self._surveyor.reach, until=math.inf, is_brief=True)
        return await TreeReader(walk, popups).read()

    async def _describe(self, node: Node) -> FocusedField:
        if node.role in kinds.PASSWORDS:
            return FocusedField(kind="password", is_one_line=True)
        if node.role in kinds.TERMINALS:
            return FocusedField(kind="terminal")
        if node.role in kinds.CANVASES:
            return _UNKNOWN
        if not _holds_text(node):
            return FocusedField(kind="other")
        value = await self._value(node.ref)
        if value is None:
            return _UNKNOWN
        return FocusedField(kind="text", value=value, is_one_line=not node.has(State.MULTI_LINE))

    async def _value(self, ref: Ref) -> str | None:
        """Return a text; of one longer than 8,000 characters, what stands around the caret."""
        count = await self._bus.ask_one(questions.character_count(ref))
        if count is None:
            return None
        caret = (await self._bus.ask_one(questions.caret(ref)) or 0) if count > MAX_VALUE_CHARS else 0
        start = max(0, min(caret - _BEFORE_CARET, count - MAX_VALUE_CHARS))
        return await self._bus.ask_one(questions.text_between(ref, start, min(count, start + MAX_VALUE_CHARS)))


def _has_focus(node: Node) -> bool:
    return node.has(State.FOCUSED) and node.has(State.SHOWING)


def _holds_text(node: Node) -> bool:
    if node.role in kinds.PASSWORDS | kinds.TERMINALS:
        return True
    return node.role in kinds.TEXT_FIELDS | kinds.SPIN_BUTTONS and node.has(State.EDITABLE)


def _focused(tree: AppTree, window: DesktopWindow) -> list[Node]:
    """Return the focused nodes of a window, holders before what they hold: Qt says it of some holders, too."""
    tops = [node for node in tree.nodes.values() if node.parent == tree.root]
    wanted = _top_of(tops, window)
    found = [node for node in tree.nodes.values() if _has_focus(node)]
    ranked = [(len(line), node) for node in found if (line := _ancestry(tree, node))[-1] in wanted]
    return [node for _, node in sorted(ranked, key=lambda item: item[0])]


def _top_of(tops: Sequence[Node], window: DesktopWindow) -> set[Ref]:
    """Return the top levels that can be the active window: the active ones, else those with its title, else all."""
    titled = [top for top in tops if flat(top.name) == flat(window.title)]
    active = [top for top in tops if top.has(State.ACTIVE)]
    both = [top for top in active if top in titled]
    return {top.ref for top in both or active or titled or tops}


def _ancestry(tree: AppTree, node: Node) -> list[Ref]:
    """Return a node and its holders, the top level last."""
    line = [node.ref]
    while (parent := node.parent) is not None and parent != tree.root and parent in tree.nodes and parent not in line:
        line.append(parent)
        node = tree.nodes[parent]
    return line
