"""The session loop: open the device, take one step after another, end the round."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import replace

from harness.errors import ContextError, ControllerError, EmergencyStop, InfrastructureError, PolicyError
from harness.protocols import DeviceStart
from harness.session.acting import StepActor
from harness.session.ending import StepEnd
from harness.session.images import ImageKeeper
from harness.session.limits import GRACE_S, reached_limit
from harness.session.listing import Listing
from harness.session.opening import SessionPlan, opening_events
from harness.session.parts import SessionParts
from harness.session.recorder import Recorder
from harness.session.recordings import RecordingKeeper
from harness.session.report import StepReport, report_step
from harness.session.requester import Requester
from harness.session.state import CAPTURE_ACTION, SessionState
from harness.store.layout import SessionDirectory
from harness.tools.parse import unique_calls
from harness.values.event import ArtifactStored, InstructionAdded, Interrupted, OutcomeRecorded, RoundEnded
from harness.values.message import Reply
from harness.values.observation import Sight
from harness.values.run import RunResult

_MAX_TEXTUAL_REPLIES = 2


class SessionLoop:
    """One session: `open`, then `step` until it returns None, then `close`."""

    def __init__(self, parts: SessionParts, plan: SessionPlan) -> None:
        self._parts = parts
        self._plan = plan
        self._recorder = Recorder(parts.log, parts.clock)
        self._keeper = ImageKeeper(parts.blobs, parts.painter)
        self._requester = Requester(self._recorder, parts.policy)
        self._recordings = RecordingKeeper(parts.blobs)
        self._actor = StepActor(parts, self._recorder, self._keeper, self._recordings)
        self._listing = Listing(parts, plan)
        self._used_ids: set[str] = set()
        self._started_s = parts.clock.monotonic_s()

    @property
    def state(self) -> SessionState:
        """The fold of everything recorded."""
        return self._recorder.state

    @property
    def directory(self) -> SessionDirectory:
        """Where everything lands."""
        return self._parts.directory

    async def open(self) -> None:
        """Open the device, record the session's header, its round and the first sight.

        Raises:
            ControllerError: the device can't be opened; the session is listed as `infrastructure`.
            EmergencyStop: a person took the device back meanwhile; the session is listed as `interrupted`.
            StorageError: the session can't be written.
        """
        parts = self._parts
        self._listing.write(self.state)
        start = DeviceStart(url=self._plan.url, max_sent=parts.policy.profile.max_sent)
        try:
            sight = await parts.controller.open(start, parts.observers)
        except BaseException as exc:
            is_stopped = isinstance(exc, EmergencyStop | asyncio.CancelledError)
            self._listing.write(self.state, unopened="interrupted" if is_stopped else "infrastructure")
            raise
        opened, started = opening_events(
            self._plan,
            session=parts.directory.id,
            capabilities=parts.controller.capabilities(),
            profile=parts.policy.profile,
            policy=parts.policy.name,
        )
        self._recorder.record(opened, started, step=0)
        await self._record_capture(sight)
        await self._recorder.finish_step()

    async def steps(self) -> AsyncIterator[StepReport]:
        """Yield a report after each step until the round ends."""
        while (report := await self.step()) is not None:
            yield report

    async def step(self) -> StepReport | None:
        """Take one step; return its report, or None when the round is over.

        Raises:
            StorageError: something could not be stored; what was committed stands.
        """
        if self.state.ended is not None:
            return None
        began_s, before = self._parts.clock.monotonic_s(), self.state.step
        end = self._limit() or await self._take_step()
        if end is not None:
            await self._end_round(end)
        await self._recorder.finish_step()
        if self.state.step == before:
            return None
        return report_step(self.state, seconds=self._parts.clock.monotonic_s() - began_s)

    async def end(self, *, reason: str, success: bool, is_verified: bool) -> None:
        """End the round from outside with the status `finished`; nothing happens when it is over already."""
        if self.state.ended is None:
            body = RoundEnded(status="finished", reason=reason, answer=None, success=success, is_verified=is_verified)
            await self._close_round(body)

    async def instruct(self, text: str) -> None:
        """Add a user instruction to the running round."""
        self._recorder.record(InstructionAdded(text=text))

    async def interrupt(self, reason: str) -> None:
        """End the round as `interrupted`; safe at any time."""
        if self.state.ended is None and self.state.opened is not None:
            await self._end_round(StepEnd(status="interrupted", reason=reason))

    async def close(self) -> None:
        """Release and close the device, the policy and the stores; never raises for a device that is gone."""
        parts = self._parts
        async with AsyncExitStack() as stack:  # in the order from the last line up, whatever one of them raises
            stack.callback(parts.log.close)
            if parts.notes is not None:
                stack.callback(parts.notes.close)
            stack.push_async_callback(self._recorder.settle)
            stack.push_async_callback(parts.policy.close)
            stack.push_async_callback(parts.controller.close)
            await self._release()

    def result(self) -> RunResult:
        """Return how the round stands; a running round is `interrupted`."""
        state, totals = self.state, self.state.totals
        ended = state.ended or RoundEnded(
            status="interrupted", reason="the round has not ended", answer=None, success=False, is_verified=False
        )
        return RunResult(
            session=self._parts.directory.id,
            directory=str(self._parts.directory.path),
            status=ended.status,
            reason=ended.reason,
            answer=ended.answer,
            success=ended.success,
            is_verified=ended.is_verified,
            steps=totals.steps,
            seconds=self._parts.clock.monotonic_s() - self._started_s,
            input_tokens=totals.input_tokens,
            cached_tokens=totals.cached_tokens,
            output_tokens=totals.output_tokens,
            cost_usd=None,
        )

    def _limit(self) -> StepEnd | None:
        state = self.state
        assert state.opened is not None, "a step before the session was opened"
        reached = reached_limit(state, state.opened.settings.limits, now_s=self._parts.clock.now_s())
        return None if reached is None else StepEnd(status=reached[0], reason=reached[1])

    async def _take_step(self) -> StepEnd | None:
        step = self.state.step + 1
        try:
            await self.ensure_sight()
            reply = await self._ask_policy()
        except EmergencyStop as exc:
            return StepEnd(status="interrupted", reason=str(exc))
        except (PolicyError, ControllerError) as exc:
            return StepEnd(status="infrastructure", reason=str(exc))
        except ContextError as exc:
            return StepEnd(status="infrastructure" if exc.exit_code == 3 else "context_budget", reason=str(exc))
        message = unique_calls(reply.message, used=self._used_ids, step=step)
        self._used_ids.update(call.id for call in message.calls)
        end = await self._actor.carry_out(replace(reply, message=message), step=step)
        if end is None and self.state.textual_replies >= _MAX_TEXTUAL_REPLIES:
            return StepEnd(status="no_action", reason="two replies in a row held no tool call")
        return end

    async def _ask_policy(self) -> Reply:
        request = self._requester.build()
        assert self.state.opened is not None, "a request before the session was opened"
        deadline_s = self.state.opened.settings.limits.step_seconds
        try:
            async with asyncio.timeout(deadline_s + GRACE_S):
                return await self._parts.policy.send(request, deadline_s=deadline_s)
        except TimeoutError as exc:
            raise PolicyError(
                f"{self._parts.policy.name} gave no reply within {deadline_s:g} s; raise limits.step_seconds"
            ) from exc

    async def ensure_sight(self) -> None:
        """Capture once where a call reached the device and its result has no frame (R-IMG-5, R-IMG-6)."""
        state = self.state
        outcome = state.outcome
        if outcome is None or outcome.status == "refused":
            return
        has_frame = outcome.observation is not None and outcome.observation.frame is not None
        if has_frame or self._has_captured(state):
            return
        assert state.opened is not None, "a capture before the session was opened"
        await self._record_capture(await self._parts.controller.capture(state.opened.settings.limits.step_seconds))

    def _has_captured(self, state: SessionState) -> bool:
        exchange = state.exchange
        return exchange is not None and any(
            entry.kind == "capture" and entry.seq > exchange.seq for entry in state.transcript.entries[-2:]
        )

    async def _record_capture(self, sight: Sight) -> None:
        state = self.state
        taken = [artifact.id for artifact in state.artifacts]
        assert state.opened is not None, "a capture before the session was opened"
        images = await self._keeper.keep_sight(
            sight.observation,
            sight.capture,
            step=state.step,
            taken=taken,
            has_marks=state.opened.settings.marks_image,
        )
        self._recorder.record(
            *(ArtifactStored(artifact=image) for image in images),
            OutcomeRecorded(
                action_id=CAPTURE_ACTION,
                status="done",
                calls=(),
                carrier=None,
                observation=sight.observation,
                images=tuple(image.id for image in images),
            ),
        )

    async def _end_round(self, end: StepEnd) -> None:
        if end.status == "interrupted":
            await self._release()
            self._recorder.record(Interrupted(reason=end.reason))
        body = RoundEnded(status=end.status, reason=end.reason, answer=end.answer, success=end.claim, is_verified=False)
        if self._parts.check is not None and end.status not in {"infrastructure", "interrupted", "needs_user"}:
            provisional = replace(
                self.result(), status=end.status, reason=end.reason, answer=end.answer, success=end.claim
            )
            body = replace(body, success=await self._parts.check(provisional), is_verified=True)
        await self._close_round(body)

    async def _close_round(self, body: RoundEnded) -> None:
        if body.status in {"infrastructure", "interrupted"}:
            rows = self._recordings.rows(self.state, is_last=True)
        else:
            rows = await self._recordings.last_rows(self._parts.controller, self.state)
        self._recorder.record(*rows, body)
        await self._recorder.finish_step()
        await self._recorder.settle()
        self._listing.write(self.state)

    async def _release(self) -> None:
        """Let go of every key and button; a device that is gone holds none."""
        with suppress(InfrastructureError, TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await self._parts.controller.release_all()
