"""Validate a finished step locally and let the stall rule judge it."""

from __future__ import annotations

from dataclasses import dataclass

from harness.errors import ObservationError
from harness.history.similarity import is_same_screen
from harness.history.stall import action_key, advance, step_kind, verdict, warning
from harness.history.validation import validate_step
from harness.session.ending import StepEnd
from harness.session.state import SessionState
from harness.store.blobs import BlobStore
from harness.values.action import DeviceCall
from harness.values.counting import counted
from harness.values.event import StepValidated
from harness.values.observation import Observation
from harness.values.outcome import Outcome
from harness.values.settings import Limits
from harness.values.validation import StallState


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a step was worth: its event, a line for the model, why the round ends; each may be None but the event."""

    event: StepValidated
    warning: str | None = None
    end: StepEnd | None = None


def judge_step(
    before: SessionState, now: SessionState, calls: tuple[DeviceCall, ...], outcome: Outcome | None, blobs: BlobStore
) -> Verdict:
    """Return the verdict on the step whose reply was just carried out.

    Args:
        before: The state that the step was decided on.
        now: The state with its reply.
        calls: Its device calls.
        outcome: What came of them, or None.
        blobs: Read only when the same action is about to count as repeated on a screen of other bytes.
    """
    assert now.opened is not None, "a verdict before the session was opened"
    exchange = now.exchange
    assert exchange is not None, "a verdict without a step"
    sight = before.transcript.current_sight
    seen = None if sight is None else sight.observation
    kind, key, screen = step_kind(exchange.message.calls), action_key(exchange.message.calls), _screen_key(seen)
    stall = advance(
        before.stall,
        action_key=key,
        screen_key=screen,
        is_idle=kind == "idle",
        is_text_only=kind == "neutral",
        is_same=key == before.stall.action_key and _looks_alike(before.stall.screen_key, screen, blobs),
    )
    validation = validate_step(
        calls,
        () if outcome is None else outcome.calls,
        before=seen,
        after=None if outcome is None else outcome.observation,
        stall=stall,
    )
    return _verdict(StepValidated(validation=validation, stall=stall), stall, now.opened.settings.limits)


def _verdict(event: StepValidated, stall: StallState, limits: Limits) -> Verdict:
    match verdict(stall, limits):
        case "stalled":
            reason = f"the same action was done {stall.repeats} times on the same screen"
            return Verdict(event=event, end=StepEnd(status="stalled", reason=reason))
        case "idle":
            steps = counted(stall.idle_steps, "step")
            reason = f"{steps} in a row only waited or read; raise limits.idle_steps to allow more"
            return Verdict(event=event, end=StepEnd(status="stalled", reason=reason))
        case "warn":
            return Verdict(event=event, warning=warning(stall))
        case "go on":
            return Verdict(event=event)


def _screen_key(observation: Observation | None) -> str:
    return "" if observation is None or observation.frame is None else observation.frame.sha256


def _looks_alike(first: str, second: str, blobs: BlobStore) -> bool:
    if not first or not second or first == second:
        return first == second
    try:
        return is_same_screen(blobs.get(first), blobs.get(second))
    except ObservationError:
        return False  # an image that can't be read is no evidence of a stall
