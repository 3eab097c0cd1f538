"""Accessibility recordings beside the steps: nobody waits for them."""

from __future__ import annotations

import asyncio
import json
from typing import Final

from harness.errors import HarnessError
from harness.protocols import AccessibilityRecorder, DesktopView
from harness.values.frame import Frame
from harness.values.recording import Recording

RECORD_S: Final = 5.0
SCHEMA: Final = "transom/accessibility/1"


class Recordings:
    """Starts a recording for each frame and hands the finished ones out, each once.

    The next action ends a recording that still runs: it would show the screen after that action.
    """

    def __init__(self, recorder: AccessibilityRecorder | None, view: DesktopView) -> None:
        self._recorder = recorder
        self._view = view
        self._running: asyncio.Task[Recording] | None = None
        self._finished: list[Recording] = []

    def begin(self, frame: Frame) -> None:
        """Start to record what the desktop shows now."""
        if self._recorder is not None:
            self._running = asyncio.create_task(self._record(self._recorder, frame))
            self._running.add_done_callback(self._keep)

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

    def _keep(self, task: asyncio.Task[Recording]) -> None:
        if not task.cancelled() and task.exception() is None:
            self._finished.append(task.result())

    async def _record(self, recorder: AccessibilityRecorder, frame: Frame) -> Recording:
        try:
            body = await recorder.record(self._view, frame, deadline_s=RECORD_S)
        except asyncio.CancelledError:
            body = _failed("cut off by the next action")
        except HarnessError as exc:
            body = _failed(str(exc))
        return Recording(kind="accessibility", frame_sha256=frame.sha256, body=body)


def _failed(reason: str) -> bytes:
    return json.dumps({"schema": SCHEMA, "error": reason}).encode() + b"\n"
