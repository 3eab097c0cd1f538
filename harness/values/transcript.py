"""The transcript: the append-only list of what happened, in the order of its sequence numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.values.artifact import Artifact
from harness.values.message import AssistantMessage, ToolResult
from harness.values.observation import Observation

ExchangeState = Literal["open", "complete", "dead"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """A user instruction that arrived at `seq`; the first of a round is its task."""

    seq: int
    step: int
    round: int
    text: str
    is_task: bool
    kind: Literal["instruction"] = "instruction"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeCapture:
    """An observation that the harness captured by itself: at the start, on resume, after a failed capture.

    Attributes:
        seq: Its place in the order of the session.
        step: The last finished step, 0 before the first.
        observation: What the device showed.
        images: Artifacts it brought: clean, then marks.
    """

    seq: int
    step: int
    round: int
    observation: Observation
    images: tuple[Artifact, ...] = ()
    kind: Literal["capture"] = "capture"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """An assistant message with all its tool calls and all their results.

    Attributes:
        seq: Sequence number of the reply; its identity and its place in the order.
        step: Session step number, from 1, never restarted.
        round: The round it belongs to, from 1.
        message: The assistant message.
        results: Results so far, in the order of the calls.
        carrier: The call whose result carries observation and images; None when nothing reached the device.
        observation: What the device showed after the step, or None.
        images: Artifacts the step brought, in the order clean, requested, marks, action.
        is_dead: Whether it was closed with `interrupted` results after a crash.
    """

    seq: int
    step: int
    round: int
    message: AssistantMessage
    results: tuple[ToolResult, ...] = ()
    carrier: str | None = None
    observation: Observation | None = None
    images: tuple[Artifact, ...] = ()
    is_dead: bool = False
    kind: Literal["exchange"] = "exchange"

    @property
    def state(self) -> ExchangeState:
        """`open` while a call has no result, then `complete`, or `dead` when it was closed by a resume."""
        if self.is_dead:
            return "dead"
        answered = {result.call_id for result in self.results}
        return "complete" if all(call.id in answered for call in self.message.calls) else "open"


Entry = Instruction | RuntimeCapture | Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """All entries of a session, oldest first."""

    entries: tuple[Entry, ...] = ()

    @property
    def current_sight(self) -> Exchange | RuntimeCapture | None:
        """The newest entry with an observation: it brought the current state of the screen."""
        for entry in reversed(self.entries):
            if not isinstance(entry, Instruction) and entry.observation is not None:
                return entry
        return None
