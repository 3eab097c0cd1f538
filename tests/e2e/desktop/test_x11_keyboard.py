"""Keys by XTEST on a real display: chords, and text in spite of whatever state the keyboard is in."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import pytest
from desktop_session import DesktopSession, wait_for
from key_listener import Heard, KeyListener
from other_clipboard import copy, owner_of
from real_keyboard import SHIFT_CODE, RealKeyboard, device_number
from text_apps import TextApp, press
from Xlib import X
from Xlib.ext import xtest

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.layout import set_layout
from harness.controllers.desktop.x11 import xkb_wire
from harness.controllers.desktop.x11.backend import X11Backend
from harness.controllers.desktop.x11.connection import open_display
from harness.controllers.desktop.x11.keymap import Keymap
from harness.controllers.desktop.x11.keysyms import MODIFIER_SYMBOLS, NAMED_SYMBOLS
from harness.controllers.desktop.x11.xkb import XkbKeyboard

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-1")]

G15: Final = "Grêmio São €100"
CYRILLIC: Final = "Съешь ещё"
LIMIT_S: Final = 20
CONTROL, CAPS, ALT = X.ControlMask, X.LockMask, X.Mod1Mask
LENT: Final = "_TRANSOM_LENT_KEYS"
TYPES_UNTIL_KILLED: Final = """
import os
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.x11.backend import X11Backend
X11Backend(os.environ).keyboard.type_text("привет", may_paste=False, deadline=Deadline(60))
"""
HOLDS_UNTIL_KILLED: Final = """
import os, time
from harness.controllers.desktop.x11.backend import X11Backend
backend = X11Backend(os.environ)
backend.keyboard.press("Shift")
backend.keyboard.press("x")
backend.pointer.press("left")
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def backend(desktop: DesktopSession) -> Iterator[X11Backend]:
    with closing(X11Backend(desktop.environment)) as made:
        yield made
        made.release_all()


@pytest.fixture
def xkb(desktop: DesktopSession) -> Iterator[XkbKeyboard]:
    with closing(open_display(desktop.environment)) as display:
        yield XkbKeyboard(display)


@pytest.fixture
def listener(desktop: DesktopSession, tmp_path: Path) -> KeyListener:
    return KeyListener(desktop, tmp_path)


@pytest.fixture
def terminal(desktop: DesktopSession, tmp_path: Path) -> TextApp:
    return TextApp(desktop, "xterm", tmp_path)


