"""Limits: when a round ends by itself."""

from __future__ import annotations

from harness.session.state import SessionState
from harness.values.counting import counted
from harness.values.run import RunStatus
from harness.values.settings import Limits

GRACE_S = 2.0  # a device or a policy keeps its deadline itself; past it by so much the session stops waiting


def reached_limit(state: SessionState, limits: Limits, *, now_s: float) -> tuple[RunStatus, str] | None:
    """Return the status and a sentence for a person when a limit is reached, else None."""
    totals = state.totals
    if limits.steps is not None and totals.steps >= limits.steps:
        return "step_limit", f"the limit of {counted(limits.steps, 'step')} is reached; raise it with --max-steps"
    if limits.seconds is not None and now_s - state.round_started_s >= limits.seconds:
        return "time_limit", f"the limit of {limits.seconds:g} s is reached; raise limits.seconds"
    if limits.input_tokens is not None and totals.input_tokens >= limits.input_tokens:
        limit = counted(limits.input_tokens, "input token")
        return "token_limit", f"the limit of {limit} is reached; raise limits.input_tokens"
    return None
