"""Clicks, drags, wheel turns and chords, made of single presses. Blocking; milliseconds, a drag tenths of a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Final, Protocol

from harness.controllers.desktop.backend import KeyboardInput, PointerInput
from harness.values.action import Button
from harness.values.geometry import DevicePoint

# Toolkits start a drag only after several moves over some pixels, and follow about 60 moves a second.
DRAG_MOVES: Final = 20
DRAG_MOVE_S: Final = 0.012
# The longest double-click time of the common toolkits (GTK 0.4 s, Qt 0.4 s, Windows 0.5 s) and their distance.
DOUBLE_CLICK_S: Final = 0.5
DOUBLE_CLICK_PX: Final = 6


class HeldKeys(Protocol):
    """What can press a key and let it go."""

    def press(self, key: str) -> None:
        """Press a key down."""
        ...

    def release(self, key: str) -> None:
        """Release a key."""
        ...


@contextmanager
def holding(keyboard: HeldKeys, keys: Sequence[str]) -> Iterator[None]:
    """Hold keys meanwhile: all down in order, all up in reverse, also those after one that could not be pressed."""
    held: list[str] = []
    try:
        for key in keys:
            held.append(key)
            keyboard.press(key)
        yield
    finally:
        for key in reversed(held):
            keyboard.release(key)


class Gestures:
    """Performs gestures with one pointer and one keyboard."""

    def __init__(
        self, pointer: PointerInput, keyboard: KeyboardInput, *, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self._pointer = pointer
        self._keyboard = keyboard
        self._pause = pause
        self._last_click: tuple[float, DevicePoint, Button] | None = None

    def move(self, to: DevicePoint) -> None:
        """Move the pointer to a point."""
        self._pointer.move(to)

    def click(self, at: DevicePoint, button: Button, count: int, keys: Sequence[str] = ()) -> None:
        """Click `count` times as one double or triple click; never joined with an earlier click by the application."""
        self._keep_apart(at, button)
        self._pointer.move(at)
        with holding(self._keyboard, keys):
            for _ in range(count):
                with self._pressing(button):
                    pass
        self._last_click = (time.monotonic(), at, button)

    def drag(self, path: Sequence[DevicePoint], keys: Sequence[str] = ()) -> None:
        """Move to the first point, press there, move along the path and release at its end."""
        self._pointer.move(path[0])
        with holding(self._keyboard, keys), self._pressing("left"):
            for point in _along(path):
                self._pause(DRAG_MOVE_S)
                self._pointer.move(point)
            self._pause(DRAG_MOVE_S)

    def scroll(self, at: DevicePoint, dx: int, dy: int) -> None:
        """Turn the wheel at a point."""
        self._pointer.move(at)
        self._pointer.turn_wheel(dx, dy)

    def press(self, keys: Sequence[str]) -> None:
        """Press keys as one chord: all down in order, all up in reverse."""
        with holding(self._keyboard, keys):
            pass

    def _keep_apart(self, at: DevicePoint, button: Button) -> None:
        """Wait out the double-click time of an earlier click at the same place."""
        if self._last_click is None:
            return
        when_s, where, which = self._last_click
        is_near = abs(where.x - at.x) <= DOUBLE_CLICK_PX and abs(where.y - at.y) <= DOUBLE_CLICK_PX
        if which == button and is_near:
            self._pause(max(0.0, when_s + DOUBLE_CLICK_S - time.monotonic()))

    @contextmanager
    def _pressing(self, button: Button) -> Iterator[None]:
        try:
            self._pointer.press(button)
            yield
        finally:
            self._pointer.release(button)


def _along(path: Sequence[DevicePoint]) -> Iterator[DevicePoint]:
    for start, end in pairwise(path):
        for number in range(1, DRAG_MOVES + 1):
            part = number / DRAG_MOVES
            yield DevicePoint(x=start.x + (end.x - start.x) * part, y=start.y + (end.y - start.y) * part)
