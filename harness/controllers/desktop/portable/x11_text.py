"""Typing through pyautogui on X11: by keys where those are known to give the character, else by a paste."""

from __future__ import annotations

from typing import Final

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.portable.driver import Driver
from harness.controllers.desktop.x11.connection import display_errors
from harness.controllers.desktop.x11.keymap import SHIFT, Keymap
from harness.controllers.desktop.x11.keysyms import char_symbol
from harness.controllers.desktop.x11.modifiers import Modifiers
from harness.controllers.desktop.x11.xkb import XkbKeyboard

_KEYS: Final = {"\n": "enter", "\t": "tab"}


class X11Typing:
    """Types characters whose key and Shift, as pyautogui presses them, mean just them in the layout in force."""

    def __init__(self, driver: Driver, xkb: XkbKeyboard, modifiers: Modifiers) -> None:
        self._driver = driver
        self._xkb = xkb
        self._modifiers = modifiers

    def refused(self, text: str) -> tuple[str, ...]:
        """Return the characters that pyautogui's keys don't give, each once."""
        with display_errors("looking for keys"):
            keymap, group = self._xkb.read(), self._xkb.state().group
        return tuple(character for character in dict.fromkeys(text) if not self._is_exact(character, keymap, group))

    def type(self, text: str, deadline: Deadline) -> None:
        """Type a text of which nothing is refused.

        Raises:
            CallFailed: the deadline came first (the text says how much was typed), or somebody holds a modifier.
        """
        with self._modifiers.neutral(deadline):
            for number, character in enumerate(text):
                if deadline.left_s == 0:
                    raise CallFailed(f"the deadline came first: {number} of {len(text)} characters were typed")
                name = _KEYS.get(character, character)
                self._driver.press_key(name)
                self._driver.release_key(name)

    def _is_exact(self, character: str, keymap: Keymap, group: int) -> bool:
        """Return whether what pyautogui presses for a character means it; locks are off while text is typed."""
        code = self._driver.x_key_code(character)
        if character in _KEYS or code == 0:
            return character in _KEYS
        modifiers = SHIFT if self._driver.is_shifted(character) else 0
        return keymap.symbol(code, group=group, modifiers=modifiers) == char_symbol(character)
