"""Processes that end with their session: death signals, adoption of orphans, ending all of them in bounded time.

Linux only but for its import; needs nothing beyond the standard library, so small processes start fast with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.errors import ControllerError

_SET_DEATH_SIGNAL: Final = 1
_SET_SUBREAPER: Final = 36
_POLL_S: Final = 0.01
_KILL_S: Final = 2.0
_PROC: Final = Path("/proc")
FindProcesses = Callable[[], Sequence[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEntry:
    """One living process.

    Attributes:
        id: Its process id.
        parent_id: The process that it is a child of now.
        session_id: The process session that it belongs to; a process that called setsid leads its own.
    """

    id: int
    parent_id: int
    session_id: int


def die_with_parent(parent_id: int, death_signal: signal.Signals) -> None:
    """Have the kernel send this process `death_signal` when the thread that made it ends; survives exec, not fork.

    A process whose parent is gone already ends at once.

    Args:
        parent_id: The process that made this one.
        death_signal: What to send.
    """
    _prctl(_SET_DEATH_SIGNAL, death_signal)
    if os.getppid() != parent_id:
        os._exit(1)


def become_subreaper() -> None:
    """Adopt orphans: a descendant whose parent ends becomes a child of this process, not of init."""
    _prctl(_SET_SUBREAPER, 1)


def list_processes() -> Iterator[ProcessEntry]:
    """Yield every process that is alive; zombies are not."""
    for folder in _PROC.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            # The name, in parentheses, may hold anything; what follows it are plain fields.
            fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] not in {b"Z", b"X"}:
            yield ProcessEntry(id=int(folder.name), parent_id=int(fields[1]), session_id=int(fields[3]))


def descendants(ancestor_id: int) -> tuple[int, ...]:
    """Return the living processes below one, nearest first."""
    children: dict[int, list[int]] = {}
    for process in list_processes():
        children.setdefault(process.parent_id, []).append(process.id)
    found: list[int] = []
    waiting = [ancestor_id]
    while waiting:
        below = children.get(waiting.pop(0), [])
        found += below
        waiting += below
    return tuple(found)


def session_members(*session_ids: int) -> tuple[int, ...]:
    """Return the living processes of process sessions, wherever they hang in the tree."""
    return tuple(process.id for process in list_processes() if process.session_id in session_ids)


def marked_processes(name: str, value: str) -> tuple[int, ...]:
    """Return the living processes that were started with an environment variable; only those this user may read."""
    return tuple(process.id for process in list_processes() if has_variable(process.id, name, value))


def has_variable(process_id: int, name: str, value: str) -> bool:
    """Return whether a process was started with an environment variable; False where that can't be read."""
    try:
        variables = (_PROC / str(process_id) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return os.fsencode(f"{name}={value}") in variables


def end_processes(find: FindProcesses, *, grace_s: float) -> tuple[int, ...]:
    """Ask processes to end, then kill those that stay, until `find` returns none.

    Args:
        find: Returns those that still live; asked again and again, so that what they start meanwhile ends too.
        grace_s: How long they may take to end by themselves.

    Returns:
        Those that live on, in uninterruptible sleep or another user's; after `grace_s` + 2 s at the latest.
    """
    asked: set[int] = set()
    end_s = time.monotonic() + grace_s
    while left := find():
        if time.monotonic() >= end_s:
            break
        _send([process for process in left if process not in asked], signal.SIGTERM)
        asked.update(left)
        time.sleep(_POLL_S)
    end_s = time.monotonic() + _KILL_S
    while (left := find()) and time.monotonic() < end_s:
        _send(left, signal.SIGKILL)
        time.sleep(_POLL_S)
    return tuple(left)


def _send(process_ids: Sequence[int], number: signal.Signals) -> None:
    for process_id in process_ids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process_id, number)


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, argument: int) -> None:
    if _libc().prctl(option, argument, 0, 0, 0) != 0:
        raise ControllerError(f"prctl({option}) failed: {os.strerror(ctypes.get_errno())}; a Linux kernel is needed")
