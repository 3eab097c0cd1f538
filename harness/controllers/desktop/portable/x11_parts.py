"""What the portable backend takes from ours on X11: windows, clipboard, pastes, and keys that others left down."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from harness.controllers.desktop.portable.driver import Driver
from harness.controllers.desktop.portable.x11_text import X11Typing
from harness.controllers.desktop.x11.chords import Chords
from harness.controllers.desktop.x11.clipboard import X11Clipboard
from harness.controllers.desktop.x11.connection import display_errors, open_display
from harness.controllers.desktop.x11.consumed import ConsumedWait
from harness.controllers.desktop.x11.held import HeldInput
from harness.controllers.desktop.x11.modifiers import Modifiers
from harness.controllers.desktop.x11.paste import Paster
from harness.controllers.desktop.x11.spare_keys import SpareKeys
from harness.controllers.desktop.x11.windows import X11Windows
from harness.controllers.desktop.x11.xkb import XkbKeyboard
from harness.errors import ControllerError


class X11Parts:
    """Parts of one X display, on connections of their own.

    Attributes:
        windows: Its windows.
        clipboard: Its clipboard.
        typing: Types by pyautogui what its keys give.
        pasting: Pastes the rest.
    """

    def __init__(self, driver: Driver, environment: Mapping[str, str]) -> None:
        """Connect.

        Raises:
            ControllerError: there is no such display, or it is gone.
        """
        self._display = open_display(environment)
        self.windows = X11Windows(open_display(environment))
        self.clipboard = X11Clipboard(self._display, environment)
        self._held = HeldInput(self._display)
        with display_errors("learning the keyboard"):
            xkb, consumed = XkbKeyboard(self._display), ConsumedWait(self._display)
            chords = Chords(self._display, xkb, SpareKeys(self._display, xkb), consumed)
            modifiers = Modifiers(self._display, xkb, self._held)
            self.pasting = Paster(self._display, self.clipboard, chords, modifiers, consumed)
            self.typing = X11Typing(driver, xkb, modifiers)

    def release_held(self) -> None:
        """Release every key and button that a program left down.

        Raises:
            ControllerError: the display is gone.
        """
        self._held.release_all()

    def close(self) -> None:
        """Give the connections back; what was put on the clipboard goes with them."""
        self.clipboard.close()
        self.windows.close()
        with suppress(ControllerError), display_errors("closing the display"):
            self._display.close()
