"""Which roles matter for what, and what they are called in a list of marks."""

from __future__ import annotations

from typing import Final

from observers.atspi.accessible import Node
from observers.atspi.vocabulary import ROLE_NAMES, State, role_numbers

_COMMON_NAMES: Final = {
    "push button": "button",
    "toggle button": "button",
    "push button menu": "button",
    "check box": "checkbox",
    "radio button": "radio",
    "combo box": "combobox",
    "text": "textbox",
    "entry": "textbox",
    "edit bar": "textbox",
    "autocomplete": "textbox",
    "date editor": "textbox",
    "password text": "textbox",
    "spin button": "spinbutton",
    "slider": "slider",
    "dial": "slider",
    "menu": "menuitem",
    "menu item": "menuitem",
    "check menu item": "menuitemcheckbox",
    "radio menu item": "menuitemradio",
    "list item": "option",
    "table cell": "cell",
    "tree item": "treeitem",
    "page tab": "tab",
    "link": "link",
    "icon": "icon",
    "desktop icon": "icon",
    "table column header": "columnheader",
    "column header": "columnheader",
    "terminal": "terminal",
}
MARK_ROLES: Final = {number: _COMMON_NAMES[name] for number, name in enumerate(ROLE_NAMES) if name in _COMMON_NAMES}

TOP_LEVELS: Final = role_numbers(
    "frame", "dialog", "window", "alert", "file chooser", "color chooser", "font chooser", "notification",
    "popup menu", "menu", "tool tip",
)  # fmt: skip
POPUPS: Final = role_numbers("window", "popup menu", "menu", "tool tip")  # as top levels
POPUP_HOLDERS: Final = role_numbers("window", "popup menu", "combo box", "application")  # of whole menus
TEXT_FIELDS: Final = role_numbers("text", "entry", "edit bar", "autocomplete", "date editor")
PASSWORDS: Final = role_numbers("password text")
NUMBERS: Final = role_numbers("spin button", "slider", "dial")
SPIN_BUTTONS: Final = role_numbers("spin button")
CHOICES: Final = role_numbers("check box", "radio button")
COMBO_BOXES: Final = role_numbers("combo box")
CELLS: Final = role_numbers("table cell")
HEADERS: Final = role_numbers("table column header", "column header")
ICONS: Final = role_numbers("icon", "desktop icon")
TERMINALS: Final = role_numbers("terminal")
TOGGLES: Final = role_numbers("toggle button")
BUTTONS: Final = role_numbers("push button", "toggle button")
# Their names are drawn, so they can be read even when they are disabled.
LETTERED: Final = BUTTONS | CHOICES | role_numbers(
    "menu", "menu item", "check menu item", "radio menu item", "page tab", "list item", "tree item", "link",
    "table column header", "column header",
)  # fmt: skip
TOOL_BARS: Final = role_numbers("tool bar")
MENU_ITEMS: Final = role_numbers("menu", "menu item", "check menu item", "radio menu item", "tear off menu item")
MENUS: Final = role_numbers("menu", "popup menu")
POPUP_LISTS: Final = role_numbers("menu", "popup menu", "list", "list box", "table", "tree", "tree table", "window")
STATIC_TEXTS: Final = role_numbers(
    "label", "static", "paragraph", "heading", "caption", "tool tip", "info bar", "footer", "header", "section",
    "status bar", "title bar", "description term", "description value", "comment", "notification",
)  # fmt: skip
APPLICATIONS: Final = role_numbers("application")

# A field or a choice takes its name from a label beside it, when it has none of its own.
LABELLED: Final = TEXT_FIELDS | PASSWORDS | NUMBERS | COMBO_BOXES | CHOICES
# The name of these is what they contain.
NAMED_BY_CONTENT: Final = role_numbers(
    "list item", "table cell", "tree item", "icon", "push button", "toggle button", "check box", "radio button",
    "menu item", "check menu item", "radio menu item", "link", "table column header", "column header",
)  # fmt: skip
# What sticks out of these can't be seen.
CLIPPING: Final = TOP_LEVELS | role_numbers(
    "scroll pane", "viewport", "layered pane", "table", "tree", "tree table", "list", "list box", "internal frame",
    "document frame", "html container",
)  # fmt: skip
# Programs draw on these themselves; what they draw is not in the tree.
CANVASES: Final = role_numbers("canvas", "drawing area", "panel", "filler", "unknown")
VEILS: Final = role_numbers("panel", "filler")
MEASURED: Final = frozenset(MARK_ROLES) | STATIC_TEXTS | CLIPPING
# Names of these would say nothing, so nobody is asked for them.
NAMELESS: Final = role_numbers(
    "filler", "panel", "scroll pane", "viewport", "separator", "split pane", "layered pane", "scroll bar",
    "menu bar", "tool bar", "page tab list", "root pane", "glass pane", "application",
)  # fmt: skip
# These contain nothing, or nothing that matters.
LEAVES: Final = role_numbers(
    "label", "check box", "radio button", "toggle button", "separator", "scroll bar", "slider", "progress bar",
    "check menu item", "radio menu item", "tear off menu item", "password text", "image",
)  # fmt: skip
# What these contain stands in a popup.
POPUP_OWNERS: Final = role_numbers("push button", "menu", "menu item")
# These can have thousands of children, of which only some show.
BULKY: Final = role_numbers("table", "tree", "tree table", "list", "list box", "layered pane", "panel")


def is_measured(node: Node) -> bool:
    """Return whether it matters where it stands."""
    return node.role in MEASURED or is_canvas(node) or is_veil(node)


def is_veil(node: Node) -> bool:
    """Return whether it stands in front of the rest of its window and takes every click, as GTK's popovers do."""
    return node.role in VEILS and node.has(State.MODAL)


def is_canvas(node: Node) -> bool:
    """Return whether it takes the keyboard though its role says nothing of what it is."""
    return node.role in CANVASES and node.has(State.FOCUSABLE)


def is_field(node: Node) -> bool:
    """Return whether text can be typed into it, or selected in it as in a field."""
    if node.role in PASSWORDS:
        return True
    if node.role not in TEXT_FIELDS:
        return False
    return node.has(State.EDITABLE) or (node.has(State.SINGLE_LINE) and node.has(State.FOCUSABLE))


def is_usable(node: Node) -> bool:
    """Return whether it answers to clicks."""
    return node.has(State.SENSITIVE) or node.has(State.ENABLED)


def is_static_text(node: Node) -> bool:
    """Return whether it shows text that can only be read."""
    return node.role in STATIC_TEXTS or (node.role in TEXT_FIELDS and not is_field(node))
