"""A virtual desktop as applications and drivers see it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import mss
import pytest
from desktop_session import DesktopSession, read_when_written, wait_for
from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection
from Xlib import X
from Xlib.ext import xtest

from harness.controllers.desktop.layout import set_layout, set_monitors
from harness.controllers.desktop.screen import open_screen
from harness.controllers.desktop.servers import ROOT_COLOUR
from harness.errors import ControllerError
from harness.values.desktop import DeviceBox
from harness.values.geometry import Size

pytestmark = [pytest.mark.desktop]
A11Y_BUS = DBusAddress("/org/a11y/bus", bus_name="org.a11y.Bus", interface="org.a11y.Bus")
REGISTRY_ROOT = DBusAddress(
    "/org/a11y/atspi/accessible/root",
    bus_name="org.a11y.atspi.Registry",
    interface="org.freedesktop.DBus.Properties",
)
FreshDesktop = Callable[..., DesktopSession]


@pytest.mark.req("R-ACT-6")
def test_an_application_opens_its_window_and_ends(desktop: DesktopSession) -> None:
    process_id = desktop.start(["mousepad"], title="Mousepad")
    assert desktop.blocking.returncode(process_id) is None
    desktop.blocking.end(process_id)
    assert desktop.blocking.returncode(process_id) is not None
    desktop.wait_for_no_window("Mousepad")


def test_each_test_finds_an_empty_desktop(desktop: DesktopSession) -> None:
    desktop.start(["xterm", "-title", "left behind"], title="left behind")
    xtest.fake_input(desktop.display, X.KeyPress, 38)
    xtest.fake_input(desktop.display, X.ButtonPress, 1)
    set_layout(desktop.environment, "de")
    desktop.display.sync()
    assert desktop.held_keys() == [38]
    assert desktop.held_buttons() == [1]
    desktop.reset()
    assert desktop.titles() == []
    assert desktop.held_keys() == []
    assert desktop.held_buttons() == []
    assert _layout(desktop) == "us"


def test_the_background_is_plain_and_not_black(desktop: DesktopSession) -> None:
    with mss.MSS() as screen:
        shot = screen.grab(screen.monitors[0])
    assert (shot.width, shot.height) == (1280, 800)
    colours = set(zip(shot.raw[0::4], shot.raw[1::4], shot.raw[2::4], strict=True))
    assert colours == {tuple(ROOT_COLOUR.to_bytes(3, "little"))}
    assert colours != {(0, 0, 0)}


def test_nothing_happens_on_the_background(desktop: DesktopSession) -> None:
    desktop.start(["xterm", "-title", "still here", "-geometry", "40x10+10+10"], title="still here")
    before = _pixels_far_from_windows()
    for button in (1, 2, 3, 4, 5):
        xtest.fake_input(desktop.display, X.ButtonPress, button)
        xtest.fake_input(desktop.display, X.ButtonRelease, button)
    desktop.display.sync()
    desktop.start(["xterm", "-title", "opened later", "-geometry", "40x10+10+300"], title="opened later")
    assert "still here" in desktop.titles()
    assert _pixels_far_from_windows() == before


def test_windows_can_be_switched_and_closed_by_keys(desktop: DesktopSession) -> None:
    titles = ["first", "second", "third"]
    for title in titles:
        desktop.start(["xterm", "-title", title], title=title)
    for title in ("first", "second", "third", "first"):
        _press(desktop, "Alt_L", "Tab")
        desktop.wait_for_window(title)
    _press(desktop, "Alt_L", "F4")
    desktop.wait_for_no_window("first")
    assert desktop.titles() == ["second", "third"]


def test_the_first_key_makes_no_application_read_the_keyboard_anew(fresh_desktop: FreshDesktop) -> None:
    fresh = fresh_desktop()
    _press(fresh, "Tab")
    seen = [fresh.display.next_event().type for _ in range(fresh.display.pending_events())]
    assert X.MappingNotify not in seen


def test_applications_are_on_the_accessibility_bus(desktop: DesktopSession) -> None:
    desktop.start(["mousepad"], title="Mousepad")
    with open_dbus_connection(desktop.environment["DBUS_SESSION_BUS_ADDRESS"]) as session:
        (address,) = session.send_and_get_reply(new_method_call(A11Y_BUS, "GetAddress")).body
    assert str(desktop.environment["XDG_RUNTIME_DIR"]) in address
    question = new_method_call(REGISTRY_ROOT, "Get", "ss", ("org.a11y.atspi.Accessible", "ChildCount"))
    with open_dbus_connection(address) as bus:
        wait_for(lambda: bus.send_and_get_reply(question).body[0][1] >= 1, "an accessible application")


def test_a_started_desktop_is_ready(fresh_desktop: FreshDesktop) -> None:
    fresh = fresh_desktop()
    root = fresh.display.screen().root
    for name in ("_NET_SUPPORTING_WM_CHECK", "_NET_CLIENT_LIST", "AT_SPI_BUS"):
        assert root.get_full_property(fresh.display.intern_atom(name), X.AnyPropertyType) is not None, name


def test_a_desktop_without_accessibility_has_no_such_bus(fresh_desktop: FreshDesktop) -> None:
    plain = fresh_desktop(has_accessibility=False)
    plain.start(["zenity", "--info", "--text", "x", "--title", "no bus"], title="no bus")
    assert not list(Path(plain.environment["XDG_RUNTIME_DIR"]).glob("at-spi*/*"))


def test_windows_are_twice_as_large_at_scale_two(fresh_desktop: FreshDesktop, desktop: DesktopSession) -> None:
    dialog = ["zenity", "--info", "--text", "A line of text.", "--title", "measure me"]
    desktop.start(dialog, title="measure me")
    single = desktop.wait_for_window("measure me").get_geometry()
    scaled = fresh_desktop(size=Size(width_px=2560, height_px=1600), environment={"GDK_SCALE": "2"})
    scaled.start(dialog, title="measure me")
    double = scaled.wait_for_window("measure me").get_geometry()
    assert (double.width, double.height) == (2 * single.width, 2 * single.height)


def test_the_layout_can_be_changed(desktop: DesktopSession) -> None:
    set_layout(desktop.environment, "de")
    assert _layout(desktop) == "de"
    with pytest.raises(ControllerError, match="setxkbmap -layout nowhere failed"):
        set_layout(desktop.environment, "nowhere")
    set_layout(desktop.environment, "us")
    assert _layout(desktop) == "us"


@pytest.mark.req("R-ACT-1")
def test_the_screen_can_be_divided_into_monitors(fresh_desktop: FreshDesktop) -> None:
    wide = fresh_desktop(size=Size(width_px=2400, height_px=800))
    left = DeviceBox(x=0, y=0, width=1280, height=800)
    right = DeviceBox(x=1280, y=100, width=1120, height=700)
    set_monitors(wide.environment, [left, right])
    assert _monitors() == [(0, 0, 2400, 800), (0, 0, 1280, 800), (1280, 100, 1120, 700)]
    set_monitors(wide.environment, [DeviceBox(x=0, y=0, width=2400, height=400)])
    assert _monitors() == [(0, 0, 2400, 800), (0, 0, 2400, 400)]
    set_monitors(wide.environment, [])
    assert _monitors() == [(0, 0, 2400, 800), (0, 0, 2400, 800)]


def test_a_display_that_is_gone_is_told() -> None:
    environment = {"DISPLAY": ":32000", "PATH": os.environ["PATH"]}
    with pytest.raises(ControllerError, match="xrandr"):
        set_monitors(environment, [])


def test_output_goes_to_the_file(desktop: DesktopSession, tmp_path: Path) -> None:
    desktop.start(["printenv", "HOME"], stdout=tmp_path / "out")
    assert read_when_written(tmp_path / "out") == f"{desktop.home}\n"


def _layout(desktop: DesktopSession) -> str:
    query = ["setxkbmap", "-query"]
    done = subprocess.run(query, env=dict(desktop.environment), capture_output=True, text=True, check=True)
    return dict(line.split() for line in done.stdout.splitlines())["layout:"]


def _monitors() -> list[tuple[int, int, int, int]]:
    with mss.MSS() as screen:
        return [(found["left"], found["top"], found["width"], found["height"]) for found in screen.monitors]


def _pixels_far_from_windows() -> bytes:
    with mss.MSS() as screen:
        return bytes(screen.grab({"left": 700, "top": 0, "width": 580, "height": 800}).raw)


def _press(desktop: DesktopSession, *names: str) -> None:
    symbols = {"Alt_L": 0xFFE9, "Tab": 0xFF09, "F4": 0xFFC1}
    codes = [desktop.display.keysym_to_keycode(symbols[name]) for name in names]
    for code in codes:
        xtest.fake_input(desktop.display, X.KeyPress, code)
    for code in reversed(codes):
        xtest.fake_input(desktop.display, X.KeyRelease, code)
    desktop.display.sync()


def test_what_stands_still_is_the_same_picture_twice(desktop: DesktopSession) -> None:
    desktop.start(["mousepad"], title="Mousepad")
    wait_for(desktop.active_title, "the editor to have the keyboard")
    screen = open_screen(desktop.environment)
    monitor = screen.monitors()[1]
    time.sleep(0.5)  # the first drawing
    first = bytes(screen.grab(monitor).bgrx)
    pictures = set()
    for _ in range(15):  # a caret blinks every 1.2 seconds
        time.sleep(0.1)
        pictures.add(bytes(screen.grab(monitor).bgrx) == first)
    screen.close()
    assert pictures == {True}


def test_the_pointer_starts_where_it_points_at_nothing(fresh_desktop: FreshDesktop) -> None:
    found = fresh_desktop(size=Size(width_px=640, height_px=480)).display.screen().root.query_pointer()
    assert (found.root_x, found.root_y) == (639, 479)
