"""From a model's tool call to what it asks for, or to a refusal that says what is valid. Nothing raises."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from harness.tools.arguments import read_object
from harness.tools.calls import ParsedCall, Refusal
from harness.tools.declarations import TOOLS
from harness.tools.pointing import Sighted
from harness.tools.problem import CallProblem, near, show
from harness.values.message import AssistantMessage, AssistantPart, ToolCall
from harness.values.observation import Observation


def parse_call(
    call: ToolCall, *, declared: frozenset[str], observation: Observation | None, apps: tuple[str, ...] = ()
) -> ParsedCall | Refusal:
    """Return what a call asks for, judged against the observation that the model saw.

    Args:
        call: As the model wrote it; its id is already unique.
        declared: Names of the tools that the model was offered.
        observation: The current observation of the request, or None when nothing was seen yet.
        apps: What `launch` may start; empty when only the device knows.

    Returns:
        The request, or a refusal whose reason is the tool's error result. Whatever the model wrote, nothing raises.
    """
    try:
        arguments = TOOLS[_known_name(call.name, declared)].read(read_object(call.arguments_json))
        return arguments.ask(Sighted(call_id=call.id, observation=observation, apps=apps))
    except CallProblem as problem:
        return Refusal(call_id=call.id, reason=f"not executed: {problem}")
    except RecursionError:
        return Refusal(call_id=call.id, reason="not executed: the arguments are nested too deep")


def unique_calls(message: AssistantMessage, *, used: Container[str], step: int) -> AssistantMessage:
    """Replace missing and repeated call ids by `call-<step>-<n>`; the first call of a repeated id keeps it.

    Args:
        message: The reply; not modified.
        used: Ids of earlier calls of the session.
        step: The session step; `n` counts the calls of the reply from 1.
    """
    written = {call.id for call in message.calls}
    taken: set[str] = set()
    parts: list[AssistantPart] = []
    number = 0
    for part in message.parts:
        if not isinstance(part, ToolCall):
            parts.append(part)
            continue
        number += 1
        call = part
        if not part.id.strip() or part.id in taken or part.id in used:
            call = replace(part, id=_fresh_id(f"call-{step}-{number}", written | taken, used))
        taken.add(call.id)
        parts.append(call)
    return replace(message, parts=tuple(parts))


def _fresh_id(wish: str, taken: set[str], used: Container[str]) -> str:
    fresh, suffix = wish, 2
    while fresh in taken or fresh in used:
        fresh, suffix = f"{wish}-{suffix}", suffix + 1
    return fresh


def _known_name(name: str, declared: frozenset[str]) -> str:
    if name in declared and name in TOOLS:
        return name
    offered = [tool for tool in TOOLS if tool in declared]
    raise CallProblem(f"unknown tool {show(name)}{near(name, offered)}; the tools are {', '.join(offered)}")
