"""Which nodes are marks, under which role and in which states."""

from __future__ import annotations

from collections.abc import Sequence

from observers.atspi import kinds
from observers.atspi.accessible import Node
from observers.atspi.details import Details
from observers.atspi.family import Family
from observers.atspi.vocabulary import State


class Roles:
    """Judges the nodes of one application's tree."""

    def __init__(self, family: Family, details: Details, *, acts_by_row: bool) -> None:
        self._family = family
        self._details = details
        self._acts_by_row = acts_by_row

    def mark_role(self, node: Node) -> str:
        """Return the common name of its role when it can be acted on, else ''."""
        if node.role in kinds.CELLS:
            return self._cell_role(node)
        if node.role in kinds.TEXT_FIELDS:
            return "textbox" if kinds.is_field(node) else ""
        if node.role in kinds.ICONS:
            return self._icon_role(node)
        if node.role in kinds.MENUS:
            return "menuitem" if self._is_menu_item(node) else ""
        if kinds.is_canvas(node):
            # A canvas inside is something, whatever is in it: what it holds is not looked at again from here.
            below = self._family.below(node)
            return "" if any(kinds.is_canvas(inner) or self.mark_role(inner) for inner in below) else "canvas"
        return kinds.MARK_ROLES.get(node.role, "")

    def _is_menu_item(self, node: Node) -> bool:
        """Return whether a menu is the entry that opens it, not the popup itself."""
        parent = self._family.parent(node)
        return parent is not None and parent.role not in kinds.POPUP_HOLDERS

    def _icon_role(self, node: Node) -> str:
        if node.has(State.SELECTABLE):
            return "icon"
        parent = self._family.parent(node)
        return "button" if parent is not None and parent.role in kinds.TEXT_FIELDS else ""

    def _cell_role(self, node: Node) -> str:
        parent = self._family.parent(node)
        if node.ref in self._details.toggles or node.has(State.CHECKABLE):
            return "checkbox"
        if parent is not None and parent.role in kinds.CELLS:
            return ""  # its container stands for it
        return "cell" if not self._acts_by_row or self._stands_for_row(node) else ""

    def _stands_for_row(self, node: Node) -> bool:
        """Return whether it is more than another text in a row that acts as a whole."""
        if not self._says(node):
            return False
        return (
            node.has(State.EDITABLE)
            or next((cell.ref for cell in self._family.row(node) if self._says(cell)), None) == node.ref
        )

    def _says(self, cell: Node) -> bool:
        return bool(cell.name.strip()) or any(inner.name.strip() for inner in self._family.below(cell))

    def is_row_text(self, node: Node) -> bool:
        """Return whether it is a cell beside the one that stands for its row."""
        parent = self._family.parent(node)
        is_outer = node.role in kinds.CELLS and parent is not None and parent.role not in kinds.CELLS
        return is_outer and not self.mark_role(node) and self._says(node)

    def is_text(self, node: Node) -> bool:
        """Return whether it shows text that is not already said by what it contains."""
        if not kinds.is_static_text(node):
            return False
        return not any(kinds.is_static_text(inner) and inner.name.strip() for inner in self._family.below(node))

    def is_on_tool_bar(self, node: Node) -> bool:
        """Return whether it is an item of a tool bar, at most three wrappers deep."""
        holder = self._family.parent(node)
        for _ in range(4):
            if holder is None or holder.role in kinds.TOOL_BARS:
                return holder is not None
            holder = self._family.parent(holder)
        return False

    def split_popups(self, node: Node) -> tuple[Sequence[Node], Sequence[Node]]:
        """Return the children that stand inside a node, and those that stand in a popup that it opened."""
        children = self._family.children(node)
        if node.role in kinds.MENUS:
            return (), children
        if node.role in kinds.COMBO_BOXES:
            here = [child for child in children if child.role not in kinds.POPUP_LISTS]
            return here, [child for child in children if child.role in kinds.POPUP_LISTS and self._family.box(child)]
        return children, ()

    def states(self, node: Node, role: str, *, is_active: bool) -> tuple[str, ...]:
        """Return its states as words, in a fixed order.

        Args:
            node: A mark.
            role: What `mark_role` said.
            is_active: Whether its window has the keyboard.
        """
        is_toggle = node.role in kinds.TOGGLES
        is_on = node.has(State.CHECKED)
        holds = (
            ("checked", is_on and not is_toggle),
            ("mixed", node.has(State.INDETERMINATE) and role in {"checkbox", "menuitemcheckbox"}),
            ("selected", self._is_selected(node, role)),
            ("pressed", is_toggle and (is_on or node.has(State.PRESSED))),
            ("focused", is_active and node.has(State.FOCUSED) and role != "tab"),
            ("expanded", node.has(State.EXPANDED)),
            ("collapsed", node.has(State.EXPANDABLE) and not node.has(State.EXPANDED)),
            ("readonly", role == "textbox" and not node.has(State.EDITABLE) and node.role not in kinds.PASSWORDS),
            ("required", node.has(State.REQUIRED)),
            ("password", node.role in kinds.PASSWORDS),
        )
        return tuple(word for word, is_so in holds if is_so)

    def _is_selected(self, node: Node, role: str) -> bool:
        if role == "tab":  # Qt says of the open tab that it has the focus, wherever the focus is
            return node.has(State.SELECTED) or node.has(State.FOCUSED)
        return role in _SELECTED_ROLES and node.has(State.SELECTED)


_SELECTED_ROLES = frozenset({"option", "cell", "treeitem", "icon"})
