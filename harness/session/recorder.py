"""The recorder: writes events and folds them at once, so the live state is the fold."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from harness.protocols import Clock
from harness.session.fold import fold
from harness.session.log import EventLog
from harness.session.state import SessionState
from harness.values.event import EventBody
from harness.values.projection import Request


class Recorder:
    """Owns the state of a running session; nothing else changes it."""

    def __init__(self, log: EventLog, clock: Clock, state: SessionState | None = None) -> None:
        self._log = log
        self._clock = clock
        self._state = state if state is not None else SessionState()
        self._anchoring: asyncio.Task[None] | None = None

    @property
    def state(self) -> SessionState:
        """The fold of everything recorded so far."""
        return self._state

    def record(self, *bodies: EventBody, step: int | None = None) -> None:
        """Append the events in one transaction, durable on return, and fold them.

        Args:
            bodies: What happened, in order.
            step: The step they belong to; the current one by default.

        Raises:
            StorageError: nothing was written and the state is as before.
        """
        if not bodies:
            return
        at_step = self._state.step if step is None else step
        events = self._log.append(bodies, step=at_step, at_s=self._clock.now_s())
        self._state = fold(events, self._state)

    def record_request(self, request: Request, bodies: Sequence[EventBody], *, step: int, attempt: int) -> None:
        """Store a request's parts and its events in one transaction, and fold the events.

        Raises:
            StorageError: nothing was written and the state is as before.
        """
        events = self._log.store_request(request, step=step, attempt=attempt, bodies=bodies, at_s=self._clock.now_s())
        self._state = fold(events, self._state)

    async def finish_step(self) -> None:
        """Begin to anchor the log in `session.head`, beside what comes next; wait for the anchor before it.

        Raises:
            StorageError: the anchor before could not be written.
        """
        await self.settle()
        self._anchoring = asyncio.create_task(asyncio.to_thread(self._log.write_head, self._log.head))

    async def settle(self) -> None:
        """Wait until the last anchor is written.

        Raises:
            StorageError: it could not be.
        """
        if self._anchoring is not None:
            anchoring, self._anchoring = self._anchoring, None
            await anchoring
