"""What wakes the watcher of a screen."""

from __future__ import annotations

from typing import Protocol

from observers.settle.screen_events import ScreenEvent


class Alarm(Protocol):
    """Waits for something to happen on a screen. Called from one thread, but for `wake`.

    Attributes:
        tells_painting: Whether `Painted` is among its events; otherwise only pictures tell.
    """

    tells_painting: bool

    def arm(self) -> None:
        """Forget what happened so far."""
        ...

    def question(self) -> tuple[ScreenEvent, ...]:
        """Ask the application that has the keyboard for a sign of life, where that is possible."""
        ...

    def wait(self, limit_s: float) -> tuple[ScreenEvent, ...]:
        """Return what happened; wait for something, a wake-up or the limit when nothing has yet."""
        ...

    def wake(self) -> None:
        """End a wait at once; any thread may ask."""
        ...

    def close(self) -> None:
        """Give everything back."""
        ...
