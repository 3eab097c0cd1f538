"""The keyboard through pyautogui, which presses nothing and says nothing for names that it doesn't know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.portable.driver import Driver
from harness.controllers.desktop.portable.key_names import key_names
from harness.controllers.desktop.x11.keysyms import char_names, untypable

# Above, a paste is faster where one is allowed.
LONG_TEXT_CHARS: Final = 200


class TextTyping(Protocol):
    """A way of typing text exactly, whose line breaks are line feeds."""

    def refused(self, text: str) -> tuple[str, ...]:
        """Return the characters that it can't type as the keyboard is now, each once."""
        ...

    def type(self, text: str, deadline: Deadline) -> None:
        """Type a text of which nothing is refused.

        Raises:
            CallFailed: the deadline came first; the text says how much was typed.
        """
        ...


class Pasting(Protocol):
    """A way of pasting text that gives the clipboard back."""

    def paste(self, text: str, deadline: Deadline) -> bool:
        """Paste, and return whether that was possible; nothing is typed where it was not."""
        ...


class PortableKeyboard:
    """Presses keys by pyautogui, and types text by keys that are known to be right or by a paste."""

    def __init__(self, driver: Driver, typing: TextTyping, pasting: Pasting | None) -> None:
        self._driver = driver
        self._typing = typing
        self._pasting = pasting
        self._names = key_names(driver.platform)
        self._held: list[str] = []

    def unknown_keys(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the names of a chord that this keyboard does not have."""
        return tuple(key for key in keys if self._name(key) is None)

    def known_names(self) -> str:
        """Return the names it has, for an error text."""
        named = [key for key in self._names if self._name(key) is not None]
        return ", ".join(["the characters that the keyboard has", *named])

    def press(self, key: str) -> None:
        """Press a key down.

        Raises:
            CallFailed: there is no such key.
        """
        name = self._known_name(key)
        self._held.append(key)
        self._driver.press_key(name)

    def release(self, key: str) -> None:
        """Release a key; harmless when it is up or unknown."""
        self._held = [held for held in self._held if held != key]
        name = self._name(key)
        if name is not None:
            self._driver.release_key(name)

    def type_text(self, text: str, *, may_paste: bool, deadline: Deadline) -> None:
        """Type exactly `text` into whatever has the keyboard.

        Raises:
            CallFailed: characters can't be typed (named in the text; nothing was typed), or the deadline came first
                (the text says how much was typed).
        """
        plain = text.replace("\r\n", "\n").replace("\r", "\n")
        hopeless = untypable(plain)
        if hopeless:
            raise CallFailed(f"these characters can't be typed: {char_names(hopeless)}; nothing was typed")
        refused = self._typing.refused(plain)
        if (refused or len(plain) > LONG_TEXT_CHARS) and may_paste and self._paste(plain, deadline):
            return
        if refused:
            raise CallFailed(
                f"the keys of this keyboard don't type these characters: {char_names(refused)}; they can be pasted, "
                "but the focused element is not known to take a paste; nothing was typed"
            )
        self._typing.type(plain, deadline)

    def release_all(self) -> None:
        """Release every key that was pressed here, the last one first."""
        for key in reversed(self._held):
            self.release(key)

    def _paste(self, text: str, deadline: Deadline) -> bool:
        return self._pasting is not None and self._pasting.paste(text, deadline)

    def _known_name(self, key: str) -> str:
        name = self._name(key)
        if name is None:
            raise CallFailed(f"there is no key {key!r} here; there are {self.known_names()}")
        return name

    def _name(self, key: str) -> str | None:
        """Return pyautogui's name of a key that is there, or None."""
        name = self._names.get(key, key if len(key) == 1 else "")
        is_there = self._driver.has_key(name) and (len(key) > 1 or not self._typing.refused(key))
        return name if is_there else None
