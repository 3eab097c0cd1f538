"""The calls of one step on one device, in order, until one fails or the screen changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline, DeadlineReached
from harness.errors import ActionUnknown, ControllerError
from harness.protocols import SettleWatch
from harness.values.action import Action, DeviceCall
from harness.values.observation import SettleReport, Sight
from harness.values.outcome import CallOutcome, CallStatus, Outcome

SETTLE_CAP_S = 3.0
# Between two calls it is enough to see a navigation begin or a layer open.
BETWEEN_CAP_S = 1.0
_WATCH_S = 3.0


class TargetLost(Exception):
    """What an action was done to went away meanwhile, so it may have happened. Never leaves its controller."""


class Surface(Protocol):
    """A device as one step sees it, made when the step begins."""

    async def changed(self) -> str | None:
        """Return in what the screen differs from the step's beginning, or None; cheap."""
        ...

    async def check(self, action: Action, deadline: Deadline) -> None:
        """Refuse arguments that are wrong and marks that are gone.

        Raises:
            CallFailed: the text says what is valid; nothing was done.
        """
        ...

    async def watch(self, action: Action) -> SettleWatch:
        """Begin to watch the screen, just before `action`."""
        ...

    async def act(self, action: Action, deadline: Deadline) -> str:
        """Perform one action and return in a sentence what happened.

        Raises:
            CallFailed: it did not work; the text says why.
            TargetLost: it may or may not have happened.
        """
        ...


@dataclass(slots=True, kw_only=True)
class StepRun:
    """What a step needs, and what came of it so far.

    Attributes:
        surface: The device.
        deadline: The step's deadline.
        outcomes: One for each call so far.
        settle: The report after the last executed call, or None.
        is_cut_off: Whether a call was cut off and may or may not have happened.
        is_acting: Whether a call is under way that may have reached the device.
    """

    surface: Surface
    deadline: Deadline
    outcomes: list[CallOutcome] = field(default_factory=list)
    settle: SettleReport | None = None
    is_cut_off: bool = False
    is_acting: bool = False

    @property
    def may_have_acted(self) -> bool:
        """Whether anything may have reached the device."""
        return self.is_acting or any(call.status in {"executed", "unknown"} for call in self.outcomes)

    def outcome(self, action_id: str, sight: Sight) -> Outcome:
        """Return what came of the step, with what the device shows now."""
        return Outcome(
            action_id=action_id,
            status="unknown" if self.is_cut_off else "done",
            calls=tuple(self.outcomes),
            observation=sight.observation,
            capture=sight.capture,
            error=sight.observation.error,
        )

    def lost(self, action_id: str, *, device: str, reason: str, again: str) -> ControllerError:
        """Return the error of a step in which its device was lost: unknown where anything may have reached it."""
        if self.may_have_acted:
            return ActionUnknown(
                f"the {device} was lost in action {action_id!r}, which may have happened: {reason}; "
                f"resume the session to {again}"
            )
        return ControllerError(
            f"the {device} was lost before action {action_id!r} reached it: {reason}; start it again"
        )


async def run_calls(run: StepRun, calls: Sequence[DeviceCall]) -> None:
    """Run calls in order and record an outcome for each of them."""
    stopped: str | None = None
    for index, call in enumerate(calls):
        if index and stopped is None:
            stopped = await _why_to_stop(run)
        if stopped is not None:
            _record(run, call, "not_executed", f"not executed: {stopped}")
            continue
        status = await _run_call(run, call, is_last=index == len(calls) - 1)
        if status != "executed":
            stopped = _stop_reason(run, call, index)


async def _why_to_stop(run: StepRun) -> str | None:
    """Return why no further call may run, or None."""
    try:
        changed = await run.deadline.run(run.surface.changed(), "looking whether the screen changed")
    except DeadlineReached as exc:
        return str(exc)
    return None if changed is None else f"the screen changed ({changed})"


def _stop_reason(run: StepRun, call: DeviceCall, index: int) -> str:
    text = run.outcomes[-1].text
    if text.startswith("mark "):
        return f"the screen changed (call {index + 1}: {text})"
    return f"call {index + 1} ({call.action.kind}) did not work"


async def _run_call(run: StepRun, call: DeviceCall, *, is_last: bool) -> CallStatus:
    try:
        await run.surface.check(call.action, run.deadline)
    except CallFailed as exc:
        return _record(run, call, "failed", str(exc))
    return await _act_and_settle(run, call, cap_s=SETTLE_CAP_S if is_last else BETWEEN_CAP_S)


async def _act_and_settle(run: StepRun, call: DeviceCall, *, cap_s: float) -> CallStatus:
    try:
        watch = await run.deadline.run(run.surface.watch(call.action), "watching the screen", cap_s=_WATCH_S)
    except DeadlineReached as exc:
        return _record(run, call, "not_executed", f"not executed: {exc}")
    status = await _act(run, call)
    try:
        run.settle = await run.deadline.run(watch.settled(cap_s=cap_s), "settling")
    except DeadlineReached:
        run.settle = SettleReport(kind="cap", waited_s=0.0, pending="the step's deadline came first")
    run.is_acting = False
    return status


async def _act(run: StepRun, call: DeviceCall) -> CallStatus:
    run.is_acting = True
    doing = run.surface.act(call.action, run.deadline)
    try:
        return _record(run, call, "executed", await run.deadline.run(doing, call.action.kind))
    except CallFailed as exc:
        return _record(run, call, "failed", str(exc))
    except DeadlineReached as exc:
        run.is_cut_off = True
        return _record(run, call, "unknown", f"{exc}; it may or may not have happened")
    except TargetLost as exc:
        run.is_cut_off = True
        return _record(run, call, "unknown", str(exc))


def _record(run: StepRun, call: DeviceCall, status: CallStatus, text: str) -> CallStatus:
    run.outcomes.append(CallOutcome(call_id=call.call_id, status=status, text=text))
    return status
