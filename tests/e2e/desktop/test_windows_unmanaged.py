"""The windows of a display of the test's own: without a window manager, with an odd one, and after its end."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from bare_display import BareDisplay
from desktop_session import DesktopSession, wait_for
from window_titles import named, titles
from x_client import x_client
from Xlib import X, Xatom

from harness.controllers.deadline import Deadline
from harness.controllers.desktop.x11.connection import open_display
from harness.controllers.desktop.x11.windows import X11Windows
from harness.errors import ControllerError
from harness.values.desktop import DeviceBox

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-1")]

RED, GREEN, BLUE = 0xEE1111, 0x11EE11, 0x1111EE


@pytest.fixture
def bare_display(desktop: DesktopSession, tmp_path: Path) -> BareDisplay:
    return BareDisplay(desktop, tmp_path)


@pytest.fixture
def unmanaged(desktop: DesktopSession, bare_display: BareDisplay) -> Mapping[str, str]:
    """Return the variables of a display whose window manager was killed, so that the root still names it."""
    manager = bare_display.manage()
    os.kill(manager, signal.SIGKILL)
    wait_for(lambda: desktop.blocking.returncode(manager) is not None, "it to be gone")
    with x_client(bare_display.environment) as client:
        assert client.root.get_full_property(client.atom("_NET_SUPPORTING_WM_CHECK"), X.AnyPropertyType)
    return bare_display.environment


def test_without_a_window_manager_the_root_tells(unmanaged: Mapping[str, str]) -> None:
    with closing(X11Windows(open_display(unmanaged))) as windows, x_client(unmanaged) as client:
        assert windows.windows() == ()
        assert not windows.has_keyboard()
        client.window((100, 100, 300, 200), title="low")
        client.window((150, 150, 300, 200), title="high")
        client.window((160, 160, 50, 50), is_popup=True)
        assert titles(windows) == ["high", "low"]
        assert named(windows, "low").box == DeviceBox(x=100, y=100, width=300, height=200)
        assert named(windows, "low").frame_box == named(windows, "low").box
        assert windows.popups() == (DeviceBox(x=160, y=160, width=50, height=50),)
        assert windows.state().active is None
        windows.focus(named(windows, "low").id, Deadline(5))
        assert titles(windows) == ["low", "high"]
        assert windows.state().active == named(windows, "low").id == 2
        assert windows.has_keyboard()


def test_a_window_on_another_virtual_desktop_is_hidden_until_it_is_focused(bare_display: BareDisplay) -> None:
    bare_display.manage()
    with (
        x_client(bare_display.environment) as client,
        closing(X11Windows(open_display(bare_display.environment))) as windows,
    ):
        client.window((100, 100, 200, 100), title="here")
        away = client.window((100, 100, 200, 100), title="away")
        client.ask_manager(client.root, "_NET_NUMBER_OF_DESKTOPS", [4, 0, 0, 0, 0])
        client.ask_manager(away, "_NET_WM_DESKTOP", [2, 0, 0, 0, 0])
        wait_for(lambda: named(windows, "away").is_minimized, "it to be moved")
        number = named(windows, "away").id
        assert windows.state().active != number
        windows.focus(number, Deadline(5))
        assert {window.title: window.is_minimized for window in windows.windows()} == {"away": False, "here": True}
        assert windows.state().active == number


def test_a_frame_that_looks_like_a_menu_is_none(bare_display: BareDisplay) -> None:
    with (
        x_client(bare_display.environment) as manager,
        closing(X11Windows(open_display(bare_display.environment))) as windows,
    ):
        # What a window manager does that keeps others from its frames.
        sign = manager.window((-10, -10, 1, 1), is_mapped=False)
        inner = manager.window((0, 0, 300, 200), title="framed", is_mapped=False)
        frame = manager.window((100, 80, 304, 224), is_popup=True)
        inner.reparent(frame, 2, 22)
        inner.map()
        for window in (sign, manager.root):
            window.change_property(manager.atom("_NET_SUPPORTING_WM_CHECK"), Xatom.WINDOW, 32, [sign.id])
        manager.root.change_property(manager.atom("_NET_CLIENT_LIST_STACKING"), Xatom.WINDOW, 32, [inner.id])
        manager.window((500, 80, 40, 30), title="menu", is_popup=True)
        assert named(windows, "framed").box == DeviceBox(x=102, y=102, width=300, height=200)
        assert named(windows, "framed").frame_box is None
        assert windows.popups() == (DeviceBox(x=500, y=80, width=40, height=30),)


def test_a_display_that_is_gone_is_a_controller_error(bare_display: BareDisplay) -> None:
    with closing(X11Windows(open_display(bare_display.environment))) as windows:
        assert windows.windows() == ()
        bare_display.end()
        uses = (windows.windows, windows.state, windows.popups, windows.has_keyboard)
        for use in (*uses, lambda: windows.focus(1, Deadline(1))):
            with pytest.raises(ControllerError, match="the display is gone"):
                use()
