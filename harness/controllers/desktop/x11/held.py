"""Keys and buttons that are down, whoever left them so."""

from __future__ import annotations

from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from harness.controllers.desktop.x11.connection import display_errors

_BUTTONS: Final = range(1, 10)


def held_codes(display: Display) -> tuple[int, ...]:
    """Return the codes of the keys that are down."""
    bits = display.query_keymap()
    return tuple(byte * 8 + bit for byte in range(32) for bit in range(8) if bits[byte] & (1 << bit))


def release_held(display: Display) -> None:
    """Release every key and every button that is down by a program, also by one that died.

    What a person holds on a real keyboard or mouse stays held: the server listens to that device alone.

    Raises:
        ControllerError: the display is gone.
    """
    with display_errors("releasing keys and buttons"):
        for code in held_codes(display):
            xtest.fake_input(display, X.KeyRelease, code)
        # The server tells of the first five buttons only; to release one that is up is no event.
        for button in _BUTTONS:
            xtest.fake_input(display, X.ButtonRelease, button)
        display.sync()
