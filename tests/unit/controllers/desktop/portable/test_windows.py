"""Windows on Windows and macOS, against stand-ins for pygetwindow."""

from __future__ import annotations

import pytest

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.portable.windows import AllWindows, FrontWindow
from harness.values.desktop import DeviceBox


class _PyGetWindowException(Exception):
    pass


class _Window:
    def __init__(self, system: _System, handle: int, title: str, *, width: int = 300) -> None:
        self._system = system
        self._hWnd = handle
        self.title = title
        self.left, self.top, self.width, self.height = -5, 7, width, 200
        self.isMinimized = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Window) and other._hWnd == self._hWnd

    def __hash__(self) -> int:
        return self._hWnd

    def restore(self) -> None:
        self.isMinimized = False

    def activate(self) -> None:
        if self._system.guards_focus:
            raise self._system.PyGetWindowException("Error code from Windows: 0")
        if not self._system.ignores_focus:
            self._system.active = self


class _System:
    """pygetwindow as it is on Windows."""

    PyGetWindowException = _PyGetWindowException

    def __init__(self) -> None:
        self.open = [_Window(self, 900, "Letter"), _Window(self, 901, ""), _Window(self, 902, "Mail", width=0)]
        self.open.append(_Window(self, 903, "Notes"))
        self.active: _Window | None = self.open[0]
        self.guards_focus = False
        self.ignores_focus = False

    def getAllWindows(self) -> list[_Window]:
        return list(self.open)

    def getActiveWindow(self) -> _Window | None:
        return self.active


@pytest.fixture
def system() -> _System:
    return _System()


def test_windows_with_a_title_are_listed_front_to_back_and_keep_their_numbers(system: _System) -> None:
    windows = AllWindows(system)
    listed = windows.windows()
    assert [(window.id, window.title, window.is_active) for window in listed] == [
        (1, "Letter", True),
        (2, "Notes", False),
    ]
    assert listed[0].box == DeviceBox(x=-5, y=7, width=300, height=200)
    system.open.reverse()
    assert [window.id for window in windows.windows()] == [2, 1]
    assert windows.state().titles == {1: "Letter", 2: "Notes"}
    assert windows.state().active == 1


def test_focus_restores_and_activates(system: _System) -> None:
    windows = AllWindows(system)
    notes = system.open[3]
    notes.isMinimized = True
    number = windows.windows()[1].id
    windows.focus(number, Deadline(1.0))
    assert (system.active, notes.isMinimized) == (notes, False)


def test_a_window_that_is_not_there_is_refused_with_those_that_are(system: _System) -> None:
    with pytest.raises(CallFailed, match=r'no window 7.*"Letter"'):
        AllWindows(system).focus(7, Deadline(1.0))


@pytest.mark.parametrize("refusal", ["guards_focus", "ignores_focus"])
def test_a_window_that_does_not_get_the_keyboard_is_said(system: _System, refusal: str) -> None:
    setattr(system, refusal, True)
    windows = AllWindows(system)
    number = windows.windows()[1].id
    with pytest.raises(CallFailed, match="click it instead"):
        windows.focus(number, Deadline(0.1))


def test_nothing_in_front_has_no_keyboard(system: _System) -> None:
    windows = AllWindows(system)
    assert windows.has_keyboard()
    system.active = None
    assert not windows.has_keyboard()


class _Mac:
    """pygetwindow as it is on macOS: a text for a window."""

    def __init__(self, title: str | None) -> None:
        self.title = title

    def getActiveWindow(self) -> str:
        if self.title is None:
            raise Exception("Could not find an active window.")  # as pygetwindow does
        return self.title

    def getWindowGeometry(self, title: str) -> tuple[float, float, float, float] | None:
        return (10.0, 20.0, 300.0, 400.0) if title == self.title else None


def test_on_macos_the_window_in_front_is_all_that_is_known() -> None:
    system = _Mac("Notes Shopping")
    windows = FrontWindow(system)
    (front,) = windows.windows()
    assert (front.id, front.title, front.is_active) == (1, "Notes Shopping", True)
    assert front.box == DeviceBox(x=10, y=20, width=300, height=400)
    windows.focus(1, Deadline(1.0))
    system.title = "Mail Inbox"
    assert windows.state().active == 2
    with pytest.raises(CallFailed, match="only the window in front is known"):
        windows.focus(1, Deadline(1.0))


def test_on_macos_nothing_may_be_in_front() -> None:
    windows = FrontWindow(_Mac(None))
    assert windows.windows() == ()
    assert not windows.has_keyboard()
