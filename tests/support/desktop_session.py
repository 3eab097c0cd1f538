"""One test's use of a virtual desktop: start applications, wait for windows and files, leave it as it was found."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import XError
from Xlib.ext import xtest
from Xlib.protocol import request
from Xlib.xobject.drawable import Window

from harness.controllers.desktop.virtual import BlockingDesktop, VirtualDesktop
from harness.controllers.desktop.x11.core_errors import restore_core_errors

T = TypeVar("T")
LIMIT_S = 20.0
JOINED = ("DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE")


def wait_for(look: Callable[[], T | None], what: str, limit_s: float = LIMIT_S) -> T:
    """Return what `look` returns once it is neither None nor False; fail with `what` after `limit_s` seconds."""
    end_s = time.monotonic() + limit_s
    while True:
        found = look()
        if found is not None and found is not False:
            return found
        if time.monotonic() > end_s:
            raise AssertionError(f"waited {limit_s:.0f} s for {what}")
        time.sleep(0.02)


def read_when_written(file: Path, is_done: Callable[[str], bool] = bool, limit_s: float = LIMIT_S) -> str:
    """Return a file's text once `is_done` accepts it; by default once there is any."""

    def look() -> str | None:
        with contextlib.suppress(OSError, UnicodeDecodeError):
            text = file.read_text(encoding="utf-8")
            return text if is_done(text) else None
        return None

    return wait_for(look, f"{file.name} to be written", limit_s)


@contextlib.contextmanager
def joined(environment: Mapping[str, str]) -> Iterator[None]:
    """Put this process on a desktop: mss, python-xlib and D-Bus read these variables from `os.environ`."""
    names = (*JOINED, "WAYLAND_DISPLAY")
    before = {name: os.environ[name] for name in names if name in os.environ}
    for name in names:
        os.environ.pop(name, None)
    os.environ.update({name: environment[name] for name in JOINED})
    try:
        yield
    finally:
        for name in names:
            os.environ.pop(name, None)
        os.environ.update(before)


class DesktopSession:
    """A desktop as one test uses it. Everything blocks for a bounded time.

    Attributes:
        virtual: The desktop.
        display: A connection to it of this session's own.
    """

    def __init__(self, virtual: VirtualDesktop) -> None:
        self.virtual = virtual
        with joined(virtual.environment):
            self.display = Display(virtual.environment["DISPLAY"])
        restore_core_errors(self.display)
        self.display.set_error_handler(lambda error, request: None)  # windows may go at any moment
        self._started: list[int] = []

    @property
    def environment(self) -> Mapping[str, str]:
        """Every variable of the desktop."""
        return self.virtual.environment

    @property
    def blocking(self) -> BlockingDesktop:
        """The desktop for code that does not await."""
        return self.virtual.blocking

    @property
    def home(self) -> Path:
        """The applications' home folder, shared by all tests on this desktop."""
        return self.virtual.home

    def start(
        self,
        argv: Sequence[str],
        *,
        title: str | None = None,
        stdout: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> int:
        """Start an application and return its process id, with `title` only when a window's title contains that."""
        process_id = self.blocking.spawn(argv, stdout=stdout, environment=environment)
        self._started.append(process_id)
        if title is not None:
            self.wait_for_window(title)
        return process_id

    def titles(self) -> list[str]:
        """Return the titles of the open windows, oldest first."""
        return [title for title in map(self._title, self.windows()) if title]

    def windows(self) -> list[Window]:
        """Return the windows that the window manager knows, oldest first."""
        listed = self._root_property("_NET_CLIENT_LIST")
        return [self.display.create_resource_object("window", number) for number in listed]

    def active_title(self) -> str:
        """Return the title of the window that has the keyboard, or ''."""
        active = self._root_property("_NET_ACTIVE_WINDOW")
        return self._title(self.display.create_resource_object("window", active[0])) if active and active[0] else ""

    def wait_for_window(self, title: str, *, is_active: bool = True) -> Window:
        """Return the window whose title contains `title`, once it is there and, unless told otherwise, active."""

        def look() -> Window | None:
            for window in self.windows():
                if title in self._title(window):
                    return window if not is_active or title in self.active_title() else None
            return None

        return wait_for(look, f"a window {title!r}; there are {self.titles()}")

    def wait_for_no_window(self, title: str) -> None:
        """Return once no window's title contains `title`."""
        wait_for(lambda: not any(title in seen for seen in self.titles()), f"window {title!r} to be gone")

    def held_keys(self) -> list[int]:
        """Return the key codes that are down."""
        state = self.display.query_keymap()
        return [code for code in range(8, 256) if state[code // 8] & (1 << code % 8)]

    def held_buttons(self) -> list[int]:
        """Return the pointer buttons that are down."""
        mask = self.display.screen().root.query_pointer().mask
        return [number for number in range(1, 6) if mask & (X.Button1Mask << (number - 1))]

    def park_pointer(self) -> None:
        """Put the pointer on an empty place that is no corner."""
        size = self.virtual.size
        self.display.screen().root.warp_pointer(size.width_px - 20, size.height_px - 20)
        self.display.sync()

    def reset(self) -> None:
        """Leave the desktop as it was: no windows, applications, keys, selections; layout us, pointer parked."""
        for process_id in self._started:
            self.blocking.end(process_id)
        self._started.clear()
        for window in self.windows():
            with contextlib.suppress(XError):
                window.kill_client()
        wait_for(lambda: not self.windows(), "all windows to be gone")
        for code in self.held_keys():
            xtest.fake_input(self.display, X.KeyRelease, code)
        for button in self.held_buttons():
            xtest.fake_input(self.display, X.ButtonRelease, button)
        for name in ("CLIPBOARD", "PRIMARY"):
            request.SetSelectionOwner(
                display=self.display.display,
                window=X.NONE,
                selection=self.display.intern_atom(name),
                time=X.CurrentTime,
            )
        if self._layout() != "us":
            subprocess.run(["setxkbmap", "us"], env=dict(self.environment), check=True, timeout=LIMIT_S)
        self.park_pointer()

    def close(self) -> None:
        """Give the connection back."""
        self.display.close()

    def _layout(self) -> str:
        names = self.display.screen().root.get_full_property(self.display.intern_atom("_XKB_RULES_NAMES"), Xatom.STRING)
        return str(names.value.decode().split("\0")[2]) if names is not None else ""

    def _root_property(self, name: str) -> list[int]:
        found = self.display.screen().root.get_full_property(self.display.intern_atom(name), X.AnyPropertyType)
        return [] if found is None else list(found.value)

    def _title(self, window: Window) -> str:
        with contextlib.suppress(XError):
            found = window.get_full_property(self.display.intern_atom("_NET_WM_NAME"), X.AnyPropertyType)
            if found is not None:
                return str(found.value.decode(errors="replace"))
            return window.get_wm_name() or ""
        return ""
