"""What the exported page shows: the events of a session grouped into rounds and steps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from harness.values.artifact import Artifact
from harness.values.event import (
    ArtifactStored,
    CallRefused,
    Event,
    InstructionAdded,
    Interrupted,
    NoteIngested,
    OutcomeRecorded,
    PrefixEdited,
    QuestionAsked,
    ReplyReceived,
    RequestBuilt,
    RoundEnded,
    RoundStarted,
    StepValidated,
    ToolResultRecorded,
)
from harness.values.message import ReasoningPart, Reply, ToolCall, ToolResult
from harness.values.note import Note
from harness.values.observation import Observation
from harness.values.validation import Validation

_IMAGE_ORDER = {"action": 0, "clean": 1, "marks": 2, "zoom": 3, "recall": 4, "skill": 5, "raw": 6}
_CAPTIONS = {
    "action": "decision: the frame it saw and where it acted",
    "clean": "after: the next clean frame",
    "marks": "marks of that frame",
    "raw": "as captured",
}
_CAPTURED = {**_CAPTIONS, "clean": "the frame the next step starts from"}
_LINE_CHARS = 90


@dataclass(slots=True, kw_only=True)
class PageCall:
    """A tool call with its result."""

    call: ToolCall
    result: ToolResult | None = None
    refused: str | None = None

    @property
    def arguments(self) -> str:
        """The arguments in a readable form, or as the model wrote them when they are no JSON."""
        try:
            arguments = json.loads(self.call.arguments_json)
        except ValueError:
            return self.call.arguments_json
        line = json.dumps(arguments, ensure_ascii=False)
        return line if len(line) <= _LINE_CHARS else json.dumps(arguments, ensure_ascii=False, indent=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageImage:
    """An image or a recording of a step; `file` is relative to the page, None when the blob is missing."""

    artifact: Artifact
    file: str | None
    caption: str


@dataclass(slots=True, kw_only=True)
class PageStep:
    """One card: everything a step brought."""

    number: int
    request: RequestBuilt | None = None
    reply: Reply | None = None
    calls: list[PageCall] = field(default_factory=list)
    images: list[PageImage] = field(default_factory=list)
    recordings: list[PageImage] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    edits: list[PrefixEdited] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    observation: Observation | None = None
    validation: Validation | None = None

    @property
    def is_decided(self) -> bool:
        """Whether the model was asked; without it the card holds a capture by the harness itself."""
        return self.request is not None or self.reply is not None

    @property
    def reasoning(self) -> str:
        """The model's visible reasoning."""
        parts = () if self.reply is None else self.reply.message.parts
        return "\n".join(part.text for part in parts if isinstance(part, ReasoningPart) and part.text)

    @property
    def text(self) -> str:
        """The model's visible text."""
        return "" if self.reply is None else self.reply.message.text


@dataclass(slots=True, kw_only=True)
class PageRound:
    """A round: its task, its steps and how it ended."""

    number: int
    task: str
    url: str | None
    steps: list[PageStep] = field(default_factory=list)
    end: RoundEnded | None = None

    def step(self, number: int) -> PageStep:
        """Return the card of a step, a new one at its first event."""
        if not self.steps or self.steps[-1].number != number:
            self.steps.append(PageStep(number=number))
        return self.steps[-1]

    def earlier(self, number: int) -> PageStep:
        """Return the card of a step that is over; the newest where there is none."""
        return next((step for step in reversed(self.steps) if step.number == number), self.steps[-1])


def build_rounds(events: Iterable[Event], files: Mapping[str, str]) -> tuple[PageRound, ...]:
    """Return the rounds of a session for the page.

    Args:
        events: All events, oldest first.
        files: Path of each exported image by artifact id; one that is absent is shown as missing.
    """
    rounds: list[PageRound] = []
    for event in events:
        body = event.body
        if isinstance(body, RoundStarted):
            rounds.append(PageRound(number=body.round, task=body.task, url=body.url))
        elif rounds and isinstance(body, RoundEnded):
            rounds[-1].end = body
        elif rounds:
            _add(rounds[-1], event, files)
    for item in rounds:
        for step in item.steps:
            step.images.sort(key=lambda image: _IMAGE_ORDER.get(image.artifact.kind, len(_IMAGE_ORDER)))
            if not step.is_decided:
                step.images = [
                    replace(image, caption=_CAPTURED.get(image.artifact.kind, image.caption)) for image in step.images
                ]
    return tuple(rounds)


def _add(current: PageRound, event: Event, files: Mapping[str, str]) -> None:
    step = current.step(event.step)
    match event.body:
        case ArtifactStored(artifact=artifact) if artifact.kind == "accessibility":
            current.earlier(artifact.step).recordings.append(_image(artifact, files))
        case ArtifactStored(artifact=artifact) if artifact.kind != "record":
            step.images.append(_image(artifact, files))
        case NoteIngested(note=note):
            step.notes.append(note)
        case PrefixEdited() as edit:
            step.edits.append(edit)
        case StepValidated(validation=validation):
            step.validation = validation
        case _:
            _add_talk(step, event)


def _add_talk(step: PageStep, event: Event) -> None:
    match event.body:
        case RequestBuilt() as request:
            step.request = request
        case ReplyReceived(reply=reply):
            step.reply = reply
            step.calls = [PageCall(call=call) for call in reply.message.calls]
        case ToolResultRecorded(result=result):
            _call(step, result.call_id, result.name).result = result
        case CallRefused(call_id=call_id, reason=reason):
            _call(step, call_id, "").refused = reason
        case OutcomeRecorded(observation=observation, error=error):
            step.observation = observation or step.observation
            step.lines.extend([f"The device failed: {error}"] if error else [])
        case InstructionAdded(text=text):
            step.lines.append(f"The user added: {text}")
        case QuestionAsked(question=question):
            step.lines.append(f"The agent asked: {question}")
        case Interrupted(reason=reason):
            step.lines.append(f"Interrupted: {reason}")
        case _:
            return


def _call(step: PageStep, call_id: str, name: str) -> PageCall:
    for item in step.calls:
        if item.call.id == call_id:
            return item
    step.calls.append(
        PageCall(call=ToolCall(id=call_id, name=name or "(a call of an earlier step)", arguments_json=""))
    )
    return step.calls[-1]


def _image(artifact: Artifact, files: Mapping[str, str]) -> PageImage:
    caption = _CAPTIONS.get(artifact.kind, artifact.kind)
    return PageImage(artifact=artifact, file=files.get(artifact.id), caption=caption)
