"""What one step did, for the terminal and for callers that iterate a session."""

from __future__ import annotations

from dataclasses import dataclass

from harness.session.state import SessionState
from harness.values.message import ResultStatus
from harness.values.transcript import Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class CallReport:
    """One call and what came of it; `status` is None while it is open."""

    name: str
    arguments_json: str
    status: ResultStatus | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReport:
    """One finished step.

    Attributes:
        step: Session step number, from 1.
        text: What the model said beside its calls.
        calls: Its calls in order.
        url: Address after the step, or None.
        title: Title after the step.
        images: Kinds of the images that its request showed.
        estimated_tokens: Estimated size of its request.
        seconds: Wall time of the step.
    """

    step: int
    text: str
    calls: tuple[CallReport, ...]
    url: str | None
    title: str
    images: tuple[str, ...]
    estimated_tokens: int
    seconds: float


def report_step(state: SessionState, *, seconds: float) -> StepReport:
    """Return the report of the state's newest exchange."""
    exchange = state.exchange
    assert exchange is not None, "a report without a step"
    sight = state.transcript.current_sight
    observation = None if sight is None else sight.observation
    return StepReport(
        step=exchange.step,
        text=exchange.message.text,
        calls=report_exchange(exchange),
        url=None if observation is None else observation.url,
        title="" if observation is None else observation.title,
        images=tuple(image.image_kind for image in state.shown),
        estimated_tokens=state.estimated_tokens,
        seconds=seconds,
    )


def report_exchange(exchange: Exchange) -> tuple[CallReport, ...]:
    """Return the calls of an exchange with what came of them."""
    results = {result.call_id: result for result in exchange.results}
    reports = []
    for call in exchange.message.calls:
        result = results.get(call.id)
        reports.append(
            CallReport(
                name=call.name,
                arguments_json=call.arguments_json,
                status=None if result is None else result.status,
                text="" if result is None else result.text,
            )
        )
    return tuple(reports)
