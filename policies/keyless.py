"""What keyless policies share: they decide from the request's text alone, at once and without a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from harness.protocols import TokenCounter
from harness.values.message import AssistantMessage, Reply, TextPart, ToolCall
from harness.values.profile import PLAIN, ModelProfile
from harness.values.projection import Projection, Request
from policies import neutral
from policies.view import RequestView, read_view


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One tool call and the words that go with it.

    Attributes:
        tool: Name of the tool.
        arguments: JSON values.
        thought: What the policy says beside the call; empty for nothing.
        before: Calls of the same reply that come first, in order.
    """

    tool: str
    arguments: Mapping[str, object]
    thought: str = ""
    before: tuple[Decision, ...] = ()


Decide = Callable[[RequestView], Decision]


class KeylessPolicy:
    """A policy that is a function of what its request shows; it keeps nothing between requests."""

    PROTOCOL: ClassVar[int] = 1

    def __init__(self, name: str, decide: Decide) -> None:
        self._name = name
        self._decide = decide

    @property
    def name(self) -> str:
        """The entry-point name."""
        return self._name

    @property
    def profile(self) -> ModelProfile:
        """The profile `plain`."""
        return PLAIN

    @property
    def counter(self) -> TokenCounter | None:
        """None: the harness's own estimate."""
        return None

    def render(self, projection: Projection) -> Request:
        """Return the request in the dialect `neutral`."""
        return neutral.render(projection)

    async def send(self, request: Request, *, deadline_s: float) -> Reply:
        """Decide from the request; takes no measurable time, so the deadline can't pass."""
        view = read_view(request)
        return call_reply(self._decide(view), number=view.next_number, model=self._name)

    async def close(self) -> None:
        """Nothing is held."""


def finish(*, success: bool, answer: str, thought: str = "") -> Decision:
    """Return the call that ends the run."""
    return Decision(tool="finish", arguments={"success": success, "answer": answer}, thought=thought)


def call_reply(decision: Decision, *, number: int, model: str) -> Reply:
    """Return a reply with the decision's calls; `number` is that of the first in the session, from 1."""
    said = (*decision.before, decision)
    calls = tuple(
        ToolCall(
            id=f"call-{number + index}",
            name=item.tool,
            arguments_json=neutral.canonical_json(item.arguments).decode(),
        )
        for index, item in enumerate(said)
    )
    words = (TextPart(text=decision.thought),) if decision.thought else ()
    return Reply(message=AssistantMessage(parts=(*words, *calls)), finish="tool_calls", model=model)
