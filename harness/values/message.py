"""What a model says and what its tools answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FinishReason = Literal["tool_calls", "stop", "length", "content_filter", "refusal", "pause", "error"]
ResultStatus = Literal["ok", "error", "not_executed", "unknown", "interrupted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a tool by the model.

    Attributes:
        id: Unique within the session; missing or repeated ids are replaced before anything is stored.
        name: The tool's name as the model wrote it.
        arguments_json: The arguments exactly as the model wrote them; may be invalid JSON.
    """

    id: str
    name: str
    arguments_json: str
    kind: Literal["tool_call"] = "tool_call"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """Text of a message."""

    text: str
    kind: Literal["text"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningPart:
    """Reasoning of the model.

    Attributes:
        text: The visible reasoning; may be empty.
        raw_json: The provider's own block, replayed byte for byte while its prefix is unchanged; None for none.
        dialect: The dialect that `raw_json` belongs to; empty for none.
    """

    text: str
    raw_json: str | None = None
    dialect: str = ""
    kind: Literal["reasoning"] = "reasoning"


AssistantPart = TextPart | ReasoningPart | ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantMessage:
    """One reply of the model, in the order it wrote it."""

    parts: tuple[AssistantPart, ...]

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def text(self) -> str:
        """The visible text, joined by line breaks."""
        return "\n".join(part.text for part in self.parts if isinstance(part, TextPart))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The answer to one tool call; text only, images stand beside it in the exchange.

    Attributes:
        call_id: The call it answers.
        name: The tool's name.
        status: `ok`; `error` (the model can mend it); `not_executed`; `unknown` (may have happened);
            `interrupted` (closed on resume).
        text: What the model reads; an envelope when the whole was too long.
        record: The artifact that holds the whole text when `text` is an envelope, else None.
    """

    call_id: str
    name: str
    status: ResultStatus
    text: str
    record: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether the provider is told that the call failed."""
        return self.status != "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens that the provider reported; None where it said nothing."""

    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a policy returned for one request.

    Attributes:
        message: The reply, in order.
        finish: Why it ended.
        model: The model that answered, as the provider names it.
        usage: Reported tokens.
        seconds: From sending to the last byte.
        first_token_s: From sending to the first token, or None.
    """

    message: AssistantMessage
    finish: FinishReason
    model: str
    usage: Usage = Usage()
    seconds: float = 0.0
    first_token_s: float | None = None
