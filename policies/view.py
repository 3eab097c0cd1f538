"""Reads a neutral request back. What stands here is all that a keyless policy knows.

Nothing is taken on trust from page text: screen facts are read from lines that the harness wrote outside fences, page
text only from inside the page's fence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from harness.errors import PolicyError
from harness.protocols import SeenMark, SeenWindow, View
from harness.values.fence import outside_fences, unfence
from harness.values.note_text import parse_note_view
from harness.values.observation_text import SCREEN_HEADING
from harness.values.projection import Request
from policies.mark_text import parse_screen_line
from policies.neutral import DIALECT

_HEADING = re.compile(rf"^{SCREEN_HEADING} ([0-9]+): (?:frame \S+, ([0-9]+)x([0-9]+) px)?", re.MULTILINE)
_WINDOW = re.compile(r'(?:window|dialog) (?P<id>[0-9]+)(?P<state> \(active\)| \(minimized\))?: (?P<title>".*")')
_CALL_ID = re.compile(r"call-([0-9]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCall:
    """One earlier call that the request still shows.

    Attributes:
        id: Its id.
        name: Name of the tool.
        arguments: Its arguments; empty when they were no JSON object.
        thought: The text that the policy wrote in the same reply; stands at the reply's last call.
        result: Text of its result without the screen; empty while it has none.
        is_error: Whether it failed.
    """

    id: str
    name: str
    arguments: Mapping[str, object]
    thought: str = ""
    result: str = ""
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
    """A request as a keyless policy reads it.

    Attributes:
        instructions: The round's task and the user's later instructions, oldest first.
        tools: Names of the declared tools and the names of their parameters.
        view: The current observation.
        calls: Earlier calls, oldest first.
        apps: What `launch` may start, as its declaration lists them.
    """

    instructions: tuple[str, ...]
    tools: Mapping[str, tuple[str, ...]]
    view: View
    calls: tuple[PastCall, ...] = ()
    apps: tuple[str, ...] = ()

    @property
    def is_desktop(self) -> bool:
        """Whether the device is a desktop: only one has windows to list."""
        return "list_windows" in self.tools

    @property
    def task(self) -> str:
        """The round's task; empty when the request shows none."""
        return self.instructions[0] if self.instructions else ""

    @property
    def next_number(self) -> int:
        """The number of the next call of the session, from 1, also when older calls are no longer shown."""
        numbers = [int(found[1]) for call in self.calls if (found := _CALL_ID.fullmatch(call.id))]
        return max([len(self.calls), *numbers]) + 1


@dataclass(slots=True)
class _Reading:
    """What has been read so far, message by message."""

    instructions: list[str] = field(default_factory=list)
    tools: dict[str, tuple[str, ...]] = field(default_factory=dict)
    apps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    screen: str = ""
    screen_step: int = -1
    calls: dict[str, PastCall] = field(default_factory=dict)
    last_result: str = ""
    is_last_error: bool = False


def read_view(request: Request) -> RequestView:
    """Return what a neutral request shows.

    Raises:
        PolicyError: the request is in another dialect.
    """
    if request.dialect != DIALECT:
        raise PolicyError(f"a keyless policy reads the dialect {DIALECT!r}, not {request.dialect!r}; render with it")
    reading = _Reading()
    for part in request.parts:
        value = json.loads(part.body)
        if "tools" in value:
            reading.tools = {tool["name"]: tuple(_parameters(tool)) for tool in value["tools"]}
            reading.apps = next((_apps(tool) for tool in value["tools"] if tool["name"] == "launch"), ())
        else:
            _read_message(reading, value)
    return RequestView(
        instructions=tuple(reading.instructions),
        tools=reading.tools,
        view=_view(reading),
        calls=tuple(reading.calls.values()),
        apps=reading.apps,
    )


def _parameters(tool: Mapping[str, object]) -> Mapping[str, object]:
    parameters = tool.get("parameters")
    properties = parameters.get("properties") if isinstance(parameters, dict) else None
    return properties if isinstance(properties, dict) else {}


