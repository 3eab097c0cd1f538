"""The entry of a session in the list of sessions, rewritten whole whenever its status changes."""

from __future__ import annotations

from datetime import UTC, datetime

from harness.session.opening import SessionPlan
from harness.session.parts import SessionParts
from harness.session.state import SessionState
from harness.store.info import SessionInfo
from harness.values.run import RunStatus


class Listing:
    """Writes `session.json`."""

    def __init__(self, parts: SessionParts, plan: SessionPlan) -> None:
        self._parts = parts
        self._plan = plan
        self._started_at = self._now()

    def write(self, state: SessionState, *, unopened: RunStatus | None = None) -> None:
        """Write how the session stands; `unopened` says how one ended whose device never opened.

        Raises:
            StorageError: it can't be written.
        """
        ended = state.ended
        is_over = unopened is not None or ended is not None
        self._parts.directory.write_info(
            SessionInfo(
                id=self._parts.directory.id,
                agent=self._plan.agent,
                task=self._plan.task,
                started_at=self._started_at,
                model=self._parts.policy.name,
                controller=self._plan.controller,
                status=unopened or ("running" if ended is None else ended.status),
                ended_at=self._now() if is_over else None,
                steps=state.step,
                success=None if ended is None else ended.success,
                answer=None if ended is None else ended.answer,
                round=max(1, state.round),
            )
        )

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._parts.clock.now_s(), UTC)