@contextmanager
def python(desktop: DesktopSession, code: str) -> Iterator[subprocess.Popen[str]]:
    """Run code on the desktop in a process of its own, killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, **desktop.environment, "PYTHONPATH": str(Path.cwd())},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def type_text(backend: X11Backend, text: str, limit_s: float = LIMIT_S) -> None:
    backend.keyboard.type_text(text, may_paste=False, deadline=Deadline(limit_s))


def down(heard: list[Heard]) -> list[tuple[str, int]]:
    return [(event.name, event.state) for event in heard if event.is_down]


def lent_words(desktop: DesktopSession) -> list[int]:
    root = desktop.display.screen().root
    found = root.get_full_property(desktop.display.intern_atom(LENT), X.AnyPropertyType)
    return [] if found is None else list(found.value)


def lock_group(desktop: DesktopSession, group: int) -> None:
    """Make one of several layouts the active one, as a layout switcher does."""
    opcode = desktop.display.query_extension(xkb_wire.EXTENSION).major_opcode
    xkb_wire.UseExtension(display=desktop.display.display, opcode=opcode, major=1, minor=0)
    xkb_wire.LatchLockState(
        display=desktop.display.display,
        opcode=opcode,
        device=xkb_wire.CORE_KEYBOARD,
        affected_locks=0,
        locks=0,
        is_group_locked=True,
        group_lock=group,
        affected_latches=0,
        latches=0,
        is_group_latched=False,
        group_latch=0,
    )
    desktop.display.sync()


@pytest.mark.case("G15")
def test_accents_and_currency_arrive_on_a_layout_without_them(backend: X11Backend, terminal: TextApp) -> None:
    type_text(backend, G15)
    assert terminal.saved(backend.keyboard, G15) == G15


def test_every_way_to_end_a_line_is_enter_once(backend: X11Backend, terminal: TextApp) -> None:
    type_text(backend, "a\r\nb\rc\n\td")
    assert terminal.saved(backend.keyboard, "a\nb\nc\n\td") == "a\nb\nc\n\td"


@pytest.mark.parametrize(
    ("keys", "heard"),
    [
        (("Control", "c"), [("Control_L", 0), ("c", CONTROL)]),
        (("A",), [("Shift_L", 0), ("A", X.ShiftMask)]),
        (("Shift", "a"), [("Shift_L", 0), ("A", X.ShiftMask)]),
        (("?",), [("Shift_L", 0), ("question", X.ShiftMask)]),
        (("Shift", "?"), [("Shift_L", 0), ("question", X.ShiftMask)]),
        (("Control", "+"), [("Control_L", 0), ("Shift_L", CONTROL), ("plus", CONTROL | X.ShiftMask)]),
        (("Control", "ö"), [("Control_L", 0), ("odiaeresis", CONTROL)]),
        (("Shift", "ö"), [("Shift_L", 0), ("Odiaeresis", X.ShiftMask)]),
        (("Control", "Alt", "Delete"), [("Control_L", 0), ("Alt_L", CONTROL), ("Delete", CONTROL | ALT)]),
        (("я",), [("U044F", 0)]),
    ],
)
def test_a_chord_is_what_the_application_gets(
    keys: tuple[str, ...], heard: list[tuple[str, int]], backend: X11Backend, listener: KeyListener, xkb: XkbKeyboard
) -> None:
    before = xkb.read()
    press(backend.keyboard, *keys)
    events = listener.wait(2 * len(heard))
    assert down(events) == heard
    codes = [event.code for event in events]
    assert sorted(codes[: len(heard)]) == sorted(codes[len(heard) :])
    assert xkb.read() == before


def test_every_name_is_a_key(backend: X11Backend, listener: KeyListener) -> None:
    # Alt+F4 and its like do something to windows; a key alone does not.
    names = [name for name in NAMED_SYMBOLS if not name.endswith("Lock")]
    for name in names:
        press(backend.keyboard, name)
    pressed = [event for event in listener.wait(2 * len(names)) if event.is_down]
    assert len({event.name for event in pressed}) == len(names)
    assert backend.keyboard.unknown_keys([*NAMED_SYMBOLS, *MODIFIER_SYMBOLS]) == ()


@pytest.mark.req("R-ACT-5")
def test_names_of_no_key_are_told(backend: X11Backend) -> None:
    assert backend.keyboard.unknown_keys(["Control", "ö", "ctrl", "F13", "\x07", "Enter"]) == ("ctrl", "F13", "\x07")
    assert "a single character" in backend.keyboard.known_names()
    with pytest.raises(CallFailed, match="no key 'Nonsense'; valid are a single character, Alt, "):
        backend.keyboard.press("Nonsense")
    backend.keyboard.release("Nonsense")


def test_a_layout_without_a_modifier_says_so(backend: X11Backend, desktop: DesktopSession) -> None:
    for name in ("ISO_Level3_Shift", "Mode_switch"):
        change = ["xmodmap", "-e", f"keysym {name} = NoSymbol"]
        subprocess.run(change, env=dict(desktop.environment), check=True, timeout=LIMIT_S)
    try:
        assert backend.keyboard.unknown_keys(["AltGraph", "Control"]) == ("AltGraph",)
        with pytest.raises(CallFailed, match="no key 'AltGraph'"):
            backend.keyboard.press("AltGraph")
    finally:
        set_layout(desktop.environment, "us")


@pytest.mark.req("R-ACT-5")
@pytest.mark.parametrize("text", ["before\x07after", "ok\ud83d", "a\x00", "n\ufffeo"])
def test_nothing_is_typed_when_a_character_can_not_be(text: str, backend: X11Backend, terminal: TextApp) -> None:
    with pytest.raises(CallFailed, match=r"U\+(0007|D83D|0000|FFFE) .*; nothing was typed"):
        type_text(backend, text)
    type_text(backend, "end")
    assert terminal.saved(backend.keyboard, "end") == "end"


def test_caps_lock_changes_no_text_and_stays_on(backend: X11Backend, terminal: TextApp, xkb: XkbKeyboard) -> None:
    press(backend.keyboard, "CapsLock")
    assert xkb.state().locked == CAPS
    type_text(backend, f"aB1 {G15}")
    press(backend.keyboard, "z")
    press(backend.keyboard, "я")
    assert terminal.saved(backend.keyboard, f"aB1 {G15}zя") == f"aB1 {G15}zя"
    assert xkb.state().locked == CAPS
    press(backend.keyboard, "CapsLock")
    assert xkb.state().locked == 0


def test_modifiers_that_programs_hold_change_no_text_and_stay_held(
    backend: X11Backend, terminal: TextApp, desktop: DesktopSession
) -> None:
    codes = [desktop.display.keysym_to_keycode(MODIFIER_SYMBOLS[name][0]) for name in ("Shift", "Control")]
    for code in codes:
        xtest.fake_input(desktop.display, X.KeyPress, code)
    desktop.display.sync()
    type_text(backend, f"aB1 {G15}")
    assert terminal.saved(backend.keyboard, f"aB1 {G15}") == f"aB1 {G15}"
    assert desktop.held_keys() == sorted(codes)


def test_a_modifier_that_a_person_holds_changes_no_text(
    backend: X11Backend, terminal: TextApp, desktop: DesktopSession
) -> None:
    person = RealKeyboard(desktop.display)
    person.press(SHIFT_CODE)
    try:
        assert desktop.held_keys() == [SHIFT_CODE]
        type_text(backend, f"aB1 {G15}")
    finally:
        person.release(SHIFT_CODE)
    assert terminal.saved(backend.keyboard, f"aB1 {G15}") == f"aB1 {G15}"


def test_a_modifier_that_a_person_lets_go_meanwhile_does_not_stick(
    backend: X11Backend, desktop: DesktopSession, tmp_path: Path
) -> None:
    app = TextApp(desktop, "mousepad", tmp_path)
    person = RealKeyboard(desktop.display)
    person.press(SHIFT_CODE)
    with ThreadPoolExecutor() as pool:
        with app.frozen():
            typing = pool.submit(type_text, backend, CYRILLIC)
            wait_for(lambda: lent_words(desktop), "keys to be lent")
            person.release(SHIFT_CODE)
        typing.result()
    assert desktop.held_keys() == []
    assert app.saved(backend.keyboard, CYRILLIC).rstrip("\n") == CYRILLIC


@pytest.mark.parametrize("group", [0, 1])
def test_text_is_exact_whichever_layout_of_several_is_active(
    group: int, backend: X11Backend, terminal: TextApp, desktop: DesktopSession, xkb: XkbKeyboard
) -> None:
    set_layout(desktop.environment, "us,ru")
    lock_group(desktop, group)
    try:
        type_text(backend, f"yz {CYRILLIC} {G15}")
        assert terminal.saved(backend.keyboard, f"yz {CYRILLIC} {G15}") == f"yz {CYRILLIC} {G15}"
        assert xkb.state().group == group
    finally:
        lock_group(desktop, 0)


def test_a_chord_means_its_letter_in_a_layout_without_it(
    backend: X11Backend, listener: KeyListener, desktop: DesktopSession
) -> None:
    set_layout(desktop.environment, "ru")
    press(backend.keyboard, "Control", "c")
    assert down(listener.wait(4)) == [("Control_L", 0), ("c", CONTROL)]


def test_the_layout_of_our_own_keys_counts_when_keyboards_differ(
    backend: X11Backend, terminal: TextApp, desktop: DesktopSession
) -> None:
    person = RealKeyboard(desktop.display)
    person.press(SHIFT_CODE)
    person.release(SHIFT_CODE)
    ours = device_number(desktop.display, "XTEST keyboard")
    subprocess.run(["setxkbmap", "-device", str(ours), "de"], env=dict(desktop.environment), check=True)
    try:
        type_text(backend, "yz-/ü")
        assert terminal.saved(backend.keyboard, "yz-/ü") == "yz-/ü"
    finally:
        set_layout(desktop.environment, "us")


def test_typing_leaves_keymap_and_clipboard_as_they_were(
    backend: X11Backend, terminal: TextApp, desktop: DesktopSession, xkb: XkbKeyboard
) -> None:
    copy(desktop, b"mine")
    owner = owner_of(desktop)
    before = xkb.read()
    text = f"{CYRILLIC} {G15} " * 12
    assert len(text) > 250
    type_text(backend, text)
    assert terminal.saved(backend.keyboard, text) == text
    assert xkb.read() == before
    assert lent_words(desktop) == []
    assert owner_of(desktop) == owner


def test_a_window_that_hangs_is_told_and_the_keymap_restored(
    backend: X11Backend, desktop: DesktopSession, tmp_path: Path, xkb: XkbKeyboard
) -> None:
    app = TextApp(desktop, "mousepad", tmp_path)
    before = xkb.read()
    with app.frozen(), pytest.raises(CallFailed, match="does not respond: 6 of 6 characters were sent"):
        type_text(backend, "привет", limit_s=0.5)
    assert xkb.read() == before
    assert lent_words(desktop) == []


def test_a_deadline_that_has_passed_types_nothing(backend: X11Backend, terminal: TextApp) -> None:
    with pytest.raises(CallFailed, match="the deadline came first: 0 of 3 characters were typed"):
        type_text(backend, "abc", limit_s=0)
    type_text(backend, "end")
    assert terminal.saved(backend.keyboard, "end") == "end"


def test_keys_that_a_killed_process_lent_are_taken_back(
    desktop: DesktopSession, tmp_path: Path, xkb: XkbKeyboard
) -> None:
    app = TextApp(desktop, "mousepad", tmp_path)
    before = xkb.read()
    with app.frozen():
        with python(desktop, TYPES_UNTIL_KILLED) as typing:
            wait_for(lambda: lent_words(desktop), "keys to be lent")
            wait_for(lambda: xkb.read() != before, "the keymap to change")
            with closing(X11Backend(desktop.environment)):
                assert xkb.read() != before, "keys of a living process were taken back"
            typing.kill()
            typing.wait()
        assert xkb.read() != before
        with closing(X11Backend(desktop.environment)):
            assert xkb.read() == before
            assert lent_words(desktop) == []


def test_a_key_that_means_something_else_by_now_is_left_alone(desktop: DesktopSession, xkb: XkbKeyboard) -> None:
    before: Keymap = xkb.read()
    code = next(before.blank_codes())
    desktop.display.screen().root.change_property(
        desktop.display.intern_atom(LENT), desktop.display.intern_atom("CARDINAL"), 32, [code, 0x61, 0x62]
    )
    subprocess.run(["xmodmap", "-e", f"keycode {code} = c d"], env=dict(desktop.environment), check=True)
    changed = xkb.read()
    try:
        with closing(X11Backend(desktop.environment)):
            assert xkb.read() == changed
    finally:
        set_layout(desktop.environment, "us")


@pytest.mark.parametrize("words", [[], [8], [8, 97], [38, 97, 65, 8], [0, 0, 0], [255, 2**32 - 1, 0]])
def test_a_list_of_lent_keys_that_nobody_of_us_wrote_does_no_harm(
    words: list[int], desktop: DesktopSession, xkb: XkbKeyboard
) -> None:
    before = xkb.read()
    root = desktop.display.screen().root
    root.change_property(desktop.display.intern_atom(LENT), desktop.display.intern_atom("CARDINAL"), 32, words)
    desktop.display.sync()
    with closing(X11Backend(desktop.environment)):
        assert xkb.read() == before
        assert lent_words(desktop) == []


@pytest.mark.req("R-ACT-6")
def test_what_a_killed_process_held_is_released(desktop: DesktopSession) -> None:
    with python(desktop, HOLDS_UNTIL_KILLED) as holding:
        assert holding.stdout is not None
        assert holding.stdout.readline() == "held\n"
        holding.kill()
        holding.wait()
    assert len(desktop.held_keys()) == 2
    assert desktop.held_buttons() == [1]
    with closing(X11Backend(desktop.environment)) as backend:
        backend.release_all()
    assert desktop.held_keys() == []
    assert desktop.held_buttons() == []


@pytest.mark.req("R-ACT-6")
def test_everything_that_is_held_is_released_and_restored(
    backend: X11Backend, desktop: DesktopSession, listener: KeyListener, xkb: XkbKeyboard
) -> None:
    before = xkb.read()
    press(backend.keyboard, "CapsLock")
    for key in ("Control", "Shift", "ö"):
        backend.keyboard.press(key)
    assert len(desktop.held_keys()) == 3
    backend.release_all()
    assert desktop.held_keys() == []
    assert xkb.state().locked == CAPS
    assert xkb.read() == before
    press(backend.keyboard, "CapsLock")
    assert down(listener.wait(10))[1:4] == [
        ("Control_L", CAPS),
        ("Shift_L", CAPS | CONTROL),
        ("Odiaeresis", CONTROL | X.ShiftMask),
    ]


@pytest.mark.req("R-ACT-6")
def test_a_key_that_is_down_only_for_programs_can_be_pressed_again(
    backend: X11Backend, desktop: DesktopSession, listener: KeyListener
) -> None:
    person = RealKeyboard(desktop.display)
    xtest.fake_input(desktop.display, X.KeyPress, SHIFT_CODE)
    desktop.display.sync()
    person.press(SHIFT_CODE)
    person.release(SHIFT_CODE)
    assert desktop.held_keys() == []
    backend.release_all()
    seen = len(listener.heard())
    press(backend.keyboard, "A")
    assert down(listener.wait(seen + 4)[seen:])[-1] == ("A", X.ShiftMask)