def _apps(tool: Mapping[str, object]) -> tuple[str, ...]:
    app = _parameters(tool).get("app")
    names = app.get("enum") if isinstance(app, dict) else None
    return tuple(str(name) for name in names) if isinstance(names, list) else ()


def _read_message(reading: _Reading, message: Mapping[str, object]) -> None:
    parts = message["parts"]
    assert isinstance(parts, list)
    text = "\n".join(part["text"] for part in parts if part["type"] == "text")
    match message.get("section"), message["role"]:
        case "task", _:
            reading.instructions.append(text)
        case "notes", _:
            reading.notes = parse_note_view(text)
        case _, "assistant":
            _read_calls(reading, parts, text)
        case _, "tool":
            _read_result(reading, message, text)
        case _, "user":
            _read_screen(reading, text)


def _read_calls(reading: _Reading, parts: Sequence[Mapping[str, str]], thought: str) -> None:
    calls = [part for part in parts if part["type"] == "tool_call"]
    for part in calls:
        reading.calls[part["id"]] = PastCall(
            id=part["id"],
            name=part["name"],
            arguments=read_arguments(part["arguments"]),
            thought=thought if part is calls[-1] else "",
        )


def read_arguments(arguments_json: str) -> Mapping[str, object]:
    """Return a call's arguments; empty when they are no JSON object."""
    try:
        value = json.loads(arguments_json)
    except json.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _read_result(reading: _Reading, message: Mapping[str, object], text: str) -> None:
    result = _read_screen(reading, text)
    call_id, is_error = str(message.get("call_id")), bool(message.get("is_error"))
    reading.last_result, reading.is_last_error = result, is_error
    call = reading.calls.get(call_id)
    if call is not None:
        reading.calls[call_id] = PastCall(
            id=call.id,
            name=call.name,
            arguments=call.arguments,
            thought=call.thought,
            result=result,
            is_error=is_error,
        )


def _read_screen(reading: _Reading, text: str) -> str:
    """Keep the text from its last screen heading on; return what stands before it.

    A screen of an earlier step than one already read is a quotation of the history, and stays part of the result.
    """
    headings = list(_HEADING.finditer(outside_fences(text)))
    if not headings or int(headings[-1][1]) < reading.screen_step:
        return text
    start = headings[-1].start()
    reading.screen, reading.screen_step = text[start:], int(headings[-1][1])
    return text[:start].rstrip("\n")


def _view(reading: _Reading) -> View:
    lines = tuple(_screen_lines(reading.screen))
    heading = _HEADING.match(reading.screen)
    width, height = (heading[2], heading[3]) if heading is not None else (None, None)
    facts = dict(_facts(reading.screen))
    return View(
        marks=tuple(line for line in lines if isinstance(line, SeenMark)),
        lines=lines,
        url=facts.get("url"),
        title=facts.get("title", ""),
        width_px=int(width or 0),
        height_px=int(height or 0),
        notes=reading.notes,
        last_result=reading.last_result,
        is_last_error=reading.is_last_error,
        windows=tuple(_windows(reading.screen)),
    )


def _screen_lines(screen: str) -> Iterator[SeenMark | str]:
    for line in (unfence(screen, source="page") or "").split("\n"):
        parsed = parse_screen_line(line)
        if parsed is not None:
            yield parsed


def _facts(screen: str) -> Iterator[tuple[str, str]]:
    """Yield the quoted facts of a header; fenced text is left out."""
    for line in _header(screen):
        name, colon, quoted = line.partition(": ")
        if colon and name in {"url", "title"}:
            yield name, str(json.loads(quoted))


def _windows(screen: str) -> Iterator[SeenWindow]:
    """Yield the windows that a header lists, front to back."""
    for line in _header(screen):
        found = _WINDOW.fullmatch(line)
        if found is not None:
            title = str(json.loads(found["title"]))
            yield SeenWindow(id=int(found["id"]), title=title, is_active=found["state"] == " (active)")


def _header(screen: str) -> list[str]:
    return screen.split("\n<<page ", 1)[0].split("\n")
