"""The pointer of an X display, moved and pressed by XTEST."""

from __future__ import annotations

import math
from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from harness.controllers.aim import CallFailed
from harness.controllers.desktop.x11.connection import display_errors
from harness.values.action import Button
from harness.values.geometry import DevicePoint

_BUTTONS: Final[dict[Button, int]] = {"left": 1, "middle": 2, "right": 3}
_WHEEL_UP, _WHEEL_DOWN, _WHEEL_LEFT, _WHEEL_RIGHT = 4, 5, 6, 7


class X11Pointer:
    """Moves and presses the pointer; points are pixels of the root window."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._root = display.screen().root

    def move(self, to: DevicePoint) -> None:
        """Move to the pixel that covers a point.

        Raises:
            CallFailed: it is outside the desktop.
        """
        x, y = math.floor(to.x), math.floor(to.y)
        with display_errors("moving the pointer"):
            size = self._root.get_geometry()
            if not (0 <= x < size.width and 0 <= y < size.height):
                raise CallFailed(f"{x},{y} is outside the desktop of {size.width}x{size.height}")
            xtest.fake_input(self._display, X.MotionNotify, root=self._root.id, x=x, y=y)
            self._display.sync()

    def press(self, button: Button) -> None:
        """Press a button where the pointer is."""
        self._send((X.ButtonPress,), _BUTTONS[button], "pressing a button")

    def release(self, button: Button) -> None:
        """Release a button; harmless when it is up."""
        self._send((X.ButtonRelease,), _BUTTONS[button], "releasing a button")

    def turn_wheel(self, dx: int, dy: int) -> None:
        """Turn the wheel where the pointer is, one click a turn: right and down, negative left and up."""
        for turns, forward, back in ((dx, _WHEEL_RIGHT, _WHEEL_LEFT), (dy, _WHEEL_DOWN, _WHEEL_UP)):
            for _ in range(abs(turns)):
                self._send((X.ButtonPress, X.ButtonRelease), forward if turns > 0 else back, "turning the wheel")

    def position(self) -> DevicePoint:
        """Return the top left corner of the pixel that the pointer is on."""
        with display_errors("asking where the pointer is"):
            found = self._root.query_pointer()
            return DevicePoint(x=found.root_x, y=found.root_y)

    def _send(self, events: tuple[int, ...], meant: int, doing: str) -> None:
        with display_errors(doing):
            button = self._physical(meant)
            for kind in events:
                xtest.fake_input(self._display, kind, button)
            self._display.sync()

    def _physical(self, meant: int) -> int:
        """Return the button that counts as `meant`: a person may have swapped left and right."""
        mapping = list(self._display.get_pointer_mapping())
        return mapping.index(meant) + 1 if meant in mapping else meant
