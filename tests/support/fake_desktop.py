"""A desktop in memory: it records what reaches it and shows what a test tells it to."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.backend import WindowState
from harness.errors import ControllerError
from harness.protocols import Pixels
from harness.values.action import Button
from harness.values.desktop import DesktopWindow, DeviceBox, Monitor
from harness.values.geometry import DevicePoint, Size

KEYS = frozenset({"Control", "Shift", "Alt", "Enter", "End", "a", "s", "w"})


@dataclass
class Log:
    """What reached the desktop, in order, one line an event."""

    lines: list[str] = field(default_factory=list)
    positions: list[DevicePoint] = field(default_factory=list)


class LoggedPointer:
    """A pointer that writes down what it does."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._at = DevicePoint(x=0, y=0)
        self.problem: ControllerError | None = None

    def move(self, to: DevicePoint) -> None:
        if self.problem is not None:
            raise self.problem
        self._at = to
        self._log.positions.append(to)
        self._log.lines.append(f"move {to.x:g},{to.y:g}")

    def press(self, button: Button) -> None:
        self._log.lines.append(f"{button} down")

    def release(self, button: Button) -> None:
        self._log.lines.append(f"{button} up")

    def turn_wheel(self, dx: int, dy: int) -> None:
        self._log.lines.append(f"wheel {dx},{dy}")

    def position(self) -> DevicePoint:
        return self._at


class LoggedKeyboard:
    """A keyboard that writes down what it does; typing takes `takes_s` seconds and ends with `on_type`."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.breaks_on: str | None = None
        self.takes_s = 0.0
        self.on_type: Callable[[], None] = lambda: None
        self.pasted: list[bool] = []

    def unknown_keys(self, keys: Sequence[str]) -> tuple[str, ...]:
        return tuple(key for key in keys if key not in KEYS)

    def known_names(self) -> str:
        return ", ".join(sorted(KEYS))

    def press(self, key: str) -> None:
        self._log.lines.append(f"{key} down")
        if key == self.breaks_on:
            raise CallFailed(f"{key} broke")

    def release(self, key: str) -> None:
        self._log.lines.append(f"{key} up")

    def type_text(self, text: str, *, may_paste: bool, deadline: Deadline) -> None:
        self.pasted.append(may_paste)
        time.sleep(self.takes_s)
        self._log.lines.append(f"type {text!r}")
        self.on_type()


class FakeClipboard:
    """A clipboard in memory."""

    def __init__(self) -> None:
        self.text = ""

    def read(self) -> str:
        return self.text

    def write(self, text: str) -> None:
        self.text = text


class FakeWindows:
    """Windows that a test puts there, front to back."""

    def __init__(self, *windows: DesktopWindow) -> None:
        self.open: tuple[DesktopWindow, ...] = windows
        self.has_focus = True
        self.hangs_s = 0.0
        self.problem: ControllerError | None = None

    def windows(self) -> tuple[DesktopWindow, ...]:
        return self.open

    def popups(self) -> tuple[DeviceBox, ...]:
        return ()

    def state(self) -> WindowState:
        time.sleep(self.hangs_s)
        if self.problem is not None:
            raise self.problem
        active = next((window.id for window in self.open if window.is_active), None)
        return WindowState(active=active, titles={window.id: window.title for window in self.open})

    def focus(self, window_id: int, deadline: Deadline) -> None:
        if all(window.id != window_id for window in self.open):
            raise CallFailed(f"there is no window {window_id}")

    def has_keyboard(self) -> bool:
        return self.has_focus


class FakeScreen:
    """Monitors of a chosen layout; each shows one colour of its own, `scale` pixels a device unit.

    A picture may claim another size than it has.
    """

    def __init__(self, *boxes: DeviceBox, scale: float = 1.0) -> None:
        self._boxes = boxes
        self._scale = scale
        self.colour: Mapping[int, bytes] = {}
        self.grabbed: list[int] = []
        self.claimed: Size | None = None

    def monitors(self) -> tuple[Monitor, ...]:
        left = min(box.x for box in self._boxes)
        top = min(box.y for box in self._boxes)
        right = max(box.x + box.width for box in self._boxes)
        bottom = max(box.y + box.height for box in self._boxes)
        whole = DeviceBox(x=left, y=top, width=right - left, height=bottom - top)
        return tuple(Monitor(number=number, box=box) for number, box in enumerate((whole, *self._boxes)))

    def grab(self, monitor: Monitor) -> Pixels:
        self.grabbed.append(monitor.number)
        size = Size(width_px=round(monitor.box.width * self._scale), height_px=round(monitor.box.height * self._scale))
        pixel = self.colour.get(monitor.number, bytes((40 * monitor.number + 9, 80, 120, 0)))
        return Pixels(size=self.claimed or size, bgrx=pixel * (size.width_px * size.height_px))


class FakeBackend:
    """A whole desktop in memory."""

    name = "fake"

    def __init__(self, screen: FakeScreen | None = None, windows: FakeWindows | None = None) -> None:
        self.log = Log()
        self.pointer = LoggedPointer(self.log)
        self.keyboard = LoggedKeyboard(self.log)
        self.clipboard = FakeClipboard()
        self.windows = windows or FakeWindows()
        self.screen = screen or FakeScreen(DeviceBox(x=0, y=0, width=320, height=200))
        self.releases = 0
        self.is_closed = False

    def release_all(self) -> None:
        self.releases += 1

    def close(self) -> None:
        self.is_closed = True


def fake_window(number: int, title: str = "Editor", *, is_active: bool = False) -> DesktopWindow:
    """Return a window of 100x80 device units."""
    box = DeviceBox(x=10, y=10, width=100, height=80)
    return DesktopWindow(id=number, title=title, app="editor", box=box, is_active=is_active)
