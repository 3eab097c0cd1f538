"""What a node is called: by itself, by a label, by what it contains or by what stands beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from observers.atspi import kinds
from observers.atspi.accessible import Extents, Node, Ref
from observers.atspi.details import VALUE_CHARS, Details
from observers.atspi.family import Family

NAME_CHARS: Final = 100
_LABEL_CHARS: Final = 40
_LABEL_WORDS: Final = 5
_LEFT_GAP: Final = 200  # toolkit units between a label and the field right of it
_ABOVE_GAP: Final = 25
_RIGHT_GAP: Final = 100
_TOUCH: Final = 2
_GATHERED: Final = 20  # texts inside an element that make its name


def flat(text: str) -> str:
    """Return text with white space collapsed."""
    return " ".join(text.split())


def cut(text: str, limit_chars: int) -> str:
    """Return at most `limit_chars` characters; a cut text ends in an ellipsis."""
    return text if len(text) <= limit_chars else f"{text[: limit_chars - 1].rstrip()}…"


class Naming:
    """Names the nodes of one tree, and remembers whose label became whose name.

    Attributes:
        spoken: Label to the mark that it names: its text is not listed again beside that mark.
    """

    def __init__(self, family: Family, details: Details) -> None:
        self._family = family
        self._details = details
        self.spoken: dict[Ref, Ref] = {}

    def name(self, node: Node) -> str:
        """Return what a mark is called, '' when nothing tells; at most 100 characters."""
        ways: tuple[Callable[[Node], str], ...] = (
            self._own,
            self._by_label,
            self._by_content,
            self._by_text,
            self._by_neighbour,
            self._by_description,
            self._by_field,
            self._by_row,
            self._by_holder,
        )
        return cut(next((name for way in ways if (name := flat(way(node)))), ""), NAME_CHARS)

    def text(self, node: Node) -> str:
        """Return what a static text says."""
        return flat(node.name or self._details.texts.get(node.ref, ""))

    def value(self, node: Node) -> str | None:
        """Return what a field holds, at most 200 characters, or None for what holds nothing; never a password."""
        if kinds.is_field(node) and node.role not in kinds.PASSWORDS:
            return cut(self._details.texts.get(node.ref, ""), VALUE_CHARS)
        if node.role in kinds.NUMBERS:
            number = self._details.numbers.get(node.ref)
            return None if number is None else f"{number:.6g}"
        if node.role in kinds.COMBO_BOXES:
            typed = (self.value(child) for child in self._family.children(node) if kinds.is_field(child))
            return next(typed, None) or cut(flat(node.name), VALUE_CHARS)
        return None

    def _own(self, node: Node) -> str:
        return "" if node.role in kinds.COMBO_BOXES else node.name

    def _by_label(self, node: Node) -> str:
        labels = [self._family.node(ref) for ref in self._details.labels.get(node.ref, ())]
        return self._speak(node, (label for label in labels if label is not None))

    def _by_content(self, node: Node) -> str:
        if node.role not in kinds.NAMED_BY_CONTENT:
            return ""
        inside = list(self._family.below(node))[:_GATHERED]
        texts = [inner for inner in inside if inner.role in kinds.STATIC_TEXTS | kinds.CELLS]
        return self._speak(node, texts) or self._speak(node, inside)

    def _speak(self, node: Node, labels: Iterable[Node]) -> str:
        """Return what labels say, and remember for whom they say it."""
        texts: list[str] = []
        for label in labels:
            said = flat(label.name)
            if not said or said in texts:
                continue
            texts.append(said)
            self.spoken[label.ref] = node.ref
        return " ".join(texts)

    def _by_text(self, node: Node) -> str:
        return self._details.texts.get(node.ref, "") if node.role in kinds.ICONS else ""

    def _by_neighbour(self, node: Node) -> str:
        """Return the label beside a field: toolkits know of it only when the application's author said so."""
        box = self._family.box(node)
        if node.role not in kinds.LABELLED or box is None:
            return ""
        holder = self._family.parent(node)
        for _ in range(2):
            if holder is None:
                return ""
            found = self._nearest(node, box, self._family.children(holder))
            if found is not None:
                return self._speak(node, (found,))
            holder = self._family.parent(holder)
        return ""

    def _nearest(self, node: Node, box: Extents, siblings: Iterable[Node]) -> Node | None:
        rated = [
            (distance, number, sibling)
            for number, sibling in enumerate(siblings)
            if sibling.role in kinds.STATIC_TEXTS
            and self.spoken.get(sibling.ref, node.ref) == node.ref
            and _reads_like_label(flat(sibling.name))
            and (place := self._family.box(sibling)) is not None
            and (distance := _label_distance(place, box, is_choice=node.role in kinds.CHOICES)) is not None
        ]
        return min(rated, key=lambda item: item[:2])[2] if rated else None

    def _by_description(self, node: Node) -> str:
        return node.description or self._details.descriptions.get(node.ref, "")

    def _by_field(self, node: Node) -> str:
        """Return what the field in a combo box that can be typed into says of itself."""
        fields = [child for child in self._family.children(node) if kinds.is_field(child)]
        return fields[0].name or self._by_description(fields[0]) if node.role in kinds.COMBO_BOXES and fields else ""

    def _by_row(self, node: Node) -> str:
        """Return the name of the row in which an unnamed box to check stands."""
        if node.role not in kinds.CELLS:
            return ""
        cell = node
        while (parent := self._family.parent(cell)) is not None and parent.role in kinds.CELLS:
            cell = parent
        named = (flat(other.name) or self._inside(other) for other in self._family.row(cell))
        return next((name for name in named if name), "")

    def _inside(self, node: Node) -> str:
        return next((flat(inner.name) for inner in self._family.below(node) if inner.name.strip()), "")

    def _by_holder(self, node: Node) -> str:
        """Return what the wrapper of a single element, or of a group of buttons, says, as in tool bars."""
        holder = self._family.parent(node)
        for _ in range(2):
            if holder is None:
                return ""
            if holder.role in kinds.COMBO_BOXES:
                return self.name(holder)
            if len(self._family.children(holder)) > 1 and not self._is_button_group(holder):
                return ""
            if said := holder.name or holder.description:
                return said
            holder = self._family.parent(holder)
        return ""

    def _is_button_group(self, holder: Node) -> bool:
        return all(child.role in kinds.BUTTONS for child in self._family.children(holder))


def _reads_like_label(text: str) -> bool:
    """Return whether it is a few words, not a sentence."""
    return 0 < len(text) <= _LABEL_CHARS and len(text.split()) <= _LABEL_WORDS and text[-1] not in ".!?"


def _label_distance(label: Extents, field: Extents, *, is_choice: bool) -> float | None:
    """Return how far a label is from the field it stands for, or None when it does not stand where a label would."""
    overlap = min(label.y + label.height, field.y + field.height) - max(label.y, field.y)
    if overlap > 0.4 * min(label.height, field.height):
        if is_choice:
            gap = label.x - (field.x + field.width)
            return gap if -_TOUCH <= gap < _RIGHT_GAP else None
        gap = field.x - (label.x + label.width)
        return gap if -_TOUCH <= gap < _LEFT_GAP else None
    gap = field.y - (label.y + label.height)
    is_above = -_TOUCH <= gap < _ABOVE_GAP and label.x < field.x + field.width and label.x + label.width > field.x - 8
    return _LEFT_GAP + gap if is_above and not is_choice else None
