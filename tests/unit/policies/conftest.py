"""Requests made by hand: a talk between a policy and a screen that the test sets."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from harness.protocols import Policy
from harness.values.desktop import DesktopWindow
from harness.values.fence import fence
from harness.values.frame import Frame
from harness.values.geometry import FrameBox, FramePoint, Size, Transform
from harness.values.mark import Mark, VisibleText
from harness.values.message import Reply, TextPart, ToolCall
from harness.values.note import Note
from harness.values.note_text import NOTES_HEADING, NOTES_SOURCE, note_entry
from harness.values.observation import Observation
from harness.values.observation_text import observation_header, screen_text
from harness.values.projection import ProjectedMessage, Projection
from harness.values.tool import ToolDeclaration

TOKEN = "0123456789ab"
TOOLS = ("click", "type_text", "press_keys", "scroll", "wait", "select_option", "finish")
Line = str | tuple[str, str] | tuple[str, str, str | None] | tuple[str, str, str | None, tuple[str, ...]]


def declare(name: str, *parameters: str) -> ToolDeclaration:
    schema = {"type": "object", "properties": {item: {} for item in parameters}}
    return ToolDeclaration(name=name, description=f"{name}.", parameters_json=json.dumps(schema), owner="device")


def observe(
    *lines: Line,
    url: str | None = "http://127.0.0.1/",
    title: str = "Page",
    windows: tuple[DesktopWindow, ...] = (),
) -> Observation:
    """Return an observation of marks `(role, name, value, states)` and text lines, in reading order."""
    marks: list[Mark] = []
    texts: list[VisibleText] = []
    for line in lines:
        if isinstance(line, str):
            texts.append(VisibleText(text=line, after_mark=len(marks)))
            continue
        role, name, value, states = (*line, *(None, ())[len(line) - 2 :]) if len(line) < 4 else line
        number = len(marks) + 1
        box = FrameBox(x_px=0, y_px=number, width_px=9, height_px=9)
        marks.append(
            Mark(
                id=number,
                box=box,
                click=FramePoint(x_px=1, y_px=number),
                role=role,
                name=name,
                value=value,
                states=states,
            )
        )
    size = Size(width_px=800, height_px=600)
    frame = Frame(
        sha256="a" * 64,
        media_type="image/png",
        width_px=800,
        height_px=600,
        device_scale=1.0,
        captured_at_s=0.0,
        source="action",
        transform=Transform(),
    )
    return Observation(
        frame=frame, screen=size, marks=tuple(marks), texts=tuple(texts), url=url, title=title, windows=windows
    )


@dataclass(slots=True)
class Talk:
    """The messages of a session, as a projection would show them."""

    task: str
    tools: tuple[ToolDeclaration, ...] = tuple(declare(name) for name in TOOLS)
    notes: list[Note] | None = None
    messages: list[ProjectedMessage] = field(default_factory=list)
    step: int = 0
    earlier: tuple[ToolCall, ...] = ()

    def show(self, *lines: Line, windows: tuple[DesktopWindow, ...] = ()) -> Talk:
        """Show a screen before the first step."""
        parts = self.screen_parts(observe(*lines, windows=windows))
        self.messages.append(ProjectedMessage(role="user", section="observation", lifetime="append_only", parts=parts))
        return self

    def screen_parts(self, observation: Observation) -> tuple[TextPart, ...]:
        header = observation_header(observation, step=self.step, frame_id=f"s{self.step:04d}-clean")
        return (TextPart(text=header), TextPart(text=screen_text(observation, token=TOKEN)))

    def projection(self) -> Projection:
        head = [
            ProjectedMessage(
                role="system", section="system", lifetime="fixed", parts=(TextPart(text="You act on a screen."),)
            ),
            ProjectedMessage(role="user", section="task", lifetime="fixed", parts=(TextPart(text=self.task),)),
        ]
        if self.notes is not None:
            entries = "".join(note_entry(note, token=TOKEN) for note in self.notes)
            view = fence(f"{NOTES_HEADING}\n{entries}", source=NOTES_SOURCE, token=TOKEN)
            head.append(ProjectedMessage(role="user", section="notes", lifetime="event", parts=(TextPart(text=view),)))
        return Projection(
            step=self.step + 1, tools=self.tools, messages=(*head, *self.messages), sections=(), images=()
        )

    async def ask(self, policy: Policy) -> ToolCall:
        """Return the last call of the policy's next reply and add the reply to the talk."""
        reply = await policy.send(policy.render(self.projection()), deadline_s=5.0)
        return self.hear(reply)

    def hear(self, reply: Reply) -> ToolCall:
        self.step += 1
        self.messages.append(
            ProjectedMessage(role="assistant", section="history", lifetime="append_only", parts=reply.message.parts)
        )
        *earlier, call = reply.message.calls
        self.earlier = tuple(earlier)
        return call

    def answer(self, call: ToolCall, *lines: Line, text: str = "done", is_error: bool = False) -> None:
        """Add the results of the reply's calls; with lines also the screen after the last one."""
        earlier, self.earlier = self.earlier, ()
        for other in earlier:
            self.answer(other)
        parts: tuple[TextPart, ...] = (TextPart(text=text),)
        if lines:
            parts = (*parts, *self.screen_parts(observe(*lines)))
        self.messages.append(
            ProjectedMessage(
                role="tool",
                section="history",
                lifetime="append_only",
                parts=parts,
                call_id=call.id,
                is_error=is_error,
            )
        )

    def keep_note(self, call: ToolCall) -> None:
        """Put a note call into the note view and answer it without a screen, as the runner does."""
        assert self.notes is not None
        said = json.loads(call.arguments_json)
        self.notes.append(Note(round=1, step=self.step, call_index=0, call_id=call.id, **said))
        self.answer(call, text="noted")


def arguments(call: ToolCall) -> Mapping[str, object]:
    value = json.loads(call.arguments_json)
    assert isinstance(value, dict)
    return value


@pytest.fixture
def talk() -> type[Talk]:
    return Talk


@pytest.fixture
def said() -> Callable[[ToolCall], Mapping[str, object]]:
    return arguments


@pytest.fixture
def screen() -> Callable[..., Observation]:
    return observe


@pytest.fixture
def tool() -> Callable[..., ToolDeclaration]:
    return declare


@pytest.fixture
def play() -> Callable[..., object]:
    """Run a policy against a list of screens: each is the screen after one more call; the last one stays."""

    async def run(policy: Policy, started: Talk, screens: Sequence[Sequence[Line]], *, steps: int) -> list[ToolCall]:
        calls: list[ToolCall] = []
        for number in range(steps):
            call = await started.ask(policy)
            calls.append(call)
            if call.name == "finish":
                break
            if call.name in {"note", "web_note"} and started.notes is not None:
                started.keep_note(call)
                continue
            started.answer(call, *screens[min(number, len(screens) - 1)])
        return calls

    return run
