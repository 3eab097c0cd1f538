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
from harness.controllers.desktop.x11.held import held_codes
from harness.controllers.desktop.x11.xkb import XkbKeyboard

_NAMES: Final = ("Shift", "CapsLock", "Control", "Alt", "NumLock", "Mod3", "Meta", "AltGraph")
# NumLock is Mod2 in every keymap in use. It changes no key that we press, and switching it is shown on the screen.
_HARMLESS_LOCKS: Final = X.Mod2Mask
_RELEASE_S: Final = 2.0
_LOOK_S: Final = 0.01


@contextmanager
def neutral_modifiers(display: Display, xkb: XkbKeyboard, deadline: Deadline) -> Iterator[int]:
    """Keep modifiers up, and CapsLock and its like off, and restore them afterwards.

    Yields the modifiers that are still locked, as a mask.

    Raises:
        CallFailed: a person holds a modifier down and does not let go.
    """
    codes = _held_modifier_codes(display)
    state = xkb.state()
    harmful = (state.locked | state.latched) & ~_HARMLESS_LOCKS
    try:
        for code in codes:
            xtest.fake_input(display, X.KeyRelease, code)
        if harmful:
            xkb.lock(0, among=harmful)
        display.sync()
        _wait_until_free(xkb, deadline)
        yield state.locked & _HARMLESS_LOCKS
    finally:
        if harmful:
            xkb.lock(state.locked & harmful, among=harmful)
        for code in codes:
            xtest.fake_input(display, X.KeyPress, code)
        display.sync()


def _held_modifier_codes(display: Display) -> list[int]:
    held = held_codes(display)
    return [code for codes in display.get_modifier_mapping() for code in codes if code in held] if held else []


def _wait_until_free(xkb: XkbKeyboard, deadline: Deadline) -> None:
    """Wait for a person to let go: what is held on a real keyboard can't be released from here."""
    end_s = time.monotonic() + min(_RELEASE_S, deadline.left_s)
    while held := xkb.state().held:
        if time.monotonic() > end_s:
            names = ", ".join(name for bit, name in enumerate(_NAMES) if held & (1 << bit))
            raise CallFailed(f"{names} is held down on the keyboard of the device; nothing was typed, try again")
        time.sleep(_LOOK_S)
