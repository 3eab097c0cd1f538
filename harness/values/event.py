"""The events of a session log. The state of a session is a pure fold of them.

A kind may gain fields with defaults; readers ignore fields they don't know and keep kinds they don't know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.values.action import DeviceCall
from harness.values.artifact import Artifact
from harness.values.message import Reply, ToolResult
from harness.values.note import Note
from harness.values.observation import Observation
from harness.values.outcome import CallOutcome, OutcomeStatus
from harness.values.profile import ModelProfile
from harness.values.projection import ImagePart, SectionTokens
from harness.values.run import RunStatus
from harness.values.settings import SessionSettings
from harness.values.tool import ToolDeclaration
from harness.values.validation import StallState, Validation

PrefixEditCause = Literal["images", "history", "note", "chunk", "instruction", "compaction", "observation", "resume"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOpened:
    """A session began; everything a reader needs to fold and render alike.

    Attributes:
        format: Version of this log's format.
        transom: Version of the program.
        session: Session id.
        agent: The agent's name.
        config_json: The resolved configuration with its origins, secrets masked.
        fence_token: Random token of the session's fences.
        system: The system policy text.
        tools: Tool declarations in their fixed order.
        settings: Resolved settings.
        profile: The model's profile.
        policy: Name of the policy.
        controller: Kind of the controller.
        apps: What `launch` may start, by name.
    """

    format: int
    transom: str
    session: str
    agent: str
    config_json: str
    fence_token: str
    system: str
    tools: tuple[ToolDeclaration, ...]
    settings: SessionSettings
    profile: ModelProfile
    policy: str
    controller: str
    apps: tuple[str, ...] = ()
    kind: Literal["session_opened"] = "session_opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStarted:
    """A round began with its task; `url` is where the browser starts, or None."""

    round: int
    task: str
    url: str | None = None
    kind: Literal["round_started"] = "round_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionAdded:
    """The user added an instruction while the round ran."""

    text: str
    kind: Literal["instruction"] = "instruction"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactStored:
    """A blob was stored and named."""

    artifact: Artifact
    kind: Literal["artifact"] = "artifact"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestBuilt:
    """A request was rendered, validated and stored; its parts are in the table `requests`.

    Attributes:
        attempt: From 1; a recovery sends a second one.
        dialect: The dialect it was rendered in.
        images: What the window shows in it, in request order.
        not_shown: Requested images without a slot.
        sections: The token ledger.
        kept: Transcript entries (seq) that stand in it.
        estimated_tokens: Sum of the ledger.
        size_bytes: Rendered bytes.
        parts: Number of parts.
        reused_parts: Leading parts that equal the previous request's.
    """

    attempt: int
    dialect: str
    images: tuple[ImagePart, ...]
    not_shown: tuple[str, ...]
    sections: tuple[SectionTokens, ...]
    kept: tuple[int, ...]
    estimated_tokens: int
    size_bytes: int
    parts: int
    reused_parts: int
    kind: Literal["request"] = "request"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyReceived:
    """The model answered; call ids are already unique."""

    reply: Reply
    kind: Literal["reply"] = "reply"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRefused:
    """A call was refused before acting; its tool result follows."""

    call_id: str
    reason: str
    kind: Literal["refused_call"] = "refused_call"


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentRecorded:
    """Device calls are about to be sent; an intent without an outcome means *outcome unknown*."""

    action_id: str
    calls: tuple[DeviceCall, ...]
    decision_frame: str | None
    kind: Literal["intent"] = "intent"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRecorded:
    """What came of an intent; or, without calls, a capture by the harness itself.

    Attributes:
        action_id: The intent's id; `capture` for the harness's own.
        status: As in `Outcome`.
        calls: As in `Outcome`.
        carrier: The call whose result carries the observation, or None.
        observation: What the device showed, or None.
        images: Ids of the artifacts that this step brought, stored just before.
        error: What failed beyond a single call.
    """

    action_id: str
    status: OutcomeStatus
    calls: tuple[CallOutcome, ...]
    carrier: str | None
    observation: Observation | None
    images: tuple[str, ...] = ()
    error: str | None = None
    kind: Literal["outcome"] = "outcome"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultRecorded:
    """A tool call got its result; `images` are requested images that it brought."""

    result: ToolResult
    images: tuple[str, ...] = ()
    kind: Literal["tool_result"] = "tool_result"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteIngested:
    """A note is durable in the note store; `chain` and `count` anchor that store."""

    note: Note
    event_id: int
    chain: str
    is_active: bool
    kind: Literal["note_ingested"] = "note_ingested"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepValidated:
    """The local validation of a step and where the stall rule stands; the step's last event."""

    validation: Validation
    stall: StallState = StallState()
    kind: Literal["validation"] = "validation"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixEdited:
    """Bytes that were already sent change in the next request.

    Attributes:
        cause: Why; the first that applies at the first changed part.
        causes: All reasons in this request.
        first_changed_index: Index of the first part that differs from the previous request.
        evicted: Artifacts that left the window.
        voided_reasoning: Reasoning blocks after that index whose provider form is void.
        tokens_resent: Estimated tokens from that index on.
    """

    cause: PrefixEditCause
    causes: tuple[PrefixEditCause, ...]
    first_changed_index: int
    evicted: tuple[str, ...]
    voided_reasoning: int
    tokens_resent: int
    kind: Literal["prefix_edit"] = "prefix_edit"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked:
    """The agent asked the user; the answer is the call's tool result."""

    call_id: str
    question: str
    kind: Literal["question"] = "question"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupted:
    """The session was cut off; what was open is named."""

    reason: str
    kind: Literal["interrupted"] = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnded:
    """A round ended."""

    status: RunStatus
    reason: str
    answer: str | None
    success: bool
    is_verified: bool
    kind: Literal["round_ended"] = "round_ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownEvent:
    """An event of a newer version, kept as it is."""

    name: str
    body_json: str
    kind: Literal["unknown"] = "unknown"


EventBody = (
    SessionOpened
    | RoundStarted
    | InstructionAdded
    | ArtifactStored
    | RequestBuilt
    | ReplyReceived
    | CallRefused
    | IntentRecorded
    | OutcomeRecorded
    | ToolResultRecorded
    | NoteIngested
    | StepValidated
    | PrefixEdited
    | QuestionAsked
    | Interrupted
    | RoundEnded
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One row of the log.

    Attributes:
        seq: From 1, without gaps.
        step: The session step it belongs to; 0 before the first.
        at_s: Unix time in seconds; never used for ordering.
        body: What happened.
    """

    seq: int
    step: int
    at_s: float
    body: EventBody | UnknownEvent
