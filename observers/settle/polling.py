"""Waking up at regular times, where no system tells what happens on its screen."""

from __future__ import annotations

import threading

from observers.settle.screen_events import ScreenEvent


class Ticker:
    """Waits for the limit, so that pictures are compared as often as the watcher likes."""

    tells_painting = False

    def __init__(self) -> None:
        self._woken = threading.Event()

    def arm(self) -> None:
        """Forget earlier wake-ups."""
        self._woken.clear()

    def question(self) -> tuple[ScreenEvent, ...]:
        """Ask nobody."""
        return ()

    def wait(self, limit_s: float) -> tuple[ScreenEvent, ...]:
        """Wait for the limit or a wake-up."""
        self._woken.wait(limit_s)
        return ()

    def wake(self) -> None:
        """End a wait at once."""
        self._woken.set()

    def close(self) -> None:
        """Give nothing back."""
