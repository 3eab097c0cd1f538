"""The clipboard of an X display."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from Xlib.display import Display

from harness.controllers.aim import CallFailed
from harness.controllers.desktop.x11.connection import display_errors
from harness.controllers.desktop.x11.selection_formats import is_plain_text
from harness.controllers.desktop.x11.selection_owner import SelectionOwner
from harness.controllers.desktop.x11.selection_reader import SelectionReader


class X11Clipboard:
    """Reads and replaces the text on the clipboard. Belongs to the thread of its display.

    Attributes:
        owner: Holds our text, and answers for it in a thread of its own.
    """

    def __init__(self, display: Display, environment: Mapping[str, str]) -> None:
        """Prepare to read and to write.

        Args:
            display: A connection to read by.
            environment: Where the owner makes a connection of its own.

        Raises:
            ControllerError: the display is gone.
        """
        with display_errors("preparing the clipboard"):
            self._reader = SelectionReader(display)
        self.owner = SelectionOwner(environment)

    def read(self) -> str:
        """Return the text on the clipboard; empty when there is none.

        Raises:
            CallFailed: it holds no text, more than 16 MB, or its owner does not answer.
        """
        ours = self.owner.text()
        if ours is not None:
            return ours
        with display_errors("reading the clipboard"):
            return self._reader.text() if self._reader.has_owner() else ""

    def write(self, text: str) -> None:
        """Replace it; it stays readable while the device is open.

        Raises:
            CallFailed: it can't be taken over, or the text holds halves of surrogate pairs.
        """
        self.owner.hold(text)

    def restorable(self) -> str | None:
        """Return the text with which the clipboard can be restored exactly; None when more would be lost."""
        with suppress(CallFailed), display_errors("reading the clipboard"):
            if self.owner.text() is not None or not self._reader.has_owner() or is_plain_text(self._reader.targets()):
                return self.read()
        return None

    def restore(self, text: str) -> None:
        """Put back what `restorable` returned, if our text still is on the clipboard; nothing for no text."""
        if self.owner.text() is None:
            return
        if not text:
            self.owner.give_up()
            return
        with suppress(CallFailed):  # another program took the clipboard just now, so it is no longer ours to restore
            self.owner.hold(text)

    def close(self) -> None:
        """Give the clipboard back; what we put there is gone."""
        self.owner.close()
