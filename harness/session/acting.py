"""Carry out one reply: notes and reads by the harness, device calls as one batch, then the round's end if asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from harness.errors import ActionUnknown, ControllerError
from harness.protocols import Stroke
from harness.session.arrange import Arrangement, arrange
from harness.session.ending import StepEnd
from harness.session.images import Decision, ImageKeeper
from harness.session.limits import GRACE_S
from harness.session.own_calls import OwnCalls
from harness.session.parts import SessionParts
from harness.session.recorder import Recorder
from harness.session.results import ResultKeeper, result_of
from harness.session.stalling import judge_step
from harness.session.state import SessionState
from harness.tools.calls import AskRequest, FinishRequest
from harness.tools.parse import parse_call
from harness.values.action import DeviceCall, Look, Wait
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


class StepActor:
    """Carries out replies; each leaves the session durable and its screen known."""

    def __init__(self, parts: SessionParts, recorder: Recorder, keeper: ImageKeeper) -> None:
        self._parts = parts
        self._recorder = recorder
        self._keeper = keeper
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
        outcome = await self._perform(calls, action_id, before) if calls else None
        return await self._conclude(plan, own_events, calls, outcome, before)

    def _plan(self, reply: Reply, state: SessionState) -> Arrangement:
        assert state.opened is not None, "a reply before the session was opened"
        declared = frozenset(tool.name for tool in state.opened.tools)
        sight = state.transcript.current_sight
        observation = None if sight is None else sight.observation
        return arrange([parse_call(call, declared=declared, observation=observation) for call in reply.message.calls])

    def _intent(self, calls: Sequence[DeviceCall], action_id: str, state: SessionState) -> tuple[EventBody, ...]:
        if not calls:
            return ()
        decision = current_decision(state)
        frame = None if decision is None else decision.artifact
        return (IntentRecorded(action_id=action_id, calls=tuple(calls), decision_frame=frame),)

    async def _perform(self, calls: Sequence[DeviceCall], action_id: str, state: SessionState) -> Outcome:
        assert state.opened is not None, "an action before the session was opened"
        deadline_s = state.opened.settings.limits.step_seconds
        decision = current_decision(state)
        try:
            async with asyncio.timeout(deadline_s + GRACE_S):
                return await self._parts.controller.perform(
                    calls,
                    action_id=action_id,
                    decision_frame=None if decision is None else decision.frame,
                    deadline_s=deadline_s,
                )
        except (ActionUnknown, TimeoutError) as exc:
            return _cut_off(calls, action_id, "unknown", str(exc) or f"no answer within {deadline_s:g} s")
        except ControllerError as exc:
            return _cut_off(calls, action_id, "not_executed", str(exc))

    async def _conclude(
        self,
        plan: Arrangement,
        own_events: Sequence[EventBody],
        calls: Sequence[DeviceCall],
        outcome: Outcome | None,
        before: SessionState,
    ) -> StepEnd | None:
        state = self._recorder.state
        assert state.opened is not None, "a result before the session was opened"
        events: list[EventBody] = []
        if outcome is not None:
            events.extend(await self._outcome_events(calls, outcome, before))
        verdict = judge_step(before, state, tuple(calls), outcome, self._parts.blobs)
        results = self._results(plan, outcome, verdict.warning)
        keeper = ResultKeeper(self._recorder, self._parts.blobs, limit_chars=state.opened.settings.result_chars)
        for result in results:
            events.extend(await keeper.keep(result))
        end, ending_events = await self._end(plan, outcome)
        self._recorder.record(*events, *own_events, *ending_events, verdict.event)
        return end or verdict.end or _lost_device(outcome)

    def _results(self, plan: Arrangement, outcome: Outcome | None, warning: str | None) -> list[ToolResult]:
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
            carried = [result_of(call, name=names[call.call_id]) for call in outcome.calls]
            results.extend(_with_warning(carried, warning))
        return results

    async def _outcome_events(
        self, calls: Sequence[DeviceCall], outcome: Outcome, before: SessionState
    ) -> list[EventBody]:
        images = await self._keeper.keep_step(
            outcome, current_decision(before), _strokes(calls, outcome), step=self._recorder.state.step
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

    async def _end(self, plan: Arrangement, outcome: Outcome | None) -> tuple[StepEnd | None, tuple[EventBody, ...]]:
        match plan.ending:
            case None:
                return None, ()
            case FinishRequest():
                return self._finish(plan.ending, outcome)
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


def _cut_off(calls: Sequence[DeviceCall], action_id: str, status: str, error: str) -> Outcome:
    if status == "unknown":
        text = "outcome unknown: the call was cut off and may or may not have happened; look before you repeat it"
        outcomes = tuple(CallOutcome(call_id=call.call_id, status="unknown", text=text) for call in calls)
        return Outcome(action_id=action_id, status="unknown", calls=outcomes, observation=None, error=error)
    text = "not executed: the device is lost"
    outcomes = tuple(CallOutcome(call_id=call.call_id, status="not_executed", text=text) for call in calls)
    return Outcome(action_id=action_id, status="refused", calls=outcomes, observation=None, error=error)


def _lost_device(outcome: Outcome | None) -> StepEnd | None:
    if outcome is None or outcome.error is None:
        return None
    return StepEnd(status="infrastructure", reason=outcome.error)


def _carrier(outcome: Outcome) -> str | None:
    if outcome.status == "refused":
        return None
    reached = [call.call_id for call in outcome.calls if call.status != "not_executed"]
    return reached[-1] if reached else None


def _strokes(calls: Sequence[DeviceCall], outcome: Outcome) -> tuple[Stroke, ...]:
    happened = {call.call_id for call in outcome.calls if call.status in {"executed", "unknown"}}
    drawn = [call.action for call in calls if call.call_id in happened and not isinstance(call.action, Look | Wait)]
    return tuple(Stroke(action=action, number=number) for number, action in enumerate(drawn, start=1))


def _with_warning(results: list[ToolResult], warning: str | None) -> list[ToolResult]:
    if warning is None or not results:
        return results
    last = results[-1]
    warned = ToolResult(
        call_id=last.call_id, name=last.name, status=last.status, text=f"{last.text}\n{warning}", record=last.record
    )
    return [*results[:-1], warned]
