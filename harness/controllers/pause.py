"""Waiting because the model asked for it."""

from __future__ import annotations

import asyncio
from typing import Final

from harness.controllers.deadline import Deadline
from harness.values.action import Wait

# What stays for settling and the frame when a wait would use up the whole deadline.
_RESERVE_S: Final = 2.0


async def pause(action: Wait, deadline: Deadline) -> str:
    """Do nothing for as long as asked, at most until 2 s before the deadline, and say how long it was."""
    duration_s = min(action.duration_s, max(0.0, deadline.left_s - _RESERVE_S))
    await asyncio.sleep(duration_s)
    cut = "" if duration_s >= action.duration_s else f" of {action.duration_s:g} s: the step's deadline is nearer"
    return f"waited {duration_s:g} s{cut}"
