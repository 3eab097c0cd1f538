"""Accessibility recordings beside the steps: nobody waits for them."""

from __future__ import annotations

import asyncio
import json
import logging
from functools import partial
from typing import Final

from harness.errors import HarnessError
from harness.protocols import AccessibilityRecorder, DesktopView
from harness.values.frame import Frame
from harness.values.recording import Recording

RECORD_S: Final = 5.0
SCHEMA: Final = "transom/accessibility/1"
logger = logging.getLogger(__name__)


class Recordings:
    """Starts a recording for each frame and hands the finished ones out, each once.

    The next action ends a recording that still runs: it would show the screen after that action.
    """

    def __init__(self, recorder: AccessibilityRecorder | None, view: DesktopView) -> None:
        self._recorder = recorder
        self._view = view
        self._running: asyncio.Task[bytes] | None = None
        self._finished: list[Recording] = []

    def begin(self, frame: Frame | None) -> None:
        """Start to record what the desktop shows now; without a frame there is nothing to record it beside."""
        if self._recorder is not None and frame is not None:
            self._running = asyncio.create_task(self._record(self._recorder, frame))
            self._running.add_done_callback(partial(self._keep, frame))

    async def interrupt(self) -> None:
        """End the recording that runs, before the screen changes; what it says then is that it was cut off."""
        if self._running is not None:
            self._running.cancel()
            await asyncio.wait({self._running})

    async def finish(self, limit_s: float) -> None:
        """Wait for the recording that runs, for at most `limit_s` seconds."""
        if self._running is not None:
            await asyncio.wait({self._running}, timeout=limit_s)

    def take(self) -> tuple[Recording, ...]:
        """Return the recordings that are finished and were not taken yet, oldest first."""
        taken, self._finished = tuple(self._finished), []
        return taken

    async def _record(self, recorder: AccessibilityRecorder, frame: Frame) -> bytes:
        return await recorder.record(self._view, frame, deadline_s=RECORD_S)

    def _keep(self, frame: Frame, task: asyncio.Task[bytes]) -> None:
        body = _failed("cut off by the next action") if task.cancelled() else _result(task)
        self._finished.append(Recording(kind="accessibility", frame_sha256=frame.sha256, body=body))


def _result(task: asyncio.Task[bytes]) -> bytes:
    """Return what a recorder wrote; one that failed says so, and a fault of its own goes to the log as well."""
    problem = task.exception()
    if problem is None:
        return task.result()
    if not isinstance(problem, HarnessError):
        logger.error("the recorder failed", exc_info=problem)
    return _failed(str(problem) or type(problem).__name__)


def _failed(reason: str) -> bytes:
    return json.dumps({"schema": SCHEMA, "error": reason}).encode() + b"\n"
