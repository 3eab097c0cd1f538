"""pyautogui on a real X display: the same promises as of the X11 backend, as far as it can keep them."""

from __future__ import annotations

import atexit
import string
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from desktop_session import LIMIT_S, DesktopSession, read_when_written, wait_for
from x_client import XClient, x_client
from Xlib import XK, X
from Xlib.ext import xtest
from Xlib.protocol import event

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.backend import Backend
from harness.controllers.desktop.gestures import Gestures
from harness.controllers.desktop.portable import PortableBackend
from harness.controllers.desktop.x11.backend import X11Backend
from harness.errors import ControllerError
from harness.values.geometry import DevicePoint

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-1")]
ASCII = string.ascii_letters + string.digits + string.punctuation
WORLD = "Grüße, 10 € – naïve façade; Привет; 你好; 😀👍🏽"
Make = Callable[[Mapping[str, str]], Backend]


@pytest.fixture(autouse=True, scope="module")
def _silent_exit() -> None:
    """Close at exit what pyautogui and its modules keep open for the life of the process."""
    atexit.register(_close_leftovers)


def _close_leftovers() -> None:
    if "pyautogui" in sys.modules:
        drivers = (sys.modules["pyautogui"].platformModule, sys.modules["mouseinfo"])
        search = sys.modules["pyscreeze"].whichProc
        for left_open in (*(driver._display.display.socket for driver in drivers), search.stdout, search.stderr):
            left_open.close()


@pytest.fixture(params=[PortableBackend, X11Backend], ids=["pyautogui", "x11"])
def backend(request: pytest.FixtureRequest, desktop: DesktopSession) -> Iterator[Backend]:
    with closing(request.param(desktop.environment)) as made:
        yield made
        made.release_all()


@pytest.fixture
def portable(desktop: DesktopSession) -> Iterator[PortableBackend]:
    with closing(PortableBackend(desktop.environment)) as made:
        yield made
        made.release_all()


@pytest.fixture
def client(desktop: DesktopSession) -> Iterator[XClient]:
    with x_client(desktop.environment) as made:
        yield made


# -- pointer


def _point(x: int, y: int) -> DevicePoint:
    return DevicePoint(x=x + 0.5, y=y + 0.5)


@pytest.mark.parametrize(("button", "number"), [("left", 1), ("middle", 2), ("right", 3)])
def test_a_click_lands_where_it_was_aimed(backend: Backend, client: XClient, button: str, number: int) -> None:
    client.window((100, 100, 400, 300), is_popup=True)
    backend.pointer.move(_point(222, 333))
    assert backend.pointer.position() in {_point(222, 333), DevicePoint(x=222, y=333)}
    backend.pointer.press(button)  # type: ignore[arg-type]  # a button by its name
    backend.pointer.release(button)  # type: ignore[arg-type]
    pressed = client.wait_for_event(event.ButtonPress)
    assert (pressed.detail, pressed.root_x, pressed.root_y) == (number, 222, 333)


@pytest.mark.parametrize(("dx", "dy", "buttons"), [(0, 2, [5, 5]), (0, -1, [4]), (2, 0, [7, 7]), (-1, 0, [6])])
def test_the_wheel_turns_click_by_click(
    backend: Backend, client: XClient, dx: int, dy: int, buttons: list[int]
) -> None:
    client.window((100, 100, 400, 300), is_popup=True)
    backend.pointer.move(_point(200, 200))
    backend.pointer.turn_wheel(dx, dy)
    assert [client.wait_for_event(event.ButtonPress).detail for _ in buttons] == buttons


def test_a_corner_does_not_stop_it(backend: Backend) -> None:
    for at in ((0, 0), (1279, 799), (0, 799)):
        backend.pointer.move(_point(*at))
        backend.pointer.press("left")
        backend.pointer.release("left")
    backend.pointer.move(_point(300, 300))
    assert round(backend.pointer.position().x - 0.1) == 300


