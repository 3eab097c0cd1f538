"""A model that follows a list, and a painter that draws nothing real; for tests without a browser."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from harness.protocols.observers import OBSERVER_PROTOCOL, Stroke
from harness.protocols.policies import POLICY_PROTOCOL
from harness.protocols.shared import TokenCounter
from harness.testing.fakes import solid_png
from harness.values import neutral
from harness.values.mark import Mark
from harness.values.message import AssistantMessage, Reply, TextPart, ToolCall, Usage
from harness.values.profile import PLAIN, ModelProfile
from harness.values.projection import Projection, Request


def call(name: str, /, call_id: str = "", **arguments: object) -> ToolCall:
    """Return a tool call with JSON arguments; without an id the harness makes one."""
    return ToolCall(id=call_id, name=name, arguments_json=json.dumps(arguments))


def reply(*calls: ToolCall, text: str = "", usage: Usage | None = None) -> Reply:
    """Return a reply with these calls."""
    words = (TextPart(text=text),) if text else ()
    return Reply(
        message=AssistantMessage(parts=(*words, *calls)),
        finish="tool_calls" if calls else "stop",
        model="scripted-fake",
        usage=usage or Usage(),
    )


@dataclass
class ScriptedPolicy:
    """Answers each request with the next reply; after the last it finishes.

    Attributes:
        replies: A list, or a function of the reply's number from 1 that returns None when it is over.
        model_profile: What the fake model accepts.
        requests: Every request it was sent.
        projections: Every projection it rendered.
    """

    PROTOCOL: ClassVar[int] = POLICY_PROTOCOL

    replies: Sequence[Reply] | Callable[[int], Reply | None]
    model_profile: ModelProfile = PLAIN
    requests: list[Request] = field(default_factory=list)
    projections: list[Projection] = field(default_factory=list)
    keeps_requests: bool = True
    _sent: int = 0

    @property
    def name(self) -> str:
        """Its name."""
        return "scripted-fake"

    @property
    def profile(self) -> ModelProfile:
        """What the fake model accepts."""
        return self.model_profile

    @property
    def counter(self) -> TokenCounter | None:
        """None: the harness's own estimate."""
        return None

    def render(self, projection: Projection) -> Request:
        """Render in the dialect `neutral`."""
        if self.keeps_requests:
            self.projections.append(projection)
        return neutral.render(projection)

    async def send(self, request: Request, *, deadline_s: float) -> Reply:
        """Return the next reply."""
        if self.keeps_requests:
            self.requests.append(request)
        self._sent += 1
        following = self._next()
        return following if following is not None else reply(call("finish", success=True, answer="done"))

    def _next(self) -> Reply | None:
        if callable(self.replies):
            return self.replies(self._sent)
        return self.replies[self._sent - 1] if self._sent <= len(self.replies) else None

    async def close(self) -> None:
        """Nothing is held."""


class FakePainter:
    """Returns a small PNG of its own instead of a drawing; equal input gives equal bytes."""

    PROTOCOL: ClassVar[int] = OBSERVER_PROTOCOL

    def draw_marks(self, image: bytes, marks: Sequence[Mark]) -> bytes:
        """Return an image made from the input."""
        return _derived(b"marks", image)

    def draw_actions(self, image: bytes, strokes: Sequence[Stroke]) -> bytes:
        """Return an image made from the input and the actions."""
        return _derived(repr(strokes).encode(), image)


def _derived(salt: bytes, image: bytes) -> bytes:
    return solid_png(int.from_bytes(hashlib.sha256(salt + image).digest()[:4]), 64, 40)
