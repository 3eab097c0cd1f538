"""What one model step shows, as messages and sections; and the request it becomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.values.artifact import ImageKind
from harness.values.message import ReasoningPart, TextPart, ToolCall
from harness.values.tool import ToolDeclaration

Role = Literal["system", "user", "assistant", "tool"]
SectionName = Literal["system", "tools", "task", "skills", "digests", "notes", "history", "observation", "volatile"]
Lifetime = Literal["fixed", "event", "append_only", "volatile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePart:
    """An image by reference; the bytes stay in the blob store.

    Attributes:
        artifact: The artifact it shows.
        also: Other artifacts with the same bytes that share the slot.
        image_kind: What it is.
        step: The step that produced it.
        sha256: The blob.
        media_type: Its encoding.
        width_px: Its width.
        height_px: Its height.
        size_bytes: Its encoded length.
    """

    artifact: str
    image_kind: ImageKind
    step: int
    sha256: str
    media_type: str
    width_px: int
    height_px: int
    size_bytes: int
    also: tuple[str, ...] = ()
    kind: Literal["image"] = "image"


ContentPart = TextPart | ImagePart | ToolCall | ReasoningPart


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectedMessage:
    """One message of a projection.

    Attributes:
        role: Who speaks.
        section: The section it is counted under.
        lifetime: How long its bytes stay as they are.
        parts: Its content in order.
        call_id: For role `tool`: the call it answers.
        is_error: For role `tool`: whether the call failed.
        entry_seq: The transcript entry it shows, or None.
    """

    role: Role
    section: SectionName
    lifetime: Lifetime
    parts: tuple[ContentPart, ...]
    call_id: str | None = None
    is_error: bool = False
    entry_seq: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionTokens:
    """Estimated size of one section."""

    name: SectionName
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """Everything one model step shows, before a dialect renders it.

    Attributes:
        step: The step it is for.
        tools: Declarations, in their fixed order.
        messages: System, task, event sections, history, volatile; in request order.
        sections: Token ledger; every message and the tools are counted in exactly one.
        images: The images in request order; the same parts that stand in the messages.
    """

    step: int
    tools: tuple[ToolDeclaration, ...]
    messages: tuple[ProjectedMessage, ...]
    sections: tuple[SectionTokens, ...]
    images: tuple[ImagePart, ...]

    @property
    def estimated_tokens(self) -> int:
        """Estimated size of the whole request."""
        return sum(section.tokens for section in self.sections)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPart:
    """One part of a request, stored once under its hash.

    Attributes:
        sha256: Digest over the rendered bytes, images inlined the way the dialect inlines them.
        body: The part's JSON with images as references.
        size_bytes: Length of the rendered bytes.
        blobs: The blobs it refers to, in order.
        message_index: The projected message it renders; -1 for the tool declarations.
    """

    sha256: str
    body: bytes
    size_bytes: int
    blobs: tuple[str, ...] = ()
    message_index: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The exact content of one request for one dialect, as parts."""

    dialect: str
    parts: tuple[RequestPart, ...]

    @property
    def size_bytes(self) -> int:
        """Length of all rendered parts."""
        return sum(part.size_bytes for part in self.parts)

    @property
    def digests(self) -> tuple[str, ...]:
        """The hash of each part, in order."""
        return tuple(part.sha256 for part in self.parts)
