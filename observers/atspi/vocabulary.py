"""AT-SPI's numbers for roles and states."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

ROLE_NAMES: Final = (
    "invalid", "accelerator label", "alert", "animation", "arrow", "calendar", "canvas", "check box",
    "check menu item", "color chooser", "column header", "combo box", "date editor", "desktop icon", "desktop frame",
    "dial", "dialog", "directory pane", "drawing area", "file chooser", "filler", "focus traversable",
    "font chooser", "frame", "glass pane", "html container", "icon", "image", "internal frame", "label",
    "layered pane", "list", "list item", "menu", "menu bar", "menu item", "option pane", "page tab", "page tab list",
    "panel", "password text", "popup menu", "progress bar", "push button", "radio button", "radio menu item",
    "root pane", "row header", "scroll bar", "scroll pane", "separator", "slider", "spin button", "split pane",
    "status bar", "table", "table cell", "table column header", "table row header", "tear off menu item", "terminal",
    "text", "toggle button", "tool bar", "tool tip", "tree", "tree table", "unknown", "viewport", "window",
    "extended", "header", "footer", "paragraph", "ruler", "application", "autocomplete", "edit bar", "embedded",
    "entry", "chart", "caption", "document frame", "heading", "page", "section", "redundant object", "form", "link",
    "input method window", "table row", "tree item", "document spreadsheet", "document presentation",
    "document text", "document web", "document email", "comment", "list box", "grouping", "image map",
    "notification", "info bar", "level bar", "title bar", "block quote", "audio", "video", "definition", "article",
    "landmark", "log", "marquee", "math", "rating", "timer", "static", "math fraction", "math root", "subscript",
    "superscript", "description list", "description term", "description value", "footnote", "content deletion",
    "content insertion", "mark", "suggestion", "push button menu",
)  # fmt: skip
_NUMBERS: Final = {name: number for number, name in enumerate(ROLE_NAMES)}


def role_numbers(*names: str) -> frozenset[int]:
    """Return the numbers of roles."""
    return frozenset(_NUMBERS[name] for name in names)


def role_name(number: int) -> str:
    """Return AT-SPI's name of a role, or `role 200` for one that is not known here."""
    return ROLE_NAMES[number] if 0 <= number < len(ROLE_NAMES) else f"role {number}"


class State(IntEnum):
    """State bits; those that nothing here looks at are named for the recording."""

    INVALID = 0
    ACTIVE = 1
    ARMED = 2
    BUSY = 3
    CHECKED = 4
    COLLAPSED = 5
    DEFUNCT = 6
    EDITABLE = 7
    ENABLED = 8
    EXPANDABLE = 9
    EXPANDED = 10
    FOCUSABLE = 11
    FOCUSED = 12
    HAS_TOOLTIP = 13
    HORIZONTAL = 14
    ICONIFIED = 15
    MODAL = 16
    MULTI_LINE = 17
    MULTISELECTABLE = 18
    OPAQUE = 19
    PRESSED = 20
    RESIZABLE = 21
    SELECTABLE = 22
    SELECTED = 23
    SENSITIVE = 24
    SHOWING = 25
    SINGLE_LINE = 26
    STALE = 27
    TRANSIENT = 28
    VERTICAL = 29
    VISIBLE = 30
    MANAGES_DESCENDANTS = 31
    INDETERMINATE = 32
    REQUIRED = 33
    TRUNCATED = 34
    ANIMATED = 35
    INVALID_ENTRY = 36
    SUPPORTS_AUTOCOMPLETION = 37
    SELECTABLE_TEXT = 38
    IS_DEFAULT = 39
    VISITED = 40
    CHECKABLE = 41
    HAS_POPUP = 42
    READ_ONLY = 43


def state_words(states: int) -> tuple[str, ...]:
    """Return the names of the states that are set, in the order of their numbers."""
    return tuple(state.name.lower().replace("_", " ") for state in State if states >> state & 1)
