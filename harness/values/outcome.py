"""What came of a step's device calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.values.frame import Capture
from harness.values.observation import Observation
from harness.values.recording import Recording

CallStatus = Literal["executed", "failed", "not_executed", "unknown"]
OutcomeStatus = Literal["done", "refused", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOutcome:
    """What came of one device call.

    Attributes:
        call_id: The tool call it answers.
        status: `executed`; `failed` (reached the device and did not work); `not_executed` (never reached it);
            `unknown` (cut off, may have happened).
        text: One or two sentences for the model; quotes page text only as quoted lines.
    """

    call_id: str
    status: CallStatus
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of `perform`.

    Attributes:
        action_id: The id the caller gave; a repeated request returns the stored outcome.
        status: `done` when the device answered; `refused` when nothing reached it; `unknown` when it was cut off.
        calls: One outcome for each call, in the order of the calls.
        observation: What the device showed afterwards; None when nothing reached it or it can't be seen.
        capture: The bytes of that observation's frame, or None.
        error: What failed beyond a single call, or None.
        recordings: Recordings that were finished by now, of this step or of earlier ones; each comes once.
    """

    action_id: str
    status: OutcomeStatus
    calls: tuple[CallOutcome, ...]
    observation: Observation | None
    capture: Capture | None = None
    error: str | None = None
    recordings: tuple[Recording, ...] = ()
