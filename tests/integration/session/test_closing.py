"""Closing a session gives everything back, whatever its device does meanwhile."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from fake_session import fake_session

from harness.testing.fakes import FakeController
from harness.testing.policies import ScriptedPolicy


class BreakingDevice(FakeController):
    """A device whose end fails in a way that nobody foresaw."""

    async def close(self) -> None:
        raise RuntimeError("odd end")


class HangingDevice(FakeController):
    """A device whose end takes until it is cut off."""

    def __init__(self) -> None:
        super().__init__()
        self.is_closing = asyncio.Event()

    async def close(self) -> None:
        self.is_closing.set()
        await asyncio.Event().wait()


class ClosingPolicy(ScriptedPolicy):
    """Remembers that it was closed."""

    is_closed = False

    async def close(self) -> None:
        self.is_closed = True


async def open_and_close(folder: Path, policy: ScriptedPolicy, controller: FakeController) -> None:
    async with fake_session(folder, policy, controller=controller):
        assert open_databases(folder) == {"log", "notes"}


def open_databases(folder: Path) -> set[str]:
    """Return the stores that are open: SQLite removes the file beside them with the last connection."""
    return {path.name.removesuffix("-wal") for path in folder.rglob("*-wal")}


async def test_policy_log_and_notes_are_closed_though_the_device_fails_to(tmp_path: Path) -> None:
    policy = ClosingPolicy([])
    with pytest.raises(RuntimeError, match="odd end"):
        await open_and_close(tmp_path, policy, BreakingDevice())
    assert policy.is_closed
    assert open_databases(tmp_path) == set()


async def test_policy_log_and_notes_are_closed_though_the_device_is_cut_off(tmp_path: Path) -> None:
    policy, controller = ClosingPolicy([]), HangingDevice()
    closing = asyncio.ensure_future(open_and_close(tmp_path, policy, controller))
    await asyncio.wait_for(controller.is_closing.wait(), timeout=30)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert policy.is_closed
    assert open_databases(tmp_path) == set()
