"""Modifiers that would falsify text, kept out of its way while it is typed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.x11.held import HeldInput
from harness.controllers.desktop.x11.xkb import XkbKeyboard

_NAMES: Final = ("Shift", "CapsLock", "Control", "Alt", "NumLock", "Mod3", "Meta", "AltGraph")
# NumLock is Mod2 in every keymap in use. It changes no key that we press, and switching it is shown on the screen.
_HARMLESS_LOCKS: Final = X.Mod2Mask
_RELEASE_S: Final = 2.0
_LOOK_S: Final = 0.01


class Modifiers:
    """The modifiers of a keyboard."""

    def __init__(self, display: Display, xkb: XkbKeyboard, held: HeldInput) -> None:
        self._display = display
        self._xkb = xkb
        self._held = held

    @contextmanager
    def neutral(self, deadline: Deadline) -> Iterator[int]:
        """Keep modifiers up, and CapsLock and its like off, and restore them afterwards.

        What a person holds is not restored: if they let go meanwhile it would stay down for good.

        Yields the modifiers that are still locked, as a mask.

        Raises:
            CallFailed: a modifier stays down.
        """
        codes = self._down()
        restored = codes & self._held.synthetic_codes() if codes else frozenset()
        state = self._xkb.state()
        harmful = (state.locked | state.latched) & ~_HARMLESS_LOCKS
        try:
            self._send(X.KeyRelease, codes)
            if harmful:
                self._xkb.lock(0, among=harmful)
            self._display.sync()
            self._wait_until_free(deadline)
            yield state.locked & _HARMLESS_LOCKS
        finally:
            if harmful:
                self._xkb.lock(state.locked & harmful, among=harmful)
            self._send(X.KeyPress, restored)
            self._display.sync()

    def _down(self) -> frozenset[int]:
        down = self._held.codes()
        if not down:
            return frozenset()
        return down & {code for codes in self._display.get_modifier_mapping() for code in codes}

    def _send(self, kind: int, codes: frozenset[int]) -> None:
        for code in sorted(codes):
            xtest.fake_input(self._display, kind, code)

    def _wait_until_free(self, deadline: Deadline) -> None:
        """Wait for modifiers that could not be released, for example because a person presses one again."""
        limit = Deadline(min(_RELEASE_S, deadline.left_s))
        while held := self._xkb.state().held:
            if limit.left_s == 0:
                names = ", ".join(name for bit, name in enumerate(_NAMES) if held & (1 << bit))
                raise CallFailed(f"{names} stays down on the device's keyboard; nothing was typed, try again")
            time.sleep(_LOOK_S)
