"""Keysyms of characters and of canonical key names. Pure."""

from __future__ import annotations

import unicodedata
from typing import Final

# Each name with the keysyms that do, best first. Numbers are those of X11's keysymdef.h.
MODIFIER_SYMBOLS: Final = {
    "Control": (0xFFE3, 0xFFE4),  # Control_L, Control_R
    "Alt": (0xFFE9, 0xFFEA),  # Alt_L, Alt_R
    "AltGraph": (0xFE03, 0xFF7E),  # ISO_Level3_Shift, Mode_switch
    "Shift": (0xFFE1, 0xFFE2),  # Shift_L, Shift_R
    "Meta": (0xFFEB, 0xFFEC, 0xFFE7, 0xFFE8),  # Super_L, Super_R, Meta_L, Meta_R
}
NAMED_SYMBOLS: Final = {
    "ArrowDown": 0xFF54,
    "ArrowLeft": 0xFF51,
    "ArrowRight": 0xFF53,
    "ArrowUp": 0xFF52,
    "Backspace": 0xFF08,
    "CapsLock": 0xFFE5,
    "ContextMenu": 0xFF67,
    "Delete": 0xFFFF,
    "End": 0xFF57,
    "Enter": 0xFF0D,
    "Escape": 0xFF1B,
    "Home": 0xFF50,
    "Insert": 0xFF63,
    "NumLock": 0xFF7F,
    "PageDown": 0xFF56,
    "PageUp": 0xFF55,
    "Pause": 0xFF13,
    "PrintScreen": 0xFF61,
    "ScrollLock": 0xFF14,
    "Space": 0x0020,
    "Tab": 0xFF09,
    **{f"F{number}": 0xFFBD + number for number in range(1, 13)},
}
_UNICODE: Final = 0x01000000
_KEYS: Final = {"\n": "Enter", "\t": "Tab"}


def char_symbol(char: str) -> int | None:
    """Return the keysym that types a character; Enter and Tab for a line feed and a tab; None when none does.

    None does: control characters, halves of surrogate pairs, and the 66 code points that are no characters.
    """
    if char in _KEYS:
        return NAMED_SYMBOLS[_KEYS[char]]
    code = ord(char)
    if unicodedata.category(char) in {"Cc", "Cs"} or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:
        return None
    return code if code <= 0xFF else _UNICODE | code


def key_symbols(key: str) -> tuple[int, ...]:
    """Return the keysyms that a canonical key name stands for, best first; none for an unknown name."""
    if key in MODIFIER_SYMBOLS:
        return MODIFIER_SYMBOLS[key]
    if key in NAMED_SYMBOLS:
        return (NAMED_SYMBOLS[key],)
    symbol = char_symbol(key) if len(key) == 1 and key not in _KEYS else None
    return () if symbol is None else (symbol,)


def shifted_symbol(key: str) -> int | None:
    """Return the keysym of a character's capital, or None when it has none that is one character."""
    capital = key.upper()
    return char_symbol(capital) if len(key) == len(capital) == 1 and capital != key else None


def known_names() -> str:
    """Return every canonical name in words, for an error text."""
    named = sorted(name for name in NAMED_SYMBOLS if not (name[0] == "F" and name[1:].isdigit()))
    return ", ".join(["a single character", *sorted(MODIFIER_SYMBOLS), *named, "F1", "F2-F12"])


def untypable(text: str) -> tuple[str, ...]:
    """Return the characters of a text that no key types, each once, in order."""
    return tuple(dict.fromkeys(char for char in text if char_symbol(char) is None))


def char_names(chars: tuple[str, ...], *, most: int = 5) -> str:
    """Return characters in words, for example `U+0007 (a control character)`, the first `most` of them."""
    named = [f"U+{ord(char):04X} ({_kind(char)})" for char in chars[:most]]
    if len(chars) > most:
        named.append(f"and {len(chars) - most} more")
    return ", ".join(named)


def _kind(char: str) -> str:
    match unicodedata.category(char):
        case "Cc":
            return "a control character"
        case "Cs":
            return "half of a surrogate pair"
        case "Cn":
            return "no character"
        case _:
            return unicodedata.name(char, "without a name").lower()
