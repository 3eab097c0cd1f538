"""A desktop whose settle watch is tested: a view of its screen, a hand that acts on it, and frames that are judged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from Xlib import XK, X
from Xlib.display import Display
from Xlib.ext import xtest

from harness.controllers.desktop.screen import open_screen
from harness.errors import ObservationError
from harness.protocols import Pixels
from harness.values.action import Action
from harness.values.desktop import DesktopWindow, DeviceBox
from harness.values.observation import SettleReport
from observers.settle.desktop import DesktopSettle
from observers.settle.picture import Picture
from observers.settle.places import is_caret, is_minor

CAP_S = 3.0
# What still moves this long after a frame was due in it.
LATER_S = 0.8


class ScreenView:
    """The whole screen of a display, as an observer sees it."""

    def __init__(self, environment: Mapping[str, str], *, shown: Mapping[str, str] | None = None) -> None:
        """Show a display; `shown` is the environment that the observer is told, by default the same."""
        self._screen = open_screen(environment)
        self._monitor = self._screen.monitors()[0]
        self.environment = environment if shown is None else shown

    @property
    def area(self) -> DeviceBox:
        return self._monitor.box

    def windows(self) -> tuple[DesktopWindow, ...]:
        return ()

    def popups(self) -> tuple[DeviceBox, ...]:
        return ()

    def grab(self) -> Pixels:
        return self._screen.grab(self._monitor)

    def close(self) -> None:
        self._screen.close()


class Hand:
    """Clicks and presses keys on a display, at once."""

    def __init__(self, display: Display) -> None:
        self._display = display

    def move(self, x: int, y: int) -> None:
        xtest.fake_input(self._display, X.MotionNotify, x=x, y=y)
        self._display.sync()

    def click(self, x: int, y: int, *, button: int = 1, count: int = 1) -> None:
        self.move(x, y)
        for _ in range(count):
            xtest.fake_input(self._display, X.ButtonPress, button)
            xtest.fake_input(self._display, X.ButtonRelease, button)
        self._display.sync()

    def press(self, *keys: str) -> None:
        codes = [self._display.keysym_to_keycode(XK.string_to_keysym(key)) for key in keys]
        for code in codes:
            xtest.fake_input(self._display, X.KeyPress, code)
        for code in reversed(codes):
            xtest.fake_input(self._display, X.KeyRelease, code)
        self._display.sync()

    def press_each(self, keys: Iterable[str]) -> None:
        for key in keys:
            self.press(key)


@dataclass(frozen=True, kw_only=True)
class JudgedFrame:
    """A frame taken when the watch said so, beside how the screen was a moment later.

    Attributes:
        label: What was done.
        report: What the watch said.
        late: Where the screen still changed after the frame; carets and scrollbars left out.
    """

    label: str
    report: SettleReport
    late: tuple[DeviceBox, ...]

    @property
    def is_right(self) -> bool:
        return not self.late and self.report.kind != "cap"

    def __str__(self) -> str:
        places = [f"{box.width:.0f}x{box.height:.0f} at {box.x:.0f},{box.y:.0f}" for box in self.late]
        return f"{self.label}: {self.report.kind} after {self.report.waited_s * 1000:.0f} ms, late: {places or 'none'}"


class SettleDesk:
    """One settle watch on one screen."""

    def __init__(self, view: ScreenView, settle: DesktopSettle) -> None:
        self.view = view
        self.settle = settle

    async def after(self, action: Action | None, act: Callable[[], object], *, cap_s: float = CAP_S) -> SettleReport:
        """Act under watch and return the report."""
        watch = await self.settle.watch(self.view, action)
        await asyncio.to_thread(act)
        return await watch.settled(cap_s=cap_s)

    async def judged(self, label: str, action: Action | None, act: Callable[[], object]) -> JudgedFrame:
        """Act under watch and judge the frame that follows."""
        report = await self.after(action, act)
        frame = self.view.grab()
        await asyncio.sleep(LATER_S)
        return JudgedFrame(label=label, report=report, late=self.changed_since(frame))

    def changed_since(self, frame: Pixels) -> tuple[DeviceBox, ...]:
        """Return where the screen differs from a frame, but for carets and what is as narrow as a scrollbar."""
        picture = Picture()
        picture.renew(frame, self.view.area)
        with suppress(ObservationError):
            found = picture.renew(self.view.grab(), self.view.area)
            return tuple(box for box in found if not is_caret(box) and not is_minor(box))
        return (self.view.area,)

    def close(self) -> None:
        self.settle.close()
        self.view.close()
