"""Carry out one reply: notes and reads by the harness, device calls as one batch, then the round's end if asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from harness.errors import ActionUnknown, ControllerError, EmergencyStop
from harness.protocols import Stroke
from harness.session.arrange import Arrangement, arrange
from harness.session.ending import StepEnd
from harness.session.images import Decision, ImageKeeper
from harness.session.limits import GRACE_S
from harness.session.own_calls import OwnCalls
from harness.session.parts import SessionParts
from harness.session.recorder import Recorder
from harness.session.recordings import RecordingKeeper
from harness.session.results import ResultKeeper, result_of
from harness.session.stalling import judge_step
from harness.session.state import SessionState
from harness.tools.calls import AskRequest, FinishRequest
from harness.tools.parse import parse_call
from harness.values.action import DeviceCall, ReadingAction
from harness.values.event import (
    ArtifactStored,
    CallRefused,
    EventBody,
    IntentRecorded,
    OutcomeRecorded,
    QuestionAsked,
    ReplyReceived,
)
from harness.values.message import Reply, ToolResult
from harness.values.outcome import CallOutcome, Outcome
from harness.values.transcript import Exchange, RuntimeCapture


@dataclass(frozen=True, slots=True, kw_only=True)
class _Performed:
    """What came of a step's device calls.

    Attributes:
        outcome: The device's outcome, or the harness's own where the device was cut off; None without calls.
        end: Why the round is over, where the device is lost or a person took it back.
    """

    outcome: Outcome | None = None
    end: StepEnd | None = None


class StepActor:
    """Carries out replies; each leaves the session durable and its screen known."""

    def __init__(
        self, parts: SessionParts, recorder: Recorder, keeper: ImageKeeper, recordings: RecordingKeeper
    ) -> None:
        self._parts = parts
        self._recorder = recorder
        self._keeper = keeper
        self._recordings = recordings
        self._own = OwnCalls(parts, recorder, keeper)

    async def carry_out(self, reply: Reply, *, step: int) -> StepEnd | None:
        """Record the reply, run its calls, record what came of them.

        Returns:
            Why the round is over, or None when it goes on.

        Raises:
            StorageError: something could not be stored; what was committed stands.
        """
        before = self._recorder.state
        plan = self._plan(reply, before)
        action_id = f"{before.opened.session if before.opened else ''}-{step:04d}"
        calls = tuple(call.device_call for call in plan.device)
        self._recorder.record(
            ReplyReceived(reply=reply),
            *(CallRefused(call_id=refusal.call_id, reason=refusal.reason) for refusal in plan.refused),
            *self._intent(calls, action_id, before),
            step=step,
        )
        own_events = await self._own.run(plan.own)
        performed = await self._perform(calls, action_id, before) if calls else _Performed()
        return await self._conclude(plan, own_events, calls, performed, before)

    def _plan(self, reply: Reply, state: SessionState) -> Arrangement:
        assert state.opened is not None, "a reply before the session was opened"
        declared = frozenset(tool.name for tool in state.opened.tools)
        sight = state.transcript.current_sight
        observation = None if sight is None else sight.observation
        apps = state.opened.apps
        return arrange(
            [parse_call(call, declared=declared, observation=observation, apps=apps) for call in reply.message.calls]
        )

    def _intent(self, calls: Sequence[DeviceCall], action_id: str, state: SessionState) -> tuple[EventBody, ...]:
        if not calls:
            return ()
        decision = current_decision(state)
        frame = None if decision is None else decision.artifact
        return (IntentRecorded(action_id=action_id, calls=tuple(calls), decision_frame=frame),)

    async def _perform(self, calls: Sequence[DeviceCall], action_id: str, state: SessionState) -> _Performed:
        assert state.opened is not None, "an action before the session was opened"
        deadline_s = state.opened.settings.limits.step_seconds
        decision = current_decision(state)
        try:
            async with asyncio.timeout(deadline_s + GRACE_S):
                outcome = await self._parts.controller.perform(
                    calls,
                    action_id=action_id,
                    decision_frame=None if decision is None else decision.frame,
                    deadline_s=deadline_s,
                )
        except EmergencyStop as exc:
            return _cut_off(calls, action_id, "unknown", StepEnd(status="interrupted", reason=str(exc)))
        except (ActionUnknown, TimeoutError) as exc:
            reason = str(exc) or f"no answer within {deadline_s:g} s"
            return _cut_off(calls, action_id, "unknown", StepEnd(status="infrastructure", reason=reason))
        except ControllerError as exc:
            return _cut_off(calls, action_id, "refused", StepEnd(status="infrastructure", reason=str(exc)))
        self._recordings.accept(outcome.recordings, state)
        return _Performed(outcome=outcome)

    async def _conclude(
        self,
        plan: Arrangement,
        own_events: Sequence[EventBody],
        calls: Sequence[DeviceCall],
        performed: _Performed,
        before: SessionState,
    ) -> StepEnd | None:
        state, outcome = self._recorder.state, performed.outcome
        assert state.opened is not None, "a result before the session was opened"
        events: list[EventBody] = []
        if outcome is not None:
            events.extend(await self._outcome_events(calls, outcome, before))
        verdict = judge_step(before, state, tuple(calls), outcome, self._parts.blobs)
        keeper = ResultKeeper(self._recorder, self._parts.blobs, limit_chars=state.opened.settings.result_chars)
        last_call = None if outcome is None or not outcome.calls else outcome.calls[-1].call_id
        for result in self._results(plan, outcome):
            notice = verdict.warning if result.call_id == last_call else None
            events.extend(await keeper.keep(result, notice=notice))
        end, ending_events = await self._end(plan, performed)
        rows = self._recordings.rows(state)
        self._recorder.record(*events, *own_events, *ending_events, *rows, verdict.event)
        return end or verdict.end

    def _results(self, plan: Arrangement, outcome: Outcome | None) -> list[ToolResult]:
        names = self._recorder.state.call_names
        results = [
            ToolResult(call_id=refusal.call_id, name=names[refusal.call_id], status="error", text=refusal.reason)
            for refusal in plan.refused
        ]
        results.extend(
            ToolResult(call_id=item.call_id, name=names[item.call_id], status="not_executed", text=item.reason)
            for item in plan.blocked
        )
        if outcome is not None:
            results.extend(result_of(call, name=names[call.call_id]) for call in outcome.calls)
        return results

    async def _outcome_events(
        self, calls: Sequence[DeviceCall], outcome: Outcome, before: SessionState
    ) -> list[EventBody]:
        assert before.opened is not None, "an outcome before the session was opened"
        images = await self._keeper.keep_step(
            outcome,
            current_decision(before),
            _strokes(calls, outcome),
            step=self._recorder.state.step,
            has_marks=before.opened.settings.marks_image,
        )
        recorded = OutcomeRecorded(
            action_id=outcome.action_id,
            status=outcome.status,
            calls=outcome.calls,
            carrier=_carrier(outcome),
            observation=outcome.observation,
            images=tuple(image.id for image in images),
            error=outcome.error,
        )
        return [*(ArtifactStored(artifact=image) for image in images), recorded]

    async def _end(self, plan: Arrangement, performed: _Performed) -> tuple[StepEnd | None, tuple[EventBody, ...]]:
        if performed.end is not None:
            text = "not executed: the run ended before this call"
            left = () if plan.ending is None else (self._own.plain_result(plan.ending.call_id, "not_executed", text),)
            return performed.end, left
        match plan.ending:
            case None:
                return None, ()
            case FinishRequest():
                return self._finish(plan.ending, performed.outcome)
            case AskRequest():
                return await self._ask(plan.ending)

    def _finish(self, request: FinishRequest, outcome: Outcome | None) -> tuple[StepEnd | None, tuple[EventBody, ...]]:
        problem = self._finish_problem(request, outcome)
        if problem is not None:
            return None, (self._own.plain_result(request.call_id, "error", problem),)
        result = self._own.plain_result(request.call_id, "ok", "The round is over.")
        reason = "the agent finished" if request.success else "the agent gave up"
        return StepEnd(status="finished", reason=reason, answer=request.answer, claim=request.success), (result,)

    def _finish_problem(self, request: FinishRequest, outcome: Outcome | None) -> str | None:
        if outcome is not None and any(call.status != "executed" for call in outcome.calls):
            return "not finished: an earlier call of this reply was not carried out; look at its result first"
        if self._parts.answer_problem is None or not request.success:
            return None
        problem = self._parts.answer_problem(request.answer)
        return None if problem is None else f"not finished: the answer is not valid: {problem}"

    async def _ask(self, request: AskRequest) -> tuple[StepEnd | None, tuple[EventBody, ...]]:
        asked = QuestionAsked(call_id=request.call_id, question=request.question)
        if self._parts.ask is None:
            return StepEnd(status="needs_user", reason=f"the agent asks: {request.question}"), (asked,)
        answer = await self._parts.ask(request.question)
        return None, (asked, self._own.plain_result(request.call_id, "ok", f"The user answers: {answer}"))


def current_decision(state: SessionState) -> Decision | None:
    """Return the frame that the next decision rests on, or None when the screen isn't known."""
    sight: Exchange | RuntimeCapture | None = state.transcript.current_sight
    if sight is None or sight.observation is None or sight.observation.frame is None:
        return None
    clean = next((image.id for image in sight.images if image.kind == "clean"), None)
    return None if clean is None else Decision(frame=sight.observation.frame, artifact=clean)


