"""How a run ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never

RunStatus = Literal[
    "finished",
    "no_action",
    "needs_user",
    "stalled",
    "step_limit",
    "time_limit",
    "cost_limit",
    "token_limit",
    "context_budget",
    "infrastructure",
    "denied",
    "interrupted",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """How a round ended.

    Attributes:
        session: Session id.
        directory: Path of the session directory.
        status: Why it ended.
        reason: One sentence for a person.
        answer: What `finish` said, or None.
        success: A check's verdict where there is one, else the agent's claim; False when it never finished.
        is_verified: Whether a check gave the verdict.
        steps: Steps of the round.
        seconds: Wall time of the round.
        input_tokens: Reported input tokens, else the estimate's sum.
        cached_tokens: Reported tokens read from a cache; 0 where nothing was reported.
        output_tokens: Reported output tokens.
        cost_usd: Cost, or None where a price is unknown.
    """

    session: str
    directory: str
    status: RunStatus
    reason: str
    answer: str | None
    success: bool
    is_verified: bool
    steps: int
    seconds: float
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost_usd: float | None


def exit_code(status: RunStatus, *, success: bool) -> int:
    """Return the process exit code of a run that ended with `status`."""
    match status:
        case "finished":
            return 0 if success else 1
        case (
            "no_action"
            | "needs_user"
            | "stalled"
            | "step_limit"
            | "time_limit"
            | "cost_limit"
            | "token_limit"
            | "context_budget"
        ):
            return 1
        case "infrastructure":
            return 3
        case "denied":
            return 4
        case "interrupted":
            return 130
        case _:
            assert_never(status)
