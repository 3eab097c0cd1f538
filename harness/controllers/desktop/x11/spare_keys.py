"""Keys without a meaning that are lent one, and get it taken away again whatever happens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from Xlib import X, Xatom
from Xlib.display import Display

from harness.controllers.desktop.x11.keymap import BLANK_KEY, Key, Keymap, key_with
from harness.controllers.desktop.x11.xkb import XkbKeyboard

_LEDGER: Final = "_TRANSOM_LENT_KEYS"
_OWNER: Final = "_TRANSOM_KEYBOARD"
# For each key: its code, its keysym, its keysym with Shift.
_MOST_WORDS: Final = 3 * 256


class SpareKeys:
    """Lends meanings to spare keys.

    What is lent stands in a property of the root window before it is lent, so that whoever comes after a process that
    died can take it back. A selection, which the server takes from the dead, says that we live.
    """

    def __init__(self, display: Display, xkb: XkbKeyboard) -> None:
        """Take back what a dead process lent, unless another one that lives lends keys here."""
        self._display = display
        self._xkb = xkb
        self._root = display.screen().root
        self._ledger = display.intern_atom(_LEDGER)
        self._lent: dict[int, Key] = {}
        owner = display.intern_atom(_OWNER)
        if display.get_selection_owner(owner) == X.NONE:
            self._take_back_leftovers()
            sign = self._root.create_window(-1, -1, 1, 1, 0, X.CopyFromParent, window_class=X.InputOnly)
            sign.set_selection_owner(owner, X.CurrentTime)
            display.sync()

    def codes(self, keymap: Keymap) -> list[int]:
        """Return the keys that can be lent a meaning: those that mean nothing and are no modifier."""
        modifiers = {code for codes in self._display.get_modifier_mapping() for code in codes}
        return [code for code in keymap.blank_codes() if code not in modifiers]

    def lend(self, keys: Mapping[int, Key]) -> None:
        """Let spare keys mean something, also such as are lent already.

        Applications that handle a key press after this see the new meaning, also of a key that was pressed before.
        """
        self._lent.update(keys)
        self._write_ledger()
        self._xkb.change(keys)
        self._display.sync()

    def take_back(self, codes: Iterable[int]) -> None:
        """Let keys that were lent mean nothing again; others are left alone."""
        back = [code for code in codes if code in self._lent]
        if back:
            self._xkb.change(dict.fromkeys(back, BLANK_KEY))
            for code in back:
                del self._lent[code]
            self._write_ledger()
            self._display.sync()

    def _write_ledger(self) -> None:
        words = [word for code, key in self._lent.items() for word in (code, *key.symbols)]
        if words:
            self._root.change_property(self._ledger, Xatom.CARDINAL, 32, words)
        else:
            self._root.delete_property(self._ledger)

    def _take_back_leftovers(self) -> None:
        found = self._root.get_property(self._ledger, Xatom.CARDINAL, 0, _MOST_WORDS)
        if found is None:
            return
        words = iter(found.value)
        keymap = self._xkb.read()
        # A key that means something else by now was given it by somebody else.
        stale = [
            code
            for code, plain, shifted in zip(words, words, words, strict=False)
            if keymap.keys.get(code) == key_with(plain, shifted)
        ]
        if stale:
            self._xkb.change(dict.fromkeys(stale, BLANK_KEY))
        self._root.delete_property(self._ledger)
        self._display.sync()
