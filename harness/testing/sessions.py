"""Random sessions: transcripts as a real loop could grow them, for property tests.

The same `random.Random` state gives the same session. Nothing here is a test: wrap it with hypothesis or a loop.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from harness.values.artifact import Artifact, ArtifactKind
from harness.values.frame import Frame
from harness.values.geometry import FrameBox, FramePoint, Size, Transform
from harness.values.mark import Mark
from harness.values.message import AssistantMessage, AssistantPart, ReasoningPart, TextPart, ToolCall, ToolResult
from harness.values.observation import Observation
from harness.values.transcript import Entry, Exchange, Instruction, RuntimeCapture, Transcript

StepKind = Literal[
    "act", "batch", "note", "text", "recall", "zoom", "refused", "failed", "blind", "large", "dead", "lost"
]
STEP_KINDS: tuple[StepKind, ...] = (
    "act",
    "act",
    "act",
    "batch",
    "note",
    "text",
    "recall",
    "zoom",
    "refused",
    "failed",
    "blind",
    "large",
    "dead",
    "lost",
)
_REACHES_DEVICE = frozenset({"act", "batch", "zoom", "failed", "blind", "large", "lost"})
_SIZES = (Size(width_px=1280, height_px=800), Size(width_px=640, height_px=480), Size(width_px=33, height_px=2000))


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A session at the moment of a request.

    Attributes:
        transcript: Everything so far.
        last_step: The newest finished step; 0 before the first.
        seq: The session's newest sequence number.
        notes: Notes so far in this round.
        last_kind: What the last step was, or None before the first.
    """

    transcript: Transcript
    last_step: int
    seq: int
    notes: int
    last_kind: StepKind | None


def grow_session(
    rng: random.Random, *, steps: int, kinds: Sequence[StepKind] = STEP_KINDS, screens: int = 6
) -> Iterator[Moment]:
    """Yield the moment of each request of a random session, the first one included.

    Args:
        rng: Decides everything.
        steps: Steps of the session; `steps + 1` moments come.
        kinds: Drawn from with equal chance.
        screens: Different screens that the device can show; few make equal pixels common.
    """
    builder = SessionBuilder(rng, screens=screens)
    builder.add_task()
    builder.add_capture()
    yield builder.moment
    for _ in range(steps):
        builder.add_step(rng.choice(kinds))
        if rng.random() < 0.1:
            builder.add_instruction()
        if rng.random() < 0.04:
            builder.add_task()
        yield builder.moment


