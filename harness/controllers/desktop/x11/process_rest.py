"""Waits until a program rests: every thread of its process waits for something, and none has run meanwhile."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from Xlib.display import Display
from Xlib.error import XError
from Xlib.ext import res
from Xlib.xobject.drawable import Window

from harness.controllers.deadline import Deadline

_PROC: Final = Path("/proc")
_LOOK_S: Final = 0.0005
# Programs that never rest, and those of other machines, which can't be watched, are given this long.
_BUSY_S: Final = 1.0
_REMOTE_S: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """What the threads of a process did until now.

    Attributes:
        is_waiting: Whether all of them wait.
        time_slices: How often they were given a processor, in total.
    """

    is_waiting: bool
    time_slices: int


class ProcessRest:
    """Watches the processes of windows."""

    def __init__(self, display: Display) -> None:
        self._display = display

    def wait(self, window: Window, deadline: Deadline) -> None:
        """Wait until a window's program has read everything that was sent to it, and handled it."""
        process_id = self._process_of(window)
        limit = Deadline(min(_BUSY_S, deadline.left_s))
        while process_id is not None and limit.left_s > 0:
            before = self._activity_after_server(process_id)
            if before is None:
                process_id = None
            elif before.is_waiting and self._activity_after_server(process_id) == before:
                # What it waited for was no answer of the server, for that has come by now and it went on waiting.
                return
            time.sleep(_LOOK_S)
        if process_id is None:
            time.sleep(min(_REMOTE_S, deadline.left_s))

    def _activity_after_server(self, process_id: int) -> Activity | None:
        """Return what a process does once the server has sent it everything that it has for it."""
        # Twice: our first answer can be on its way before what the server sends to others is.
        self._display.sync()
        self._display.sync()
        return read_activity(process_id)

    def _process_of(self, window: Window) -> int | None:
        """Return the process that a window belongs to, when it is one of this machine."""
        if not self._display.has_extension(res.extname):
            return None
        ours = self._display.display.info.resource_id_base
        numbers = [self._process_number(xid) for xid in (ours, window.id)]
        # Where the server numbers processes as we do, it knows ours by its number.
        return numbers[1] if numbers[0] == os.getpid() else None

    def _process_number(self, xid: int) -> int | None:
        asked = [{"client": xid, "mask": res.LocalClientPIDMask}]
        try:
            answer = self._display.res_query_client_ids(asked)
        except XError:
            return None
        numbers = [number for item in answer.ids for number in item.value]
        return numbers[0] if numbers else None


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
