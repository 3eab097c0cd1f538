"""A virtual desktop as observers see it, with a hand that clicks and types: what the tests of AT-SPI work with."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

import pytest
from desktop_session import DesktopSession
from Xlib import XK, X
from Xlib.ext import xtest
from Xlib.xobject.drawable import Window

from harness.controllers.desktop.screen import choose_monitor, open_screen
from harness.controllers.desktop.x11.connection import open_display
from harness.controllers.desktop.x11.windows import X11Windows
from harness.protocols import Marking, Pixels
from harness.values.desktop import DesktopWindow, DeviceBox
from harness.values.frame import Frame
from harness.values.geometry import DevicePoint, Transform
from harness.values.mark import Mark
from observers.atspi import AtspiMarks

T = TypeVar("T")
LIMIT_S = 20.0
DEADLINE_S = 10.0
_GTK2_BRIDGES = ("/usr/lib", "/usr/lib64")


def require_gtk2_bridge() -> None:
    """Skip the test where GTK 2 has no module that speaks AT-SPI."""
    if not any(any(Path(folder).glob("**/gtk-2.0/modules/libatk-bridge.so")) for folder in _GTK2_BRIDGES):
        pytest.skip("GTK 2 does not speak AT-SPI here: install libatk-adaptor and libgail-common")


class Look:
    """A part of a display as observers see it."""

    def __init__(self, windows: X11Windows, environment: Mapping[str, str], area: DeviceBox) -> None:
        self._windows = windows
        self.environment = environment
        self.area = area

    def windows(self) -> tuple[DesktopWindow, ...]:
        return self._windows.windows()

    def popups(self) -> tuple[DeviceBox, ...]:
        return self._windows.popups()

    def grab(self) -> Pixels:
        with closing(open_screen(self.environment)) as screen:
            return screen.grab(choose_monitor(screen.monitors(), 0))


class Desk:
    """One desktop, one observer and one hand. Points are device units unless a mark is named."""

    def __init__(self, session: DesktopSession, windows: X11Windows) -> None:
        self.session = session
        self.observer = AtspiMarks()
        size = session.virtual.size
        self.whole = DeviceBox(x=0, y=0, width=size.width_px, height=size.height_px)
        self._windows = windows
        self.view = self.look(self.whole)

    def look(self, area: DeviceBox, environment: Mapping[str, str] | None = None) -> Look:
        """Return a view of a part of the desktop."""
        return Look(self._windows, self.session.environment if environment is None else environment, area)

    async def observe(self, *, text_chars: int = 4000, view: Look | None = None, frame: Frame | None = None) -> Marking:
        view = view or self.view
        return await self.observer.observe(view, frame or frame_of(view), text_chars=text_chars, deadline_s=DEADLINE_S)

    async def until(self, look: Callable[[Marking], T | None], what: str) -> T:
        """Observe until `look` returns something that is neither None nor False, and return that."""
        end_s = time.monotonic() + LIMIT_S
        while True:
            marking = await self.observe()
            found = look(marking)
            if found is not None and found is not False:
                return found
            if time.monotonic() > end_s:
                raise AssertionError(f"waited {LIMIT_S:.0f} s for {what}; there are {lines(marking)}")
            await asyncio.sleep(0.03)

    async def mark(self, role: str, name: str) -> Mark:
        """Return the mark of that role and name once there is exactly one."""
        return await self.until(lambda marking: one(marking, role, name), f"{role} {name!r}")

    async def state(self, role: str, name: str, state: str) -> Mark:
        """Return the mark of that role and name once it is in a state."""

        def look(marking: Marking) -> Mark | None:
            mark = one(marking, role, name)
            return mark if mark is not None and state in mark.states else None

        return await self.until(look, f"{role} {name!r} {state}")

    def click(self, mark: Mark, *, frame: Frame | None = None, button: int = 1) -> None:
        """Click where a mark says."""
        self.move((frame or frame_of(self.view)).transform.to_device(mark.click))
        self._fake(X.ButtonPress, button)
        self._fake(X.ButtonRelease, button)

    def move(self, point: DevicePoint) -> None:
        xtest.fake_input(self.session.display, X.MotionNotify, x=int(point.x), y=int(point.y))
        self.session.display.sync()

    def press(self, *keys: str) -> None:
        """Press keys as one chord, by X's names, for example `Control_L`."""
        codes = [self.session.display.keysym_to_keycode(XK.string_to_keysym(key)) for key in keys]
        for code in codes:
            self._fake(X.KeyPress, code)
        for code in reversed(codes):
            self._fake(X.KeyRelease, code)

    def type(self, text: str) -> None:
        """Type lower-case letters and digits."""
        for letter in text:
            self.press({" ": "space"}.get(letter, letter))

    def owner_at(self, point: DevicePoint) -> str:
        """Return the title of the window that X has in front at a point, its frame included; '' for none."""
        root = self.session.display.screen().root
        front = root.translate_coords(root, int(point.x), int(point.y)).child
        return "" if front == X.NONE else self._title_in(front)

    def _title_in(self, frame: Window) -> str:
        known = {window.id for window in self.session.windows()}
        todo = [frame]
        while todo:
            window = todo.pop()
            if window.id in known:
                return str(window.get_wm_name())
            todo += window.query_tree().children
        return ""

    def _fake(self, kind: int, detail: int) -> None:
        xtest.fake_input(self.session.display, kind, detail)
        self.session.display.sync()


def frame_of(view: Look, *, scale: float = 1.0) -> Frame:
    """Return a frame of what a view shows."""
    area = view.area
    return Frame(
        sha256="0" * 64,
        media_type="image/png",
        width_px=round(area.width * scale),
        height_px=round(area.height * scale),
        device_scale=1.0,
        captured_at_s=0.0,
        source="runtime",
        transform=Transform(scale_x=scale, scale_y=scale, origin_x=area.x, origin_y=area.y),
    )


def one(marking: Marking, role: str, name: str) -> Mark | None:
    """Return the mark of that role and name, or None when there are none or several."""
    found = [mark for mark in marking.marks if (mark.role, mark.name) == (role, name)]
    return found[0] if len(found) == 1 else None


def lines(marking: Marking) -> list[str]:
    return [f"{mark.role} {mark.name}" for mark in marking.marks]


def texts(marking: Marking) -> list[str]:
    return [text.text for text in marking.texts]


@contextmanager
def desk_of(session: DesktopSession) -> Iterator[Desk]:
    """Return a desk on a desktop; its connections go with it."""
    with closing(X11Windows(open_display(session.environment))) as windows:
        yield Desk(session, windows)
