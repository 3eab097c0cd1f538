"""Observers see: marks, the settle watch, overlays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

from harness.values.action import Action
from harness.values.frame import Frame
from harness.values.mark import Mark, VisibleText
from harness.values.observation import SettleReport

OBSERVER_PROTOCOL = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Marking:
    """What a mark observer found.

    Attributes:
        marks: Numbered from 1 in reading order.
        texts: Visible text between them.
        notices: What it could not see.
        handle: Whatever it needs to find a mark's element again; opaque to the controller.
    """

    marks: tuple[Mark, ...]
    texts: tuple[VisibleText, ...] = ()
    notices: tuple[str, ...] = ()
    handle: object | None = None


class MarkObserver(Protocol):
    """Finds marks on a device. Runs in the process that owns the device; changes nothing there."""

    PROTOCOL: ClassVar[int]

    async def observe(self, device: object, frame: Frame, *, text_chars: int, deadline_s: float) -> Marking:
        """Return the marks of what the device shows, in pixels of `frame`."""
        ...

    async def find(self, marking: Marking, mark: Mark, *, deadline_s: float) -> str | None:
        """Return None when the mark's element is still there and hit at its click point, else why not."""
        ...


class SettleWatch(Protocol):
    """A wait that began before an action."""

    async def settled(self, *, cap_s: float) -> SettleReport:
        """Wait until the screen is quiet or `cap_s` seconds have passed."""
        ...


class Settler(Protocol):
    """Waits for a device to come to rest after an action, driven by events."""

    PROTOCOL: ClassVar[int]

    async def watch(self, device: object, action: Action | None) -> SettleWatch:
        """Begin to watch, just before `action`; None when the device was only opened."""
        ...

    def close(self) -> None:
        """Give back what it holds; again is harmless."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusedField:
    """The element that has the keyboard.

    Attributes:
        kind: `text` for a field whose content can be read, `password` for one that must not be, `terminal`,
            `other` for an element that holds no text, `unknown` when nothing can be told.
        value: What a `text` field holds now, else an empty string; hostile.
        is_one_line: Whether a line break would send its form instead of standing in it.
    """

    kind: Literal["text", "password", "terminal", "other", "unknown"]
    value: str = ""
    is_one_line: bool = False


@runtime_checkable
class FieldReader(Protocol):
    """Reads the focused element of a desktop; a mark observer may be one as well."""

    async def focused_field(self, device: object, *, deadline_s: float) -> FocusedField:
        """Return the element that has the keyboard; `unknown` when the tree does not say."""
        ...


class AccessibilityRecorder(Protocol):
    """Writes down the accessibility tree. Runs beside the step and delays nothing."""

    PROTOCOL: ClassVar[int]

    async def record(self, device: object, frame: Frame, *, deadline_s: float) -> bytes:
        """Return the tree as JSON lines in UTF-8, one node a line, boxes in pixels of `frame`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """One executed action to draw on the decision frame; `number` counts the actions of the step from 1."""

    action: Action
    number: int


class OverlayPainter(Protocol):
    """Draws annotated copies of a frame. Pure: bytes in, PNG bytes out; the input is not modified."""

    PROTOCOL: ClassVar[int]

    def draw_marks(self, image: bytes, marks: Sequence[Mark]) -> bytes:
        """Return the image with numbered boxes; labels neither cover each other nor leave the image."""
        ...

    def draw_actions(self, image: bytes, strokes: Sequence[Stroke]) -> bytes:
        """Return the image with the step's actions; pixels away from the drawing are unchanged."""
        ...
