"""Looking at what is left of processes that should be gone."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness.controllers.desktop.place import MARKER
from harness.controllers.processes import list_processes

# The promise is 5 seconds; a machine that is busy with other tests gets some more to look.
GONE_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentRun:
    """A process that holds a desktop with applications on it.

    Attributes:
        process: It.
        keeper_id: Its desktop's keeper.
        folder: Its desktop's folder.
        members: Every process of the desktop, the keeper too.
    """

    process: subprocess.Popen[str]
    keeper_id: int
    folder: Path
    members: frozenset[int]


def wait_until_gone(processes: frozenset[int]) -> frozenset[int]:
    """Return those that still live when all are gone or the time is up."""
    wait_until(lambda: not processes & _living())
    return processes & _living()


def wait_until(is_so: Callable[[], bool]) -> bool:
    """Return whether something became so within the time."""
    end_s = time.monotonic() + GONE_S
    while not is_so():
        if time.monotonic() > end_s:
            return False
        time.sleep(0.05)
    return True


def desktop_processes(temporary: Path) -> frozenset[int]:
    """Return the living processes of desktops below a temporary folder, keepers and all; never this process."""
    below = f"{temporary}/"
    return frozenset(
        process_id
        for process_id in _living() - {os.getpid()}
        if _variable(process_id, MARKER).startswith(below)
        or (_variable(process_id, "TMPDIR") == str(temporary) and "desktop.keeper" in _command(process_id))
    )


def _living() -> frozenset[int]:
    return frozenset(process.id for process in list_processes())


def _variable(process_id: int, name: str) -> str:
    for item in _read(process_id, "environ").split("\0"):
        if item.startswith(f"{name}="):
            return item.partition("=")[2]
    return ""


def _command(process_id: int) -> str:
    return _read(process_id, "cmdline").replace("\0", " ")


def _read(process_id: int, name: str) -> str:
    try:
        return Path(f"/proc/{process_id}/{name}").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def processes_with(name: str, value: str) -> frozenset[int]:
    """Return the living processes whose environment holds `name` with `value`; never this process."""
    return frozenset(process_id for process_id in _living() - {os.getpid()} if _variable(process_id, name) == value)
