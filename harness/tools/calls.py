"""What a tool call asks for, after parsing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.values.action import Action, DeviceCall
from harness.values.geometry import FrameBox


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceRequest:
    """One action for the device."""

    call_id: str
    action: Action
    kind: Literal["device"] = "device"

    @property
    def device_call(self) -> DeviceCall:
        """The request as a controller takes it."""
        return DeviceCall(call_id=self.call_id, action=self.action)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRequest:
    """A note to keep; `key` replaces the active note of that key, None appends."""

    call_id: str
    text: str
    note_kind: str
    reason: str
    key: str | None = None
    kind: Literal["note"] = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishRequest:
    """The agent says that it is done, and whether it succeeded."""

    call_id: str
    success: bool
    answer: str
    kind: Literal["finish"] = "finish"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """A question for the user."""

    call_id: str
    question: str
    kind: Literal["ask"] = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRange:
    """Session steps from `first` to `last`, both included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRecordRequest:
    """Read a stored text again: exactly one of `ref` and `steps` is set.

    Attributes:
        ref: Id of a record, as the model wrote it; never a path.
        steps: Steps to describe.
        find: Show only what matches this text, ignoring case; None for everything.
        offset: First character to show, from 0.
    """

    call_id: str
    ref: str | None = None
    steps: StepRange | None = None
    find: str | None = None
    offset: int = 0
    kind: Literal["read_record"] = "read_record"


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoomRequest:
    """Show a part of the current frame larger; the box lies inside that frame."""

    call_id: str
    box: FrameBox
    kind: Literal["zoom"] = "zoom"


ParsedCall = DeviceRequest | NoteRequest | FinishRequest | AskRequest | ReadRecordRequest | ZoomRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A call that was refused before anything moved; `reason` tells the model what is valid."""

    call_id: str
    reason: str
    kind: Literal["refusal"] = "refusal"
