"""Keys that are pressed and released one by one, as chords are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.x11.consumed import ConsumedWait
from harness.controllers.desktop.x11.keymap import SHIFT, Keymap, Stroke, key_with
from harness.controllers.desktop.x11.keysyms import MODIFIER_SYMBOLS, key_symbols, known_names, shifted_symbol
from harness.controllers.desktop.x11.spare_keys import SpareKeys
from harness.controllers.desktop.x11.xkb import KeyboardState, XkbKeyboard

_TAKEN_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldKey:
    """A key that we hold.

    Attributes:
        code: Its key code.
        shift: The Shift key that we hold for it alone, or None.
        is_lent: Whether it is a spare key that was lent its meaning.
        locks: Locks that were switched off for it, as a mask.
    """

    code: int
    shift: int | None
    is_lent: bool
    locks: int


class Chords:
    """Presses and releases keys by their canonical names."""

    def __init__(self, display: Display, xkb: XkbKeyboard, spare_keys: SpareKeys, consumed: ConsumedWait) -> None:
        self._display = display
        self._xkb = xkb
        self._spare_keys = spare_keys
        self._consumed = consumed
        self._held: dict[str, HeldKey] = {}

    def unknown_keys(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the names that can't be pressed."""
        keymap, state = self._xkb.read(), self._xkb.state()
        has_spare = bool(self._spare_keys.codes(keymap))
        return tuple(
            key
            for key in keys
            if not key_symbols(key)
            or (_stroke(key, keymap, state) is None and (key in MODIFIER_SYMBOLS or not has_spare))
        )

    def press(self, key: str) -> None:
        """Press a key down; one that is not on the keyboard is made until it is released.

        Raises:
            CallFailed: there is no such key.
        """
        if key in self._held:
            return
        keymap, state = self._xkb.read(), self._xkb.state()
        stroke = _stroke(key, keymap, state)
        is_lent = stroke is None
        if stroke is None:
            stroke = Stroke(code=self._lend(key, keymap))
        shift = self._shift_for(stroke, keymap, state)
        # A character means itself whatever Caps Lock does to its key.
        locks = state.locked & X.LockMask if len(key) == 1 else 0
        self._held[key] = HeldKey(code=stroke.code, shift=shift, is_lent=is_lent, locks=locks)
        if locks:
            self._xkb.lock(0, among=locks)
        for code in (shift, stroke.code):
            if code is not None:
                xtest.fake_input(self._display, X.KeyPress, code)
        self._display.sync()

    def release(self, key: str) -> None:
        """Release a key; harmless when we don't hold it."""
        held = self._held.pop(key, None)
        if held is None:
            return
        for code in (held.code, held.shift):
            if code is not None:
                xtest.fake_input(self._display, X.KeyRelease, code)
        self._display.sync()
        self._undo(held)

    def forget(self) -> None:
        """Undo what was changed for keys that were released by other means."""
        while self._held:
            _, held = self._held.popitem()
            self._undo(held)

    def _undo(self, held: HeldKey) -> None:
        if held.locks:
            self._xkb.lock(held.locks, among=held.locks)
            self._display.sync()
        if held.is_lent:
            self._consumed.wait(Deadline(_TAKEN_S))
            self._spare_keys.take_back([held.code])

    def _lend(self, key: str, keymap: Keymap) -> int:
        spare = self._spare_keys.codes(keymap)
        symbols = key_symbols(key)
        if not symbols or not spare or key in MODIFIER_SYMBOLS:
            raise CallFailed(f"this keyboard has no key {key!r}; valid are {known_names()}")
        self._spare_keys.lend({spare[0]: key_with(symbols[0], shifted_symbol(key) or symbols[0])})
        return spare[0]

    def _shift_for(self, stroke: Stroke, keymap: Keymap, state: KeyboardState) -> int | None:
        """Return the Shift key to hold for a stroke, or None when none is needed or one is down."""
        if not stroke.is_shifted or state.held & SHIFT:
            return None
        shift = _stroke("Shift", keymap, state)
        return None if shift is None else shift.code


def _stroke(key: str, keymap: Keymap, state: KeyboardState) -> Stroke | None:
    strokes = keymap.strokes(group=state.group, locked=state.locked & ~X.LockMask)
    return next((strokes[symbol] for symbol in key_symbols(key) if symbol in strokes), None)
