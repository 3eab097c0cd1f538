"""The thread that drives a desktop: in order, and whoever is cut off lets go soon."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.device_thread import DeviceThread

pytestmark = pytest.mark.req("R-ACT-6")
_FOREVER_S = 3600.0


@pytest.fixture
def thread() -> Iterator[DeviceThread]:
    """Return a thread that is closed at the end."""
    with closing(DeviceThread()) as device_thread:
        yield device_thread


class _Long:
    """A call that holds a key for an hour."""

    def __init__(self, thread: DeviceThread) -> None:
        self._thread = thread
        self.holds = threading.Event()
        self.log: list[str] = []

    def __call__(self) -> None:
        self.log.append("press")
        self.holds.set()
        try:
            self._thread.pause(_FOREVER_S)
        finally:
            self.log.append("release")


async def test_calls_run_in_order_and_return(thread: DeviceThread) -> None:
    log: list[int] = []
    results = await asyncio.gather(*(thread.run(lambda number=number: log.append(number)) for number in range(5)))
    assert log == [0, 1, 2, 3, 4]
    assert results == [None] * 5


async def test_a_call_that_is_cancelled_lets_go_before_the_next_one_runs(thread: DeviceThread) -> None:
    long = _Long(thread)
    running = asyncio.create_task(thread.run(long))
    await asyncio.to_thread(long.holds.wait, 5.0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await asyncio.wait_for(thread.run(lambda: long.log.append("next")), 5.0)
    assert long.log == ["press", "release", "next"]


async def test_a_call_that_is_cut_off_fails_and_the_next_one_is_whole(thread: DeviceThread) -> None:
    long = _Long(thread)
    running = asyncio.create_task(thread.run(long))
    await asyncio.to_thread(long.holds.wait, 5.0)
    thread.cut()
    with pytest.raises(CallFailed, match="cut off in the middle"):
        await running
    await thread.run(lambda: thread.pause(0.01))
    assert long.log == ["press", "release"]


async def test_cutting_off_nothing_harms_nothing(thread: DeviceThread) -> None:
    thread.cut()
    await thread.run(lambda: thread.pause(0.0))
    thread.cut()
    assert await thread.run(lambda: 1) == 1


async def test_the_deadline_of_a_call_that_is_cut_off_passes(thread: DeviceThread) -> None:
    deadline = Deadline(_FOREVER_S)
    long = _Long(thread)
    running = asyncio.create_task(thread.run(long, deadline=deadline))
    await asyncio.to_thread(long.holds.wait, 5.0)
    assert deadline.left_s > 0
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert deadline.left_s == 0
