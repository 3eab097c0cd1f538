"""The keyboard of an X display."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from Xlib.display import Display

from harness.controllers.deadline import Deadline
from harness.controllers.desktop.x11.chords import Chords
from harness.controllers.desktop.x11.clipboard import X11Clipboard
from harness.controllers.desktop.x11.connection import display_errors
from harness.controllers.desktop.x11.consumed import ConsumedWait
from harness.controllers.desktop.x11.held import HeldInput
from harness.controllers.desktop.x11.keysyms import known_names
from harness.controllers.desktop.x11.modifiers import Modifiers
from harness.controllers.desktop.x11.paste import Paster
from harness.controllers.desktop.x11.spare_keys import SpareKeys
from harness.controllers.desktop.x11.text_typist import TextTypist
from harness.controllers.desktop.x11.typing_plan import check_typable
from harness.controllers.desktop.x11.xkb import XkbKeyboard

# Up to here keys take no longer than a paste, and they leave the clipboard alone.
LONG_TEXT_CHARS: Final = 200


class X11Keyboard:
    """Presses keys and types text by XTEST. One thread, the one that its display belongs to."""

    def __init__(self, display: Display, clipboard: X11Clipboard, held: HeldInput) -> None:
        """Take back what a process that died left of its typing.

        Raises:
            ControllerError: the display is gone, or lacks the XKEYBOARD extension.
        """
        with display_errors("learning the keyboard"):
            xkb = XkbKeyboard(display)
            spare_keys = SpareKeys(display, xkb)
            self._modifiers = Modifiers(display, xkb, held)
            consumed = ConsumedWait(display)
            self._chords = Chords(display, xkb, spare_keys, consumed)
            self._typist = TextTypist(display, xkb, spare_keys, consumed)
            self._paster = Paster(display, clipboard, self._chords, self._modifiers, consumed)

    def unknown_keys(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the names of a chord that this keyboard does not have."""
        with display_errors("looking for keys"):
            return self._chords.unknown_keys(keys)

    def known_names(self) -> str:
        """Return the names it has, for an error text."""
        return known_names()

    def press(self, key: str) -> None:
        """Press a key down.

        Raises:
            CallFailed: there is no such key.
        """
        with display_errors("pressing a key"):
            self._chords.press(key)

    def release(self, key: str) -> None:
        """Release a key; harmless when it is not held by `press`."""
        with display_errors("releasing a key"):
            self._chords.release(key)

    def forget_held(self) -> None:
        """Undo what was changed for held keys, once they were released by other means."""
        with display_errors("releasing keys"):
            self._chords.forget()

    def type_text(self, text: str, *, may_paste: bool, deadline: Deadline) -> None:
        """Type exactly `text` into whatever has the keyboard; long text is pasted where that is allowed.

        Raises:
            CallFailed: characters can't be typed (named in the text; nothing was typed), or the deadline came first
                (the text says how much was typed).
        """
        plain = text.replace("\r\n", "\n").replace("\r", "\n")
        check_typable(plain)
        with display_errors("typing"):
            if may_paste and len(plain) > LONG_TEXT_CHARS and self._paster.paste(plain, deadline):
                return
            with self._modifiers.neutral(deadline) as locked:
                self._typist.type(plain, locked, deadline)
