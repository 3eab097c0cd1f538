"""Time and token counting."""

from __future__ import annotations

from typing import Protocol

from harness.values.geometry import Size


class Clock(Protocol):
    """Time, so that tests can hold it still."""

    def now_s(self) -> float:
        """Return Unix time in seconds; for people, never for ordering."""
        ...

    def monotonic_s(self) -> float:
        """Return seconds that never go back."""
        ...


class TokenCounter(Protocol):
    """Estimates sizes before sending."""

    def count_text(self, text: str) -> int:
        """Return the estimated tokens of a text."""
        ...

    def count_image(self, size: Size) -> int:
        """Return the estimated tokens of an image."""
        ...