def _cut_off(
    calls: Sequence[DeviceCall], action_id: str, status: Literal["unknown", "refused"], end: StepEnd
) -> _Performed:
    """Return the harness's own outcome of calls that the device gave none for, and why the round is over."""
    is_unknown = status == "unknown"
    text = "the call was cut off and may or may not have happened; look before you repeat it"
    outcomes = tuple(
        CallOutcome(call_id=call.call_id, status="unknown", text=f"outcome unknown: {text}")
        if is_unknown
        else CallOutcome(call_id=call.call_id, status="not_executed", text="not executed: the device is lost")
        for call in calls
    )
    outcome = Outcome(action_id=action_id, status=status, calls=outcomes, observation=None, error=end.reason)
    return _Performed(outcome=outcome, end=end)


def _carrier(outcome: Outcome) -> str | None:
    if outcome.status == "refused":
        return None
    reached = [call.call_id for call in outcome.calls if call.status != "not_executed"]
    return reached[-1] if reached else None


def _strokes(calls: Sequence[DeviceCall], outcome: Outcome) -> tuple[Stroke, ...]:
    happened = {call.call_id for call in outcome.calls if call.status in {"executed", "unknown"}}
    drawn = [call.action for call in calls if call.call_id in happened and not isinstance(call.action, ReadingAction)]
    return tuple(Stroke(action=action, number=number) for number, action in enumerate(drawn, start=1))
