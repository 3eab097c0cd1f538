"""Whether a process of this machine rests: every thread waits for something and none has run meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """What the threads of a process did until now.

    Attributes:
        is_waiting: Whether all of them wait.
        time_slices: How often they were given a processor, in total.
    """

    is_waiting: bool
    time_slices: int


def read_activity(process_id: int) -> Activity | None:
    """Return what a process is doing; None when it is gone or not to be seen."""
    is_waiting, time_slices = True, 0
    try:
        for thread in (_PROC / str(process_id) / "task").iterdir():
            # The name in brackets may hold anything, so the state is what follows the last one.
            state = (thread / "stat").read_text().rpartition(")")[2].split()[0]
            is_waiting = is_waiting and state == "S"
            time_slices += int((thread / "schedstat").read_text().split()[2])
    except (OSError, IndexError, ValueError):
        return None
    return Activity(is_waiting=is_waiting, time_slices=time_slices)
