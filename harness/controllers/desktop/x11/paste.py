"""Pastes long text, and restores the clipboard once the text was taken."""

from __future__ import annotations

from typing import Final

from Xlib.display import Display

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.x11.chords import Chords
from harness.controllers.desktop.x11.clipboard import X11Clipboard
from harness.controllers.desktop.x11.consumed import ConsumedWait
from harness.controllers.desktop.x11.modifiers import Modifiers

_PASTE: Final = ("Control", "v")
_TAKEN_S: Final = 2.0
# The questions of one paste come 20 ms apart at most, on a busy machine.
_QUIET_S: Final = 0.3


class Paster:
    """Pastes into whatever has the keyboard."""

    def __init__(
        self,
        display: Display,
        clipboard: X11Clipboard,
        chords: Chords,
        modifiers: Modifiers,
        consumed: ConsumedWait,
    ) -> None:
        self._display = display
        self._modifiers = modifiers
        self._clipboard = clipboard
        self._chords = chords
        self._consumed = consumed

    def paste(self, text: str, deadline: Deadline) -> bool:
        """Paste exactly `text` and return True; False when nothing came of it and it should be typed.

        Clipboards that hold more than text are left alone, since they could not be restored.

        Raises:
            CallFailed: the application does not respond, so the paste may still come.
        """
        window = self._display.get_input_focus().focus
        before = self._clipboard.restorable()
        if before is None or isinstance(window, int):
            return False
        try:
            self._clipboard.owner.hold(text, is_secret=True)
        except CallFailed:
            return False
        try:
            times = self._clipboard.owner.times_given(window.id)
            self._press(deadline)
            return self._was_taken(window.id, times, deadline)
        finally:
            self._clipboard.restore(before)

    def _press(self, deadline: Deadline) -> None:
        with self._modifiers.neutral(deadline):
            try:
                for key in _PASTE:
                    self._chords.press(key)
            finally:
                for key in reversed(_PASTE):
                    self._chords.release(key)

    def _was_taken(self, window_id: int, times: int, deadline: Deadline) -> bool:
        owner = self._clipboard.owner
        if not owner.wait_until_given(window_id, more_than=times, limit_s=min(_TAKEN_S, deadline.left_s)):
            if self._consumed.wait(deadline):
                return False
            raise CallFailed(
                "the window that has the keyboard does not respond: Control+V was pressed and the text was not taken; "
                "look before you type again"
            )
        self._consumed.wait(deadline)
        # Chromium asks for the text twice, and between that a dozen times for what there is.
        owner.wait_until_quiet(window_id, quiet_s=_QUIET_S, limit_s=min(_TAKEN_S, deadline.left_s))
        return True
