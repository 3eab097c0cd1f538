"""Ctrl-C and SIGTERM: the first ends a run cleanly, the second at once."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from typing import Final

EXIT_INTERRUPTED: Final = 130


def cancel_on_signals() -> None:
    """Let SIGINT and SIGTERM cancel the task that calls this; a second one ends the process on the spot.

    So a round is recorded as interrupted, its keys are released and its device is given back, unless somebody can't
    wait. An ignored SIGINT stays ignored: a shell sets that for jobs in the background.
    """
    running = asyncio.current_task()
    assert running is not None, "called inside the run's task"
    has_begun = False

    def end() -> None:
        nonlocal has_begun
        if has_begun:
            os.write(2, b"\ninterrupted again: ended at once\n")
            os._exit(EXIT_INTERRUPTED)
        has_begun = True
        running.cancel()

    heeded = [signal.SIGTERM]
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        heeded.append(signal.SIGINT)
    with suppress(NotImplementedError):  # Windows has no such handlers; there asyncio turns Ctrl-C into the same
        for number in heeded:
            asyncio.get_running_loop().add_signal_handler(number, end)
