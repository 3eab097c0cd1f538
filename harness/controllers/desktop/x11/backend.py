"""An X display: input by XTEST, windows by what the window manager says, pixels by mss."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from harness.controllers.desktop.screen import open_screen
from harness.controllers.desktop.x11.clipboard import X11Clipboard
from harness.controllers.desktop.x11.connection import display_errors, open_display
from harness.controllers.desktop.x11.held import HeldInput
from harness.controllers.desktop.x11.keyboard import X11Keyboard
from harness.controllers.desktop.x11.pointer import X11Pointer
from harness.controllers.desktop.x11.windows import X11Windows
from harness.errors import ControllerError


class X11Backend:
    """Drives one X display through connections of its own: one for input, one for windows, one for pixels."""

    name = "x11"

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Connect.

        Raises:
            ControllerError: there is no display, or it lacks an extension that is needed.
        """
        self._display = open_display(environment)
        self._held = HeldInput(self._display)
        self.pointer = X11Pointer(self._display)
        self.clipboard = X11Clipboard(self._display, environment)
        self.keyboard = X11Keyboard(self._display, self.clipboard, self._held)
        self.windows = X11Windows(open_display(environment))
        self.screen = open_screen(environment)

    def release_all(self) -> None:
        """Release every held key and button, whoever left them down."""
        self._held.release_all()
        self.keyboard.forget_held()

    def close(self) -> None:
        """Give the connections back, lost ones too; text that was put on the clipboard goes with them."""
        self.clipboard.close()
        self.windows.close()
        self.screen.close()
        with suppress(ControllerError), display_errors("closing the display"):
            self._display.close()
