"""pyautogui's names of keys. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.controllers.desktop.portable.driver import Platform

_EVERYWHERE: Final = {
    "Control": "ctrl",
    "Shift": "shift",
    "Alt": "alt",
    "Meta": "win",
    "Enter": "enter",
    "Escape": "esc",
    "Backspace": "backspace",
    "Delete": "delete",
    "Insert": "insert",
    "Tab": "tab",
    "Space": "space",
    "Home": "home",
    "End": "end",
    "PageUp": "pageup",
    "PageDown": "pagedown",
    "ArrowLeft": "left",
    "ArrowRight": "right",
    "ArrowUp": "up",
    "ArrowDown": "down",
    "CapsLock": "capslock",
    "NumLock": "numlock",
    "ScrollLock": "scrolllock",
    "Pause": "pause",
    "PrintScreen": "printscreen",
    "ContextMenu": "apps",
    **{f"F{number}": f"f{number}" for number in range(1, 13)},
}
# On X11 the right Alt key of most layouts is no Alt, and pyautogui knows no other name for it.
_OWN: Final[Mapping[Platform, Mapping[str, str]]] = {
    "x11": {},
    "win32": {"AltGraph": "altright"},
    "darwin": {"Meta": "command", "Alt": "option", "AltGraph": "optionright"},
}


def key_names(platform: Platform) -> Mapping[str, str]:
    """Return canonical names with pyautogui's on a system; the keyboard may still lack the key."""
    return {**_EVERYWHERE, **_OWN[platform]}
