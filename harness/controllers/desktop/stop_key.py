"""A person at an X display: the key chord that stops the agent, and where the pointer is."""

from __future__ import annotations

import contextlib
import os
import select
from collections.abc import Iterator, Mapping
from typing import Final

from Xlib import XK, X
from Xlib.display import Display
from Xlib.error import BadAccess, CatchError
from Xlib.protocol import event

from harness.controllers.desktop.corner import HOLD_S, STOP_CHORD
from harness.controllers.desktop.x11.connection import display_errors, open_display
from harness.errors import ControllerError
from harness.values.geometry import DevicePoint

_KEY: Final = XK.XK_q  # of STOP_CHORD
_LOCK_KEYS: Final = (XK.XK_Num_Lock, XK.XK_Scroll_Lock)
_WATCHING: Final = "watching for the emergency stop"
_USE_CORNER: Final = f"hold the pointer in the top-left corner of the desktop for {HOLD_S:g} s instead"


class X11Person:
    """Senses a person on a connection of its own, which belongs to one thread; only `wake` may come from another.

    Attributes:
        notice: What the person can't do here, in a sentence; None when the chord works.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Connect and take the chord.

        Raises:
            ControllerError: there is no such display.
        """
        self._display = open_display(environment)
        self._key_code = 0
        try:
            with display_errors(_WATCHING):
                self._root = self._display.screen().root
                self.notice = self._grab()
        except ControllerError:
            self._disconnect()
            raise
        self._wake_end, self._waker = os.pipe()

    def is_pressed_within(self, limit_s: float) -> bool:
        """Wait for the chord, a wake-up or the limit, and return whether the chord was pressed.

        Raises:
            ControllerError: the display is gone.
        """
        with display_errors(_WATCHING):
            if not self._display.pending_events():
                select.select([self._display.fileno(), self._wake_end], [], [], limit_s)
            return any(isinstance(happened, event.KeyPress) for happened in self._take_events())

    def position(self) -> DevicePoint:
        """Return where the pointer is.

        Raises:
            ControllerError: the display is gone.
        """
        with display_errors(_WATCHING):
            pointer = self._root.query_pointer()
            return DevicePoint(x=pointer.root_x, y=pointer.root_y)

    def wake(self) -> None:
        """End a wait at once."""
        os.write(self._waker, b"\0")

    def close(self) -> None:
        """Give the chord and the connection back; a display that is gone has neither."""
        os.close(self._wake_end)
        os.close(self._waker)
        self._disconnect()

    def _disconnect(self) -> None:
        with contextlib.suppress(ControllerError), display_errors(_WATCHING):
            self._display.close()

    def _take_events(self) -> Iterator[object]:
        while self._display.pending_events():
            happened = self._display.next_event()
            if isinstance(happened, event.MappingNotify):
                self._follow_layout(happened)
            yield happened

    def _follow_layout(self, changed: event.MappingNotify) -> None:
        """Take the chord again where another layout has its key elsewhere."""
        self._display.refresh_keyboard_mapping(changed)
        if self._display.keysym_to_keycode(_KEY) != self._key_code:
            self._root.ungrab_key(self._key_code, X.AnyModifier)
            self.notice = self._grab()

    def _grab(self) -> str | None:
        self._key_code = self._display.keysym_to_keycode(_KEY)
        if self._key_code == 0:
            return f"{STOP_CHORD} can't stop the agent: the keyboard layout has no such key; {_USE_CORNER}"
        refused = CatchError(BadAccess)
        for modifiers in _lock_variants(X.ControlMask | X.Mod1Mask, _lock_masks(self._display)):
            self._root.grab_key(self._key_code, modifiers, False, X.GrabModeAsync, X.GrabModeAsync, onerror=refused)
        self._display.sync()
        if refused.get_error() is not None:
            return f"{STOP_CHORD} may not stop the agent: another program has taken it; {_USE_CORNER}"
        return None


def _lock_variants(modifiers: int, locks: tuple[int, ...]) -> tuple[int, ...]:
    """Return `modifiers` with every combination of locks, which X takes for different chords."""
    variants = [modifiers]
    for lock in locks:
        variants += [variant | lock for variant in variants]
    return tuple(variants)


def _lock_masks(display: Display) -> tuple[int, ...]:
    """Return the modifier of each lock key; but for Caps Lock they differ from keyboard to keyboard."""
    codes = {display.keysym_to_keycode(symbol) for symbol in _LOCK_KEYS} - {0}
    rows = enumerate(display.get_modifier_mapping())
    used = {1 << number for number, row in rows if codes & set(row)}
    return (X.LockMask, *sorted(used - {X.LockMask}))
