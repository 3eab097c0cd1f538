"""One deadline for everything a step asks of its device."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


class DeadlineReached(Exception):
    """A device call did not answer in time. Never leaves its controller."""


class Deadline:
    """A moment after which waiting ends."""

    def __init__(self, seconds: float, *, within: Deadline | None = None) -> None:
        self._end_s = time.monotonic() + max(0.0, seconds)
        self._within = within

    @property
    def left_s(self) -> float:
        """Seconds that are left, at least 0."""
        own_s = max(0.0, self._end_s - time.monotonic())
        return own_s if self._within is None else min(own_s, self._within.left_s)

    def end(self) -> None:
        """Let it pass now; safe from any thread."""
        self._end_s = min(self._end_s, time.monotonic())

    def at_most(self, seconds: float) -> Deadline:
        """Return a deadline that ends in `seconds`, or with this one when that is sooner or made to pass."""
        return Deadline(seconds, within=self)

    def extended(self, seconds: float) -> Deadline:
        """Return a deadline that ends `seconds` after this one, or after now when this one has passed."""
        return Deadline(self.left_s + seconds)

    async def run(self, call: Awaitable[T], what: str, *, cap_s: float | None = None) -> T:
        """Await a call until the deadline, or for at most `cap_s` seconds.

        Raises:
            DeadlineReached: the call was cut off; the text says which and after how long.
        """
        limit_s = self.left_s if cap_s is None else min(cap_s, self.left_s)
        try:
            return await asyncio.wait_for(call, limit_s)
        except TimeoutError as exc:
            raise DeadlineReached(f"{what} did not finish within {limit_s:.1f} s") from exc
