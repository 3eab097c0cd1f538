"""Fakes that stand in for a device, a clock and a model; plug-in authors test with the same ones."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar, Literal

from PIL import Image

from harness.errors import ActionUnknown, EmergencyStop
from harness.protocols.controllers import CONTROLLER_PROTOCOL, Capabilities, DeviceStart
from harness.values.action import DeviceCall, ListWindows, ReadClipboard, TypeText
from harness.values.desktop import DesktopWindow, DeviceBox, window_line
from harness.values.frame import Capture, Frame, FrameSource
from harness.values.geometry import FrameBox, FramePoint, Size, Transform
from harness.values.mark import Mark
from harness.values.observation import Observation, SettleReport, Sight
from harness.values.outcome import CallOutcome, Outcome
from harness.values.recording import Recording

Fault = Literal["failed_call", "no_frame", "lost", "refused", "unanswered", "stopped"]
FAKE_TOOLS = ("click", "type_text", "press_keys", "scroll", "wait", "look", "navigate")
FAKE_DESKTOP_TOOLS = (
    *("click", "type_text", "press_keys", "scroll", "wait", "look"),
    *("launch", "list_windows", "focus_window", "read_clipboard", "write_clipboard"),
)


class FakeClock:
    """Time that moves only when told to: each reading may add `tick_s` seconds."""

    def __init__(self, start_s: float = 1_700_000_000.0, *, tick_s: float = 0.0) -> None:
        self._now_s = start_s
        self._tick_s = tick_s

    def advance(self, seconds: float) -> None:
        """Move on by `seconds`."""
        self._now_s += seconds

    def now_s(self) -> float:
        """Return the time and move on by one tick."""
        self._now_s += self._tick_s
        return self._now_s

    def monotonic_s(self) -> float:
        """Return the same time."""
        return self.now_s()


@lru_cache(maxsize=2048)
def solid_png(number: int, width_px: int, height_px: int) -> bytes:
    """Return a PNG whose colour is made from `number`: equal numbers give equal bytes."""
    digest = hashlib.sha256(str(number).encode()).digest()
    buffer = io.BytesIO()
    Image.new("RGB", (width_px, height_px), (digest[0], digest[1], digest[2])).save(buffer, "PNG")
    return buffer.getvalue()


def fake_frame(image: bytes, size: Size, *, source: FrameSource, at_s: float) -> Frame:
    """Return the frame of an image that was sent as it was captured."""
    return Frame(
        sha256=hashlib.sha256(image).hexdigest(),
        media_type="image/png",
        width_px=size.width_px,
        height_px=size.height_px,
        device_scale=1.0,
        captured_at_s=at_s,
        source=source,
        transform=Transform(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeScreen:
    """What the fake device shows: equal numbers and sizes are equal pixels; without a size the device's own."""

    number: int
    marks: tuple[Mark, ...] = ()
    url: str | None = "http://127.0.0.1/"
    title: str = "Fake"
    size: Size | None = None
    app: str | None = None
    windows: tuple[DesktopWindow, ...] = ()


def fake_mark(mark_id: int, name: str = "OK", role: str = "button") -> Mark:
    """Return a small mark on the top row of a fake frame."""
    return Mark(
        id=mark_id,
        box=FrameBox(x_px=4 * mark_id, y_px=2, width_px=3, height_px=3),
        click=FramePoint(x_px=4 * mark_id + 1, y_px=3),
        role=role,
        name=name,
    )


def fake_window(number: int, title: str = "Fake", *, is_active: bool = False) -> DesktopWindow:
    """Return a small window of a fake desktop."""
    box = DeviceBox(x=2.0 * number, y=4.0, width=20.0, height=10.0)
    return DesktopWindow(id=number, title=title, app="fake", box=box, is_active=is_active)


def numbered_screens(index: int) -> FakeScreen:
    """Return a new screen for each action, with two marks."""
    return FakeScreen(number=index, marks=(fake_mark(1), fake_mark(2, "Cancel")))