def test_a_slider_is_dragged(backend: Backend, desktop: DesktopSession, tmp_path: Path) -> None:
    argv = ["zenity", "--scale", "--title=Slider", "--min-value=0", "--max-value=100", "--value=0"]
    desktop.start(argv, title="Slider", stdout=tmp_path / "out")
    box = backend.windows.windows()[0].box
    left = DevicePoint(x=box.x + 26.5, y=box.y + box.height * 0.47)
    Gestures(backend.pointer, backend.keyboard).drag([left, DevicePoint(x=left.x + box.width, y=left.y)])
    _press(backend, "Enter")
    assert int(read_when_written(tmp_path / "out")) > 50


# -- keys


def _press(backend: Backend, *keys: str) -> None:
    for key in keys:
        backend.keyboard.press(key)
    for key in reversed(keys):
        backend.keyboard.release(key)


@pytest.mark.parametrize(
    "keys", [("Control", "a"), ("Shift", "Tab"), ("Alt", "F4"), ("ArrowLeft",), ("PageDown",), ("F12",)]
)
def test_a_chord_arrives_as_it_was_named(backend: Backend, client: XClient, keys: tuple[str, ...]) -> None:
    window = client.window((100, 100, 400, 300), is_popup=True)
    window.grab_keyboard(True, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime)
    client.display.sync()
    assert backend.keyboard.unknown_keys(keys) == ()
    _press(backend, *keys)
    window.change_attributes(event_mask=X.KeyPressMask)
    names = [_key_name(client, client.wait_for_event(event.KeyPress).detail) for _ in keys]
    client.display.ungrab_keyboard(X.CurrentTime)
    expected = {"Control": "Control_L", "Alt": "Alt_L", "Shift": "Shift_L", "ArrowLeft": "Left", "PageDown": "Next"}
    assert names == [expected.get(key, key) for key in keys]


def _key_name(client: XClient, code: int) -> str:
    symbol = client.display.keycode_to_keysym(code, 0)
    return next(name[3:] for name in dir(XK) if name.startswith("XK_") and getattr(XK, name) == symbol)


@pytest.mark.parametrize("key", ["Hyper", "nosuchkey", ""])
def test_keys_that_are_not_there_are_named(backend: Backend, key: str) -> None:
    assert backend.keyboard.unknown_keys(["Control", key]) == (key,)
    with pytest.raises(CallFailed):
        backend.keyboard.press(key)
    assert "Control" in backend.keyboard.known_names()


# -- text


def _typed_into_entry(backend: Backend, desktop: DesktopSession, folder: Path, text: str) -> str:
    """Type into an entry of GTK, which takes a paste, and return what it hands out."""
    desktop.start(["zenity", "--entry", "--title=Entry"], title="Entry", stdout=folder / "out")
    wait_for(backend.windows.has_keyboard, "the entry to have the keyboard")
    backend.keyboard.type_text(text, may_paste=True, deadline=Deadline(LIMIT_S))
    _press(backend, "Enter")
    return read_when_written(folder / "out", lambda out: out.endswith("\n"))[:-1]


def _layout(desktop: DesktopSession, name: str) -> None:
    subprocess.run(["setxkbmap", name], env=dict(desktop.environment), check=True, timeout=LIMIT_S)


@pytest.mark.parametrize("layout", ["us", "de", "fr"])
@pytest.mark.parametrize("text", [ASCII, WORLD, "a" * 300 + "ß"], ids=["ascii", "world", "long"])
def test_text_is_exact_in_every_layout(
    backend: Backend, desktop: DesktopSession, tmp_path: Path, layout: str, text: str
) -> None:
    _layout(desktop, layout)
    assert _typed_into_entry(backend, desktop, tmp_path, text) == text


@pytest.mark.parametrize("text", ["aBc", "aBc Ü"], ids=["keys", "paste"])
def test_capslock_does_not_change_text(backend: Backend, desktop: DesktopSession, tmp_path: Path, text: str) -> None:
    _press(backend, "CapsLock")
    try:
        assert _typed_into_entry(backend, desktop, tmp_path, text) == text
    finally:
        _press(backend, "CapsLock")


def test_line_breaks_are_enter(backend: Backend, desktop: DesktopSession, tmp_path: Path) -> None:
    desktop.start(["xterm", "-T", "Terminal", "-e", "sh", "-c", f"cat > {tmp_path}/typed"], title="Terminal")
    backend.keyboard.type_text("one\r\ntwo\nthree\t3\n", may_paste=False, deadline=Deadline(LIMIT_S))
    _press(backend, "Control", "d")
    desktop.wait_for_no_window("Terminal")
    assert (tmp_path / "typed").read_text() == "one\ntwo\nthree\t3\n"


