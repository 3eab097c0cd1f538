"""The one thread that drives a desktop: calls run in order, and none of them blocks the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cut:
    """Ends one call early: its pauses raise, and its deadline passes."""

    deadline: Deadline | None = None
    happened: threading.Event = field(default_factory=threading.Event)

    def make(self) -> None:
        """Cut the call off."""
        self.happened.set()
        if self.deadline is not None:
            self.deadline.end()


class DeviceThread:
    """Runs blocking calls one after another. A call that is cancelled ends at its next `pause`, letting go."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="desktop")
        self._current = _Cut()

    async def run(self, call: Callable[[], T], *, deadline: Deadline | None = None) -> T:
        """Run a call after those before it and return what it returns.

        Args:
            call: Blocks as long as it has to; what takes long waits by `pause`, or ends with `deadline`.
            deadline: Made to pass when the call is cut off; the call's own.
        """
        cut = _Cut(deadline=deadline)

        def begin() -> T:
            self._current = cut
            return call()

        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, begin)
        except asyncio.CancelledError:
            cut.make()
            raise

    def pause(self, seconds: float) -> None:
        """Wait, on this thread, in the middle of a call.

        Raises:
            CallFailed: the call was cut off meanwhile.
        """
        if self._current.happened.wait(seconds):
            raise CallFailed("it was cut off in the middle: keys and buttons were released")

    def cut(self) -> None:
        """Cut off the call that runs now, from any thread; those after it run."""
        self._current.make()

    def close(self) -> None:
        """Take no more calls; the one that runs is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)
