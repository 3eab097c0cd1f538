"""Why a step ends the round."""

from __future__ import annotations

from dataclasses import dataclass

from harness.values.run import RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEnd:
    """Why a step ended the round, before a check had its say.

    Attributes:
        status: The status the round ends with.
        reason: One sentence for a person.
        answer: What `finish` said, or None.
        claim: Whether the agent claims success.
    """

    status: RunStatus
    reason: str
    answer: str | None = None
    claim: bool = False