def test_what_keys_can_not_type_is_named_where_no_paste_is_taken(
    portable: PortableBackend, desktop: DesktopSession, tmp_path: Path
) -> None:
    desktop.start(["xterm", "-T", "Terminal", "-e", "sh", "-c", f"cat > {tmp_path}/typed"], title="Terminal")
    with pytest.raises(CallFailed, match=r"U\+003C \(less-than sign\), U\+00FC .*nothing was typed"):
        portable.keyboard.type_text("a < ü", may_paste=False, deadline=Deadline(LIMIT_S))
    portable.keyboard.type_text("The rest: 42!\n", may_paste=False, deadline=Deadline(LIMIT_S))
    _press(portable, "Control", "d")
    desktop.wait_for_no_window("Terminal")
    assert (tmp_path / "typed").read_text() == "The rest: 42!\n"


def test_a_deadline_says_how_much_was_typed(portable: PortableBackend, desktop: DesktopSession) -> None:
    desktop.start(["zenity", "--entry", "--title=Entry"], title="Entry")
    with pytest.raises(CallFailed, match="0 of 5 characters"):
        portable.keyboard.type_text("abcde", may_paste=False, deadline=Deadline(0.0))


def test_a_paste_gives_the_clipboard_back(backend: Backend, desktop: DesktopSession, tmp_path: Path) -> None:
    backend.clipboard.write("precious")
    assert _typed_into_entry(backend, desktop, tmp_path, WORLD * 5) == WORLD * 5
    assert backend.clipboard.read() == "precious"


# -- windows, clipboard, ends


def test_windows_are_listed_and_focused(backend: Backend, desktop: DesktopSession) -> None:
    desktop.start(["zenity", "--entry", "--title=First"], title="First")
    desktop.start(["zenity", "--entry", "--title=Second"], title="Second")
    numbers = {window.title: window.id for window in backend.windows.windows()}
    assert set(numbers) == {"First", "Second"}
    backend.windows.focus(numbers["First"], Deadline(LIMIT_S))
    assert desktop.active_title() == "First"
    assert backend.windows.state().active == numbers["First"]


def test_the_clipboard_is_shared_with_applications(backend: Backend, desktop: DesktopSession) -> None:
    backend.clipboard.write(WORLD)
    out = subprocess.run(
        ["xclip", "-o", "-selection", "clipboard"],
        env=dict(desktop.environment),
        check=True,
        capture_output=True,
        timeout=LIMIT_S,
    )
    assert out.stdout.decode() == WORLD


def test_pixels_are_those_of_the_screen(backend: Backend, client: XClient) -> None:
    client.window((100, 100, 40, 30), colour=0x2244EE, is_popup=True)
    pixels = backend.screen.grab(backend.screen.monitors()[0])
    at = (115 * pixels.size.width_px + 120) * 4
    assert bytes(pixels.bgrx[at : at + 3]) == b"\xee\x44\x22"


@pytest.mark.req("R-ACT-6")
def test_nothing_stays_down_whoever_pressed_it(backend: Backend, desktop: DesktopSession) -> None:
    backend.keyboard.press("Control")
    backend.pointer.move(_point(1200, 700))
    backend.pointer.press("left")
    xtest.fake_input(desktop.display, X.KeyPress, desktop.display.keysym_to_keycode(XK.XK_Shift_L))
    xtest.fake_input(desktop.display, X.ButtonPress, 3)
    desktop.display.sync()
    assert len(desktop.held_keys()) == 2
    backend.release_all()
    backend.release_all()
    assert (desktop.held_keys(), desktop.held_buttons()) == ([], [])


def test_another_display_is_refused_since_pyautogui_binds_to_one(
    portable: PortableBackend, desktop: DesktopSession
) -> None:
    del portable
    with pytest.raises(ControllerError, match="one display a process"):
        PortableBackend({**desktop.environment, "DISPLAY": ":64999"})
