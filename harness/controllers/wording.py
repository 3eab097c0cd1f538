"""The sentences that say what an action did, the same on every device."""

from __future__ import annotations

from typing import Final

from harness.controllers.aim import place_text
from harness.values.action import Click, Drag, Scroll, Target
from harness.values.mark import quote_page_text

SHOWN_CHARS: Final = 200
# Every way to end a line that a one-line field would take for Enter.
LINE_BREAKS: Final = frozenset("\n\r")
_CLICK_VERBS: Final = {1: "clicked", 2: "double-clicked", 3: "triple-clicked"}


def click_text(action: Click) -> str:
    """Return for example `double-clicked at 120,48 (mark 3) while holding Control`."""
    button = "" if action.button == "left" else f" with the {action.button} button"
    verb = _CLICK_VERBS.get(action.count, f"clicked {action.count} times")
    return f"{verb} at {place_text(action.target)}{button}{_held_text(action.keys)}"


def drag_text(action: Drag) -> str:
    """Return where a drag began and ended, and the keys that were held."""
    return f"dragged from {place_text(action.path[0])} to {place_text(action.path[-1])}{_held_text(action.keys)}"


def scroll_text(action: Scroll) -> str:
    """Return how far the wheel was turned, and where."""
    turns = []
    if action.dy:
        turns.append(f"{abs(action.dy)} {'down' if action.dy > 0 else 'up'}")
    if action.dx:
        turns.append(f"{abs(action.dx)} {'right' if action.dx > 0 else 'left'}")
    return f"turned the wheel {' and '.join(turns) or '0 clicks'} at {place_text(action.target)}"


def typed_text(wanted: str, typed: str, target: Target | None) -> str:
    """Return how much was typed, where, and what was left out on purpose; never the text itself."""
    count = f"{len(typed)} character{'' if len(typed) == 1 else 's'}"
    where = "" if target is None else f" at {place_text(target)}"
    left_out = "" if wanted == typed else " without the line breaks, which this one-line field can't hold"
    advice = "" if wanted == typed else " (press Enter to send it)"
    return f"typed {count}{where}{left_out}{advice}"


def without_line_breaks(text: str) -> str:
    """Return a text for a field of one line, where a line break would send its form."""
    return "".join(char for char in text if char not in LINE_BREAKS)


def held_value_text(value: str) -> str:
    """Return what a field holds, quoted; of a long one its length and end."""
    if len(value) <= SHOWN_CHARS:
        return f"the field now holds {quote_page_text(value)}"
    tail = quote_page_text(value[-SHOWN_CHARS:])
    return f"the field now holds {len(value)} characters, the last of them {tail}"


def _held_text(keys: tuple[str, ...]) -> str:
    return f" while holding {'+'.join(keys)}" if keys else ""
