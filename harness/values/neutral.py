"""The dialect `neutral`: canonical JSON (UTF-8, sorted keys, no spaces), one part a message.

The first part declares the tools (message index -1); the others render the messages in order. Images are references,
so the rendered bytes are the part's body. The same projection always gives the same bytes.

A message's section stands in its bytes only where it can't change from step to step (the sections outside history
and observation); an exchange is counted under another section once a newer frame arrives, and its bytes must not
change for that.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import assert_never

from harness.values.message import ReasoningPart, TextPart, ToolCall
from harness.values.projection import ContentPart, ImagePart, ProjectedMessage, Projection, Request, RequestPart
from harness.values.tool import ToolDeclaration

DIALECT = "neutral"
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
_CACHED_MESSAGES = 2048
_MOVING_SECTIONS = frozenset({"history", "observation"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rendered:
    """Bytes of one part, before it has a place in a request."""

    sha256: str
    body: bytes
    blobs: tuple[str, ...] = ()

    def at(self, message_index: int) -> RequestPart:
        """Return the part for its place in a request."""
        return RequestPart(
            sha256=self.sha256,
            body=self.body,
            size_bytes=len(self.body),
            blobs=self.blobs,
            message_index=message_index,
        )


# The message is kept beside its bytes, so its id can't come to mean another one.
_BY_IDENTITY: dict[int, tuple[ProjectedMessage, _Rendered]] = {}


def render(projection: Projection) -> Request:
    """Return the request of a projection; messages that were rendered before cost a cache look-up."""
    parts = [_render_tools(projection.tools).at(-1)]
    parts.extend(_render_message(message).at(index) for index, message in enumerate(projection.messages))
    return Request(dialect=DIALECT, parts=tuple(parts))


def canonical_json(value: object) -> bytes:
    """Return JSON as UTF-8 with sorted keys and no spaces; a lone surrogate stays escaped."""
    text = _ENCODER.encode(value)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _rendered(value: object, blobs: tuple[str, ...] = ()) -> _Rendered:
    body = canonical_json(value)
    return _Rendered(sha256=hashlib.sha256(body).hexdigest(), body=body, blobs=blobs)


@lru_cache(maxsize=32)
def _render_tools(tools: tuple[ToolDeclaration, ...]) -> _Rendered:
    declared = [
        {"name": tool.name, "description": tool.description, "parameters": json.loads(tool.parameters_json)}
        for tool in tools
    ]
    return _rendered({"tools": declared})


def _render_message(message: ProjectedMessage) -> _Rendered:
    """Return the bytes of a message; one that is the same object as before costs a look-up by identity."""
    known = _BY_IDENTITY.get(id(message))
    if known is not None and known[0] is message:
        return known[1]
    rendered = _render_new(message)
    if len(_BY_IDENTITY) >= _CACHED_MESSAGES:
        _BY_IDENTITY.clear()
    _BY_IDENTITY[id(message)] = (message, rendered)
    return rendered


def _render_new(message: ProjectedMessage) -> _Rendered:
    value: dict[str, object] = {"role": message.role, "parts": [_part_value(part) for part in message.parts]}
    if message.section not in _MOVING_SECTIONS:
        value["section"] = message.section
    if message.call_id is not None:
        value["call_id"] = message.call_id
        value["is_error"] = message.is_error
    blobs = tuple(part.sha256 for part in message.parts if isinstance(part, ImagePart))
    return _rendered(value, blobs)


def _part_value(part: ContentPart) -> dict[str, object]:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case ReasoningPart():
            return {"type": "reasoning", "text": part.text}
        case ToolCall():
            return {"type": "tool_call", "id": part.id, "name": part.name, "arguments": part.arguments_json}
        case ImagePart():
            return _image_value(part)
        case _:
            assert_never(part)


def _image_value(image: ImagePart) -> dict[str, object]:
    return {
        "type": "image",
        "artifact": image.artifact,
        "also": list(image.also),
        "image_kind": image.image_kind,
        "step": image.step,
        "sha256": image.sha256,
        "media_type": image.media_type,
        "width_px": image.width_px,
        "height_px": image.height_px,
        "size_bytes": image.size_bytes,
    }
