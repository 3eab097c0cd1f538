"""What some nodes have to be asked for: what fields hold, who labels them, what unnamed things say."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from observers.atspi import kinds, questions
from observers.atspi.accessible import Node, Ref
from observers.atspi.app_tree import AppTree
from observers.atspi.bus import Bus
from observers.atspi.questions import Question

T = TypeVar("T")

VALUE_CHARS: Final = 200
_TEXT_CHARS: Final = 2000  # of one area that can only be read


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What was asked for on top of a tree.

    Attributes:
        texts: The first characters that fields, read-only areas and unnamed icons hold; never a password's.
        numbers: What sliders and spin buttons stand at.
        labels: The objects that label a field.
        descriptions: Descriptions of unnamed things that did not come with the tree.
        toggles: Cells that a click checks or unchecks.
    """

    texts: Mapping[Ref, str] = field(default_factory=dict)
    numbers: Mapping[Ref, float] = field(default_factory=dict)
    labels: Mapping[Ref, tuple[Ref, ...]] = field(default_factory=dict)
    descriptions: Mapping[Ref, str] = field(default_factory=dict)
    toggles: frozenset[Ref] = frozenset()


async def read_details(bus: Bus, tree: AppTree, *, is_gtk: bool) -> Details:
    """Ask what the nodes of a tree that can be seen hold; GTK's cells are asked for what a click does to them.

    Raises:
        NoAccessibility: the connection is gone.
    """
    seen = [node for node in tree.nodes.values() if (box := tree.boxes.get(node.ref)) and not box.is_empty]
    inner = {node.parent for node in tree.nodes.values() if node.role in kinds.CELLS}
    unnamed = [node for node in seen if not node.name.strip()]
    plain_cells = [node for node in unnamed if is_gtk and node.role in kinds.CELLS and node.ref not in inner]
    texts, numbers, labels, descriptions, actions = await asyncio.gather(
        _read_texts(bus, [node.ref for node in filter(_holds_text, seen)], knows_ends=is_gtk),
        _ask(bus, (node for node in seen if node.role in kinds.NUMBERS), questions.current_value),
        _ask(bus, filter(_wants_label, seen), questions.labels),
        _ask(bus, filter(_wants_description, unnamed), questions.description),
        _ask(bus, plain_cells, questions.action_names),
    )
    toggles = frozenset(ref for ref, names in actions.items() if "toggle" in {name.lower() for name in names})
    return Details(texts=texts, numbers=numbers, labels=labels, descriptions=descriptions, toggles=toggles)


async def _read_texts(bus: Bus, refs: Sequence[Ref], *, knows_ends: bool) -> dict[Ref, str]:
    """Return the first characters of what some objects hold; without those that hold no text.

    Qt gives nothing at all when it is asked for more than there is: lengths are asked first unless a toolkit knows
    where its texts end.
    """
    ends: dict[Ref, int] = dict.fromkeys(refs, _TEXT_CHARS)
    if not knows_ends:
        counts = await bus.ask([questions.character_count(ref) for ref in refs])
        ends = {ref: min(count, _TEXT_CHARS) for ref, count in zip(refs, counts, strict=True) if count is not None}
    texts = await bus.ask([questions.text_between(ref, 0, end) for ref, end in ends.items()])
    return {ref: text for ref, text in zip(ends, texts, strict=True) if text is not None}


async def _ask(bus: Bus, nodes: Iterable[Node], question: Callable[[Ref], Question[T]]) -> dict[Ref, T]:
    refs = [node.ref for node in nodes]
    answers = await bus.ask([question(ref) for ref in refs])
    return {ref: answer for ref, answer in zip(refs, answers, strict=True) if answer is not None}


def _holds_text(node: Node) -> bool:
    if not node.has_text:
        return False
    if node.role in kinds.TEXT_FIELDS:
        return True
    return not node.name.strip() and node.role in kinds.ICONS | kinds.STATIC_TEXTS


def _wants_label(node: Node) -> bool:
    return node.role in kinds.LABELLED and (node.role in kinds.COMBO_BOXES or not node.name.strip())


def _wants_description(node: Node) -> bool:
    return node.role in kinds.MARK_ROLES and not node.description and node.role not in kinds.CELLS