@dataclass
class FakeController:
    """A device that shows one screen after another.

    Attributes:
        screens: The screen after the n-th action; 0 is the first.
        size: Size of every frame, in pixels.
        faults: What goes wrong in the n-th `perform`, counted from 1.
        tools: Its tools.
        note_tool: Its note tool.
        marks_image: Whether its marks are an image by default.
        apps: What `launch` may start.
        clipboard: What `read_clipboard` finds.
        has_recorder: Whether each frame is recorded; a recording comes with the outcome after its frame's, the last
            one when it is collected.
        performed: The calls of each `perform`, for assertions.
        captures: How often the runtime captured by itself.
        releases: How often keys and buttons were released.
        is_closed: Whether `close` was called.
    """

    PROTOCOL: ClassVar[int] = CONTROLLER_PROTOCOL

    screens: Callable[[int], FakeScreen] = numbered_screens
    size: Size = Size(width_px=64, height_px=40)
    faults: Mapping[int, Fault] = field(default_factory=dict)
    tools: tuple[str, ...] = FAKE_TOOLS
    note_tool: Literal["note", "web_note"] = "web_note"
    marks_image: bool = True
    apps: tuple[str, ...] = ()
    clipboard: str = ""
    has_recorder: bool = False
    performed: list[tuple[DeviceCall, ...]] = field(default_factory=list)
    captures: int = 0
    releases: int = 0
    is_closed: bool = False
    _index: int = 0
    _recordings: list[Recording] = field(default_factory=list)

    def capabilities(self) -> Capabilities:
        """Return a small set of tools."""
        return Capabilities(
            tools=self.tools,
            note_tool=self.note_tool,
            screen=self.size,
            device_scale=1.0,
            engine="fake",
            marks_image=self.marks_image,
            apps=self.apps,
        )

    async def open(self, start: DeviceStart, observers: Sequence[str]) -> Sight:
        """Return screen 0."""
        return self._sight("runtime")

    async def capture(self, deadline_s: float) -> Sight:
        """Return the current screen."""
        self.captures += 1
        return self._sight("runtime")

    async def perform(
        self, calls: Sequence[DeviceCall], *, action_id: str, decision_frame: Frame | None, deadline_s: float
    ) -> Outcome:
        """Go to the next screen, unless a fault is due."""
        self.performed.append(tuple(calls))
        fault = self.faults.get(len(self.performed))
        if fault == "lost":
            self._index += 1
            raise ActionUnknown("the fake device was lost while it acted")
        if fault == "stopped":
            raise EmergencyStop("a person took the fake device back")
        if fault == "refused":
            outcomes = tuple(
                CallOutcome(call_id=call.call_id, status="not_executed", text="not executed: refused") for call in calls
            )
            return Outcome(action_id=action_id, status="refused", calls=outcomes, observation=None)
        self._index += 1
        if fault == "unanswered":
            outcomes = tuple(
                CallOutcome(call_id=call.call_id, status="unknown", text="outcome unknown: no answer came")
                for call in calls
            )
            return Outcome(action_id=action_id, status="unknown", calls=outcomes, observation=None, error="no answer")
        return self._outcome(calls, action_id, fault)

    def _outcome(self, calls: Sequence[DeviceCall], action_id: str, fault: Fault | None) -> Outcome:
        status: Literal["failed", "executed"] = "failed" if fault == "failed_call" else "executed"
        outcomes = tuple(
            CallOutcome(call_id=call.call_id, status=status, text=self._told(call, status)) for call in calls
        )
        recordings = self._take_recordings()
        sight = self._sight("action")
        if fault == "no_frame":
            broken = replace(sight.observation, frame=None, marks=(), error="the fake capture failed")
            return Outcome(
                action_id=action_id, status="done", calls=outcomes, observation=broken, recordings=recordings
            )
        return Outcome(
            action_id=action_id,
            status="done",
            calls=outcomes,
            observation=sight.observation,
            capture=sight.capture,
            recordings=recordings,
        )

    def _told(self, call: DeviceCall, status: str) -> str:
        """Return the result's text; what was typed or copied comes back whole, so a long one makes a long result."""
        match call.action:
            case TypeText(text=text):
                return f"type_text {status}: {text}"
            case ReadClipboard():
                return self.clipboard
            case ListWindows():
                return "\n".join(window_line(window) for window in self.screens(self._index).windows)
            case _:
                return f"{call.action.kind} {status}"

    def _sight(self, source: FrameSource) -> Sight:
        screen = self.screens(self._index)
        size = screen.size or self.size
        image = solid_png(screen.number, size.width_px, size.height_px)
        frame = fake_frame(image, size, source=source, at_s=float(self._index))
        observation = Observation(
            frame=frame,
            screen=size,
            marks=screen.marks,
            url=screen.url,
            title=screen.title,
            app=screen.app,
            windows=screen.windows,
            settle=SettleReport(kind="settled", waited_s=0.1) if source == "action" else None,
        )
        if self.has_recorder:
            body = f'{{"frame": {self._index}, "source": "{source}"}}\n'.encode()
            self._recordings.append(Recording(kind="accessibility", frame_sha256=frame.sha256, body=body))
        return Sight(observation=observation, capture=Capture(frame=frame, image=image))

    def _take_recordings(self) -> tuple[Recording, ...]:
        taken, self._recordings = tuple(self._recordings), []
        return taken

    async def collect_recordings(self, deadline_s: float) -> tuple[Recording, ...]:
        """Return what no outcome brought yet."""
        return self._take_recordings()

    async def release_all(self) -> None:
        """Count the release."""
        self.releases += 1

    async def close(self) -> None:
        """Remember that it was closed."""
        self.is_closed = True
