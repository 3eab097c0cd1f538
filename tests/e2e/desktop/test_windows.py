"""The windows of a real display: of applications, and of a client that does what applications do rarely."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from desktop_session import DesktopSession, wait_for
from window_titles import named, titles
from x_client import XClient, x_client
from Xlib import X, Xatom

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.screen import choose_monitor, open_screen
from harness.controllers.desktop.x11 import window_order, window_properties
from harness.controllers.desktop.x11.connection import open_display
from harness.controllers.desktop.x11.questions import Questions
from harness.controllers.desktop.x11.window_properties import PropertyMemory
from harness.controllers.desktop.x11.windows import X11Windows
from harness.values.desktop import DeviceBox

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-1")]

RED, GREEN, BLUE = 0xEE1111, 0x11EE11, 0x1111EE


@pytest.fixture
def windows(desktop: DesktopSession) -> Iterator[X11Windows]:
    with closing(X11Windows(open_display(desktop.environment))) as made:
        yield made


@pytest.fixture
def client(desktop: DesktopSession) -> Iterator[XClient]:
    with x_client(desktop.environment) as made:
        yield made


def coloured_box(desktop: DesktopSession, colour: int) -> DeviceBox:
    """Return where the screen shows a colour, found in its pixels."""
    screen = open_screen(desktop.environment)
    pixels = screen.grab(choose_monitor(screen.monitors(), 1))
    screen.close()
    wanted = colour.to_bytes(3, "little") + b"\0"
    data, stride = bytes(pixels.bgrx), pixels.size.width_px * 4
    rows = [index for index in range(pixels.size.height_px) if wanted in data[index * stride : (index + 1) * stride]]
    row = data[rows[0] * stride : (rows[0] + 1) * stride]
    left, right = row.find(wanted) // 4, row.rfind(wanted) // 4
    return DeviceBox(x=left, y=rows[0], width=right - left + 1, height=rows[-1] - rows[0] + 1)


def test_applications_are_listed_front_to_back(desktop: DesktopSession, windows: X11Windows) -> None:
    editor = desktop.start(["mousepad"], title="Mousepad")
    terminal = desktop.start(["xterm", "-title", "shell"], title="shell")
    seen = windows.windows()
    assert [(window.app, window.process_id) for window in seen] == [("xterm", terminal), ("mousepad", editor)]
    assert [window.is_active for window in seen] == [True, False]
    assert [window.id for window in seen] == [1, 2]
    assert {window.kind for window in seen} == {"window"}


def test_a_box_is_where_the_content_is_drawn(desktop: DesktopSession, windows: X11Windows, client: XClient) -> None:
    client.window((300, 200, 413, 187), title="painted", colour=GREEN)
    wait_for(lambda: GREEN.to_bytes(3, "little") in _screen_bytes(desktop), "it to be drawn")
    box = named(windows, "painted").box
    assert box == coloured_box(desktop, GREEN)
    assert (box.width, box.height) == (413, 187)


def test_a_frame_box_is_where_the_frame_stands(windows: X11Windows, client: XClient) -> None:
    window = client.window((300, 200, 413, 187), title="framed")
    frame = window
    while (parent := frame.query_tree().parent) != client.root:
        frame = parent
    place = frame.get_geometry()
    edge = 2 * place.border_width
    expected = DeviceBox(x=place.x, y=place.y, width=place.width + edge, height=place.height + edge)
    seen = named(windows, "framed")
    assert seen.frame_box == expected
    assert expected.height > seen.box.height
    # A program that draws its own frame says how much around it is shadow.
    window.change_property(client.atom("_GTK_FRAME_EXTENTS"), Xatom.CARDINAL, 32, [20, 21, 22, 23])
    client.display.sync()
    wait_for(lambda: named(windows, "framed").frame_box != expected, "it to be read again")
    assert named(windows, "framed").frame_box == DeviceBox(
        x=expected.x + 20, y=expected.y + 22, width=expected.width - 41, height=expected.height - 45
    )


def _screen_bytes(desktop: DesktopSession) -> bytes:
    screen = open_screen(desktop.environment)
    with closing(screen):
        return bytes(screen.grab(choose_monitor(screen.monitors(), 1)).bgrx)


def test_a_number_stays_with_its_window(desktop: DesktopSession, windows: X11Windows, client: XClient) -> None:
    first = client.window((10, 40, 200, 100), title="first")
    second = client.window((300, 40, 200, 100), title="second")
    numbers = {title: named(windows, title).id for title in ("first", "second")}
    assert sorted(numbers.values()) == [1, 2]
    windows.focus(numbers["first"], Deadline(5))
    assert titles(windows) == ["first", "second"]
    assert {title: named(windows, title).id for title in numbers} == numbers
    client.minimize(first)
    assert named(windows, "first").is_minimized
    assert named(windows, "first").id == numbers["first"]
    client.destroy(second)
    client.window((300, 40, 200, 100), title="third")
    assert named(windows, "third").id == 3


def test_a_number_does_not_come_back_with_an_x_id(desktop: DesktopSession, windows: X11Windows) -> None:
    with x_client(desktop.environment) as one:
        old = one.window((10, 40, 200, 100), title="old").id
        assert named(windows, "old").id == 1
    desktop.wait_for_no_window("old")
    with x_client(desktop.environment) as two:
        # The server gives the id range of a client that left to the next one.
        assert two.window((10, 40, 200, 100), title="new").id == old
        seen = named(windows, "new")
    assert seen.id == 2
    assert seen.title == "new"


def test_a_title_that_changes_is_read_again(desktop: DesktopSession, windows: X11Windows, client: XClient) -> None:
    window = client.window((10, 40, 200, 100), title="letter.txt")
    number = named(windows, "letter.txt").id
    window.change_property(client.atom("_NET_WM_NAME"), client.atom("UTF8_STRING"), 8, "*brief – 10 < 20".encode())
    client.display.sync()
    assert named(windows, "*brief – 10 < 20").id == number
    assert dict(windows.state().titles) == {number: "*brief – 10 < 20"}


@pytest.mark.parametrize(
    ("encoding", "data", "title"),
    [
        ("UTF8_STRING", "Größe – 界".encode(), "Größe – 界"),
        ("STRING", "Größe".encode("latin-1"), "Größe"),
        ("STRING", "Größe".encode(), "Größe"),
        ("COMPOUND_TEXT", b"Gr\xf6\xdfe \x1b%G\xe7\x95\x8c\x1b%@ ok", "Größe 界 ok"),
    ],
)
def test_old_titles_are_read_in_their_encodings(
    windows: X11Windows, client: XClient, encoding: str, data: bytes, title: str
) -> None:
    window = client.window((10, 40, 200, 100))
    window.delete_property(client.atom("_NET_WM_NAME"))
    window.change_property(client.atom("WM_NAME"), client.atom(encoding), 8, data)
    client.display.sync()
    assert titles(windows) == [title]


def test_properties_of_a_wrong_form_do_no_harm(windows: X11Windows, client: XClient) -> None:
    window = client.window((10, 40, 200, 100), title="odd")
    window.change_property(client.atom("_NET_WM_NAME"), Xatom.CARDINAL, 32, [1, 2, 3])
    window.change_property(client.atom("WM_NAME"), client.atom("UTF8_STRING"), 8, b"\xff\x00\x1b]0;x\x07" + b"y" * 5000)
    window.change_property(client.atom("_NET_WM_PID"), Xatom.STRING, 8, b"12")
    window.change_property(client.atom("WM_CLASS"), Xatom.CARDINAL, 32, [7])
    window.change_property(client.atom("_NET_WM_WINDOW_TYPE"), Xatom.STRING, 8, b"")
    client.display.sync()
    (seen,) = windows.windows()
    assert seen.title.startswith("\N{REPLACEMENT CHARACTER}\0\x1b]0;x\x07yyy")
    assert len(seen.title) == 1000
    assert (seen.app, seen.process_id, seen.kind) == ("", None, "window")


def test_dialogs_are_called_dialogs(desktop: DesktopSession, windows: X11Windows, client: XClient) -> None:
    owner = client.window((10, 40, 300, 200), title="owner")
    client.window((50, 80, 100, 100), title="its own", parent=owner)
    client.window((400, 80, 100, 100), title="typed", kind="DIALOG")
    desktop.start(["zenity", "--info", "--text", "hello", "--title", "notice"], title="notice")
    assert {window.title: window.kind for window in windows.windows()} == {
        "owner": "window",
        "its own": "dialog",
        "typed": "dialog",
        "notice": "dialog",
    }


def test_docks_backgrounds_and_notifications_are_no_windows(windows: X11Windows, client: XClient) -> None:
    client.window((0, 0, 1280, 800), title="background", kind="DESKTOP")
    client.window((100, 100, 300, 200), title="plain")
    client.window((0, 760, 1280, 40), title="panel", kind="DOCK")
    client.window((900, 30, 200, 60), title="you have mail", kind="NOTIFICATION")
    assert titles(windows) == ["plain"]
    assert set(windows.state().titles.values()) == {"plain"}
    boxes = windows.popups()
    assert DeviceBox(x=0, y=760, width=1280, height=40) in boxes
    assert len(boxes) == 2, boxes


def test_popups_are_listed_front_to_back(windows: X11Windows, client: XClient) -> None:
    client.window((100, 100, 300, 200), title="plain")
    assert windows.popups() == ()
    client.window((120, 140, 150, 90), is_popup=True)
    client.window((1200, 700, 150, 150), is_popup=True)
    client.window((10, 10, 50, 50), is_popup=True, is_mapped=False)
    client.window((-60, -60, 50, 50), is_popup=True)
    client.window((0, 0, 1280, 800), is_popup=True)
    assert windows.popups() == (
        DeviceBox(x=1200, y=700, width=80, height=100),
        DeviceBox(x=120, y=140, width=150, height=90),
    )
    assert titles(windows) == ["plain"]


def test_an_open_menu_is_a_popup(desktop: DesktopSession, windows: X11Windows) -> None:
    desktop.start(["mousepad"], title="Mousepad")
    assert windows.popups() == ()
    # F10 opens the first menu.
    code = desktop.display.keysym_to_keycode(0xFFC7)
    for kind in (X.KeyPress, X.KeyRelease):
        desktop.display.xtest_fake_input(kind, code)
    desktop.display.sync()
    wait_for(lambda: windows.popups() != (), "the menu")
    (menu,) = windows.popups()
    box = named(windows, "Mousepad").box
    assert box.x <= menu.x < box.x + 60
    assert box.y < menu.y < box.y + 60
    assert menu.height > 100
    assert len(windows.windows()) == 1


@pytest.mark.req("R-ACT-8")
def test_the_state_tells_what_opened_closed_and_is_active(windows: X11Windows, client: XClient) -> None:
    nothing = windows.state()
    assert (nothing.active, dict(nothing.titles)) == (None, {})
    first = client.window((10, 40, 200, 100), title="first")
    wait_for(lambda: windows.state().active == 1, "it to be active")
    client.window((300, 40, 200, 100), title="Save As")
    wait_for(lambda: windows.state().active == 2, "the other one to be active")
    assert dict(windows.state().titles) == {1: "first", 2: "Save As"}
    client.destroy(first)
    assert dict(windows.state().titles) == {2: "Save As"}


def test_focus_raises_restores_and_waits(desktop: DesktopSession, windows: X11Windows, client: XClient) -> None:
    low = client.window((100, 100, 300, 200), title="low", colour=RED)
    client.window((100, 100, 300, 200), title="high", colour=BLUE)
    number = named(windows, "low").id
    windows.focus(number, Deadline(5))
    assert windows.windows()[0] == named(windows, "low")
    assert named(windows, "low").is_active
    assert windows.state().active == number
    client.minimize(low)
    assert not named(windows, "low").is_active
    windows.focus(number, Deadline(5))
    seen = named(windows, "low")
    assert (seen.is_active, seen.is_minimized) == (True, False)
    assert desktop.active_title() == "low"


@pytest.mark.req("R-ACT-5")
def test_an_unknown_window_is_refused_with_those_there_are(windows: X11Windows, client: XClient) -> None:
    with pytest.raises(CallFailed, match="there is no window 7; no window is open"):
        windows.focus(7, Deadline(5))
    client.window((100, 100, 300, 200), title='say "hi"\n[3] button')
    wait_for(lambda: windows.state().active == 1, "it to be active")
    with pytest.raises(CallFailed) as caught:
        windows.focus(7, Deadline(5))
    assert str(caught.value) == (r'there is no window 7; open are: window 1 (active): "say \"hi\"\n[3] button"')


@pytest.mark.req("R-ACT-5")
def test_a_window_that_takes_no_keyboard_is_an_error(windows: X11Windows, client: XClient) -> None:
    client.window((500, 100, 300, 200), title="picture", is_focusable=False)
    client.window((100, 100, 300, 200), title="taker")
    number = named(windows, "picture").id
    with pytest.raises(CallFailed) as caught:
        windows.focus(number, Deadline(0.3))
    assert str(caught.value).startswith(f"window {number} did not take the keyboard; open are: ")
    assert '(active): "taker"' in str(caught.value)


def test_a_modal_dialog_keeps_the_keyboard(windows: X11Windows, client: XClient) -> None:
    owner = client.window((100, 100, 400, 300), title="owner")
    dialog = client.window((200, 150, 100, 100), title="Really?", parent=owner, kind="DIALOG", is_mapped=False)
    client.set_atoms(dialog, "_NET_WM_STATE", ["_NET_WM_STATE_MODAL"])
    dialog.map()
    client.display.sync()
    wait_for(lambda: "Really?" in titles(windows), "the dialog")
    with pytest.raises(CallFailed, match=r'\(active\): "Really\?"'):
        windows.focus(named(windows, "owner").id, Deadline(0.3))


def test_nothing_has_the_keyboard_on_an_empty_desktop(
    desktop: DesktopSession, windows: X11Windows, client: XClient
) -> None:
    assert not windows.has_keyboard()
    window = client.window((100, 100, 300, 200), title="taker")
    wait_for(windows.has_keyboard, "it to have the keyboard")
    client.destroy(window)
    wait_for(lambda: not windows.has_keyboard(), "nothing to have it")
    desktop.display.set_input_focus(X.PointerRoot, X.RevertToNone, X.CurrentTime)
    desktop.display.sync()
    assert not windows.has_keyboard()


def test_windows_that_vanish_meanwhile_are_left_out(
    desktop: DesktopSession, windows: X11Windows, client: XClient, caplog: pytest.LogCaptureFixture
) -> None:
    client.window((500, 100, 300, 200), title="stays")
    is_over = threading.Event()

    def flicker() -> None:
        with x_client(desktop.environment) as other:
            while not is_over.is_set():
                made = [other.window((10, 40, 50, 50)), other.window((80, 40, 50, 50), is_popup=True)]
                for window in made:
                    window.destroy()
                other.display.sync()

    with ThreadPoolExecutor() as threads:
        flickering = threads.submit(flicker)
        try:
            lengths = set()
            for _ in range(150):
                seen = windows.windows()
                assert [window.title for window in seen if window.title] == ["stays"]
                assert "stays" in windows.state().titles.values()
                windows.has_keyboard()
                lengths.add((len(seen), len(windows.popups())))
        finally:
            is_over.set()
        flickering.result()
    assert {count for count, _ in lengths} == {1, 2}, "no window ever came or went"
    assert {count for _, count in lengths} == {0, 1}, "no popup ever came or went"
    assert caplog.records == []


def test_nothing_is_remembered_of_a_window_that_is_gone(desktop: DesktopSession, client: XClient) -> None:
    gone = client.window((10, 40, 200, 100), title="old")
    client.destroy(gone)
    with closing(open_display(desktop.environment)) as display:
        questions = Questions(display, (*window_order.NAMES, *window_properties.NAMES))
        memory = PropertyMemory(display, questions)
        assert memory.read((gone.id,)) == {}
        # python-xlib gives a freed X id to the next window.
        assert client.window((10, 40, 200, 100), title="new").id == gone.id
        assert memory.read((gone.id,))[gone.id].title == "new"


def test_any_thread_may_ask(windows: X11Windows, client: XClient) -> None:
    for index in range(4):
        client.window((10 + 200 * index, 40, 150, 100), title=f"window {index}")
    wait_for(lambda: windows.windows()[0].is_active and titles(windows)[0] == "window 3", "the last one to be active")
    expected = windows.windows()

    def ask() -> None:
        for _ in range(40):
            assert windows.windows() == expected
            assert len(windows.state().titles) == 4
            assert windows.popups() == ()

    with ThreadPoolExecutor() as threads:
        for asking in [threads.submit(ask) for _ in range(4)]:
            asking.result()
