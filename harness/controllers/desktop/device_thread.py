"""The one thread that drives a desktop: calls run in order, and none of them blocks the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class DeviceThread:
    """Runs blocking calls one after another. A call that is cancelled goes on until it ends by itself."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="desktop")

    async def run(self, call: Callable[[], T]) -> T:
        """Run a call after those before it and return what it returns."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    def close(self) -> None:
        """Take no more calls; the one that runs is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)