class SessionBuilder:
    """Grows one session; each method appends what a real loop would append."""

    def __init__(self, rng: random.Random, *, screens: int = 6) -> None:
        self._rng = rng
        self._screens = screens
        self._entries: list[Entry] = []
        self._seq = 0
        self._step = 0
        self._round = 0
        self._notes = 0
        self._calls = 0
        self._last_kind: StepKind | None = None
        self._names: dict[str, int] = {}

    @property
    def moment(self) -> Moment:
        """The session as it is now."""
        return Moment(
            transcript=Transcript(entries=tuple(self._entries)),
            last_step=self._step,
            seq=self._seq,
            notes=self._notes,
            last_kind=self._last_kind,
        )

    def add_task(self) -> Instruction:
        """Begin the next round."""
        self._round += 1
        self._notes = 0
        return self._add_instruction(f"Task {self._round}: order 3 boxes of 茶 and note the number.", is_task=True)

    def add_instruction(self) -> Instruction:
        """Add an instruction of the user while the round runs."""
        return self._add_instruction(f"Also look at item {self._rng.randint(1, 99)}.", is_task=False)

    def _add_instruction(self, text: str, *, is_task: bool) -> Instruction:
        entry = Instruction(seq=self._next_seq(), step=self._step, round=self._round, text=text, is_task=is_task)
        self._entries.append(entry)
        return entry

    def add_capture(self, *, has_frame: bool = True) -> RuntimeCapture:
        """Add an observation that the harness took by itself."""
        observation, images = self._look("capture", has_frame=has_frame)
        entry = RuntimeCapture(
            seq=self._next_seq(), step=self._step, round=self._round, observation=observation, images=images
        )
        self._entries.append(entry)
        return entry

    def add_step(self, kind: StepKind) -> Exchange:
        """Add one step; a step whose frame was lost is followed by a capture of the harness."""
        self._step += 1
        self._last_kind = kind
        self._notes += kind == "note"
        calls = self._make_calls(kind)
        carrier = calls[-1].id if kind in _REACHES_DEVICE else None
        observation, images = self._outcome(kind)
        exchange = Exchange(
            seq=self._next_seq(),
            step=self._step,
            round=self._round,
            message=AssistantMessage(parts=(*self._thoughts(kind), *calls)),
            results=tuple(self._make_result(call, kind) for call in calls),
            carrier=carrier,
            observation=observation,
            images=(*images, *self._requested(kind, calls)),
            is_dead=kind == "dead",
        )
        self._entries.append(exchange)
        if kind in {"blind", "dead", "lost"}:
            self.add_capture(has_frame=self._rng.random() < 0.8)
        return exchange

    def _outcome(self, kind: StepKind) -> tuple[Observation | None, tuple[Artifact, ...]]:
        """Return what the device showed after the step, and the images it brought."""
        if kind not in _REACHES_DEVICE:
            return None, ()
        overlay = self._artifact("action", f"overlay {self._seq}", _SIZES[0], call_id="action")
        if kind == "lost":
            return None, (overlay,)
        observation, images = self._look("action", has_frame=kind != "blind", marks=40 if kind == "large" else None)
        return observation, (*images, overlay) if self._rng.random() < 0.8 else images

    def _look(
        self, source: Literal["action", "capture"], *, has_frame: bool, marks: int | None = None
    ) -> tuple[Observation, tuple[Artifact, ...]]:
        screen = self._rng.randrange(self._screens)
        size = _SIZES[screen % len(_SIZES)]
        url, title = f"http://127.0.0.1/{screen}", f"Screen {screen}"
        if not has_frame:
            return Observation(frame=None, screen=size, url=url, title=title, error="the capture timed out"), ()
        clean = self._artifact("clean", f"screen {screen}", size)
        frame = Frame(
            sha256=clean.blob,
            media_type="image/png",
            width_px=size.width_px,
            height_px=size.height_px,
            device_scale=1.0,
            captured_at_s=float(self._seq),
            source="action" if source == "action" else "runtime",
            transform=Transform(),
        )
        count = self._rng.randrange(4) if marks is None else marks
        drawn = (self._artifact("marks", f"marks {screen} {count}", size),) if count else ()
        raw = (self._artifact("raw", f"raw {screen}", size),) if self._rng.random() < 0.3 else ()
        observation = Observation(frame=frame, screen=size, marks=_marks(count), url=url, title=title)
        return observation, (*raw, clean, *drawn)

    def _requested(self, kind: StepKind, calls: Sequence[ToolCall]) -> Iterator[Artifact]:
        if kind in {"recall", "zoom"}:
            for number in range(self._rng.randint(1, 3)):
                seen = self._rng.choice([f"screen {self._rng.randrange(self._screens)}", f"cut {self._seq} {number}"])
                call = self._rng.choice(calls)
                yield self._artifact(kind, seen, _SIZES[1], call_id=call.id)

    def _artifact(self, kind: ArtifactKind, content: str, size: Size, *, call_id: str | None = None) -> Artifact:
        base = f"s{self._step:04d}-{kind}"
        self._names[base] = self._names.get(base, 0) + 1
        return Artifact(
            id=base if self._names[base] == 1 else f"{base}-{self._names[base]}",
            kind=kind,
            step=self._step,
            blob=hashlib.sha256(content.encode()).hexdigest(),
            media_type="image/png",
            size_bytes=1000 + len(content),
            width_px=size.width_px,
            height_px=size.height_px,
            action_id=call_id,
        )

    def _make_calls(self, kind: StepKind) -> tuple[ToolCall, ...]:
        if kind == "text":
            return ()
        count = self._rng.randint(2, 4) if kind == "batch" else self._rng.randint(1, 2)
        names = {"note": "web_note", "recall": "recall_history", "zoom": "zoom"}
        return tuple(self._make_call(names.get(kind, "click")) for _ in range(count))

    def _make_call(self, name: str) -> ToolCall:
        self._calls += 1
        return ToolCall(id=f"call-{self._calls}", name=name, arguments_json=f'{{"mark":{self._rng.randint(1, 9)}}}')

    def _make_result(self, call: ToolCall, kind: StepKind) -> ToolResult:
        match kind:
            case "refused" | "failed":
                return ToolResult(call_id=call.id, name=call.name, status="error", text="There is no mark 99.")
            case "dead":
                return ToolResult(call_id=call.id, name=call.name, status="interrupted", text="Interrupted.")
            case "lost":
                return ToolResult(call_id=call.id, name=call.name, status="unknown", text="Outcome unknown.")
            case "large":
                return ToolResult(call_id=call.id, name=call.name, status="ok", text="x = 1;\n" * 400)
            case _:
                return ToolResult(call_id=call.id, name=call.name, status="ok", text=f"{call.name} done")

    def _thoughts(self, kind: StepKind) -> Iterator[AssistantPart]:
        if self._rng.random() < 0.3:
            yield ReasoningPart(text="I look for the button.", raw_json='{"signature":"c2ln"}', dialect="neutral")
        if kind == "text" or self._rng.random() < 0.5:
            yield TextPart(text=f"Step {self._step}: next.")

    def _next_seq(self) -> int:
        self._seq += self._rng.randint(1, 3)
        return self._seq


def _marks(count: int) -> tuple[Mark, ...]:
    return tuple(
        Mark(
            id=number,
            box=FrameBox(x_px=number, y_px=number, width_px=20, height_px=10),
            click=FramePoint(x_px=number + 5, y_px=number + 5),
            role="button",
            name=f"Button {number}",
        )
        for number in range(1, count + 1)
    )
