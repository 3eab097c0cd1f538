"""Actions by id: each acts once, however often and however closely it is asked for."""

from __future__ import annotations

import asyncio

from harness.controllers.device.messages import PerformRequest
from harness.controllers.memory import OutcomeMemory
from harness.errors import ActionUnknown, ControllerError, EmergencyStop, HarnessError
from harness.protocols import Controller
from harness.values.outcome import Outcome


class ActionDesk:
    """Runs actions on one controller, to their end even when nobody waits for them any more."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._memory = OutcomeMemory()
        self._running: dict[str, asyncio.Task[Outcome]] = {}

    async def perform(self, request: PerformRequest) -> Outcome:
        """Return the outcome of an action: of the one that runs, of the one that ran, or of a new one.

        Raises:
            ActionUnknown: it was begun and cut off, now or earlier, or failed where it may have reached the device.
            EmergencyStop: a person took the device back.
            ControllerError: nothing reached the device; the same id may be tried again.
        """
        task = self._running.get(request.action_id)
        if task is None:
            stored = self._memory.recall(request.action_id)
            if stored is not None:
                return stored
            self._memory.begin(request.action_id)
            task = asyncio.create_task(self._run(request))
            self._running[request.action_id] = task
            task.add_done_callback(lambda done: self._ended(request.action_id, done))
        return await self._wait(task, request.action_id)

    async def _wait(self, task: asyncio.Task[Outcome], action_id: str) -> Outcome:
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            waiter = asyncio.current_task()
            if task.cancelled() and waiter is not None and not waiter.cancelling():
                raise ActionUnknown(f"the device was closed in the middle of action {action_id!r}") from None
            raise

    async def _run(self, request: PerformRequest) -> Outcome:
        try:
            outcome = await self._controller.perform(
                request.calls,
                action_id=request.action_id,
                decision_frame=request.decision_frame,
                deadline_s=request.deadline_s,
            )
        except (ActionUnknown, EmergencyStop):
            raise
        except ControllerError:
            self._memory.forget(request.action_id)
            raise
        except HarnessError as exc:
            raise ActionUnknown(f"{exc}; action {request.action_id!r} may or may not have happened") from exc
        return self._memory.keep(outcome)

    def _ended(self, action_id: str, task: asyncio.Task[Outcome]) -> None:
        del self._running[action_id]
        if not task.cancelled():
            task.exception()  # whoever waited has it; when nobody did, it is no error of the event loop

    async def stop(self) -> None:
        """Cut off what runs; those actions are unknown from now on."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
