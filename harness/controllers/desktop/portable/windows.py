"""Open windows where there is no X11: all of them on Windows, by pygetwindow; on macOS the one in front alone."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.backend import WindowState, WindowSystem
from harness.controllers.desktop.portable.driver import Platform
from harness.errors import ControllerError
from harness.values.desktop import DesktopWindow, DeviceBox, window_line

FOCUS_S: Final = 2.0
_LOOK_S: Final = 0.02
_NOWHERE: Final = DeviceBox(x=0, y=0, width=0, height=0)


def load_windows(platform: Platform) -> WindowSystem:
    """Return the windows of Windows or macOS.

    Raises:
        ControllerError: pygetwindow, which pyautogui brings, is not there.
    """
    try:
        module = importlib.import_module("pygetwindow")
    except (ImportError, NotImplementedError) as exc:
        raise ControllerError(f"pygetwindow can't be imported: {exc}; install pyautogui again") from exc
    return FrontWindow(module) if platform == "darwin" else AllWindows(module)


class AllWindows:
    """The windows of Windows. Boxes have their frames in them."""

    def __init__(self, module: Any) -> None:  # Any: pygetwindow has no types
        self._module = module
        self._numbers: dict[int, int] = {}

    def windows(self) -> tuple[DesktopWindow, ...]:
        """Return those with a title, front to back."""
        with _system_errors():
            active = self._module.getActiveWindow()
            return tuple(self._described(window, active) for window in self._listed())

    def focus(self, window_id: int, deadline: Deadline) -> None:
        """Restore a window and bring it to the front; 2 s at most.

        Raises:
            CallFailed: there is no such window, or Windows does not give it the keyboard.
        """
        with _system_errors():
            window = next((found for found in self._listed() if self._number(found) == window_id), None)
            if window is None:
                raise CallFailed(f"there is no window {window_id}; {self._open_text()}")
            self._activate(window)
            waiting = Deadline(min(FOCUS_S, deadline.left_s))
            while self._module.getActiveWindow() != window:
                if waiting.left_s == 0:
                    raise CallFailed(f"window {window_id} did not take the keyboard; click it instead")
                time.sleep(_LOOK_S)

    def has_keyboard(self) -> bool:
        """Return whether any window has the keyboard."""
        with _system_errors():
            return self._module.getActiveWindow() is not None

    def popups(self) -> tuple[DeviceBox, ...]:
        """Return nothing: menus and tooltips are not told apart."""
        return ()

    def state(self) -> WindowState:
        """Return which windows are open and which is active."""
        return _state(self.windows())

    def _listed(self) -> Iterator[Any]:  # Any: pygetwindow has no types
        for window in self._module.getAllWindows():
            if window.title and window.width > 0 and window.height > 0:
                yield window

    def _number(self, window: Any) -> int:  # Any: pygetwindow has no types
        return self._numbers.setdefault(window._hWnd, len(self._numbers) + 1)  # its only identity

    def _described(self, window: Any, active: Any) -> DesktopWindow:  # Any: pygetwindow has no types
        return DesktopWindow(
            id=self._number(window),
            title=window.title,
            app="",
            box=DeviceBox(x=window.left, y=window.top, width=window.width, height=window.height),
            is_active=window == active,
            is_minimized=window.isMinimized,
        )

    def _activate(self, window: Any) -> None:  # Any: pygetwindow has no types
        if window.isMinimized:
            window.restore()
        try:
            window.activate()
        except self._module.PyGetWindowException as exc:
            raise CallFailed(f"Windows does not let this window take the keyboard ({exc}); click it instead") from exc

    def _open_text(self) -> str:
        lines = [window_line(window) for window in self.windows()]
        return f"open are: {'; '.join(lines)}" if lines else "no window is open"


class FrontWindow:
    """The window in front on macOS, which shows a program no others without private interfaces."""

    def __init__(self, module: Any) -> None:  # Any: pygetwindow has no types
        self._module = module
        self._numbers: dict[str, int] = {}

    def windows(self) -> tuple[DesktopWindow, ...]:
        """Return the one in front; its title begins with its application's name."""
        title = self._title()
        if title is None:
            return ()
        number = self._numbers.setdefault(title, len(self._numbers) + 1)
        return (DesktopWindow(id=number, title=title, app="", box=self._box(title), is_active=True),)

    def focus(self, window_id: int, deadline: Deadline) -> None:
        """Refuse: there is no way to choose a window.

        Raises:
            CallFailed: always, unless the window is in front already.
        """
        del deadline
        if window_id not in {window.id for window in self.windows()}:
            raise CallFailed(
                f"window {window_id} can't be chosen: on macOS only the window in front is known; "
                "click the window, or press Meta+Tab to change the application"
            )

    def has_keyboard(self) -> bool:
        """Return whether any window is in front."""
        return self._title() is not None

    def popups(self) -> tuple[DeviceBox, ...]:
        """Return nothing: menus and tooltips are not told apart."""
        return ()

    def state(self) -> WindowState:
        """Return which window is in front."""
        return _state(self.windows())

    def _title(self) -> str | None:
        try:
            return str(self._module.getActiveWindow()).strip()
        except Exception:  # noqa: BLE001  # pygetwindow raises a plain Exception when no window is in front
            return None

    def _box(self, title: str) -> DeviceBox:
        with _system_errors():
            place = self._module.getWindowGeometry(title)
        if place is None:
            return _NOWHERE
        left, top, width, height = place
        return DeviceBox(x=left, y=top, width=width, height=height)


def _state(windows: tuple[DesktopWindow, ...]) -> WindowState:
    active = next((window.id for window in windows if window.is_active), None)
    return WindowState(active=active, titles={window.id: window.title for window in windows})


@contextmanager
def _system_errors() -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise ControllerError(f"the system does not show its windows: {exc}; is the screen locked?") from exc
