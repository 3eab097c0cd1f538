"""The clipboard shared with real programs, and long text that goes through it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
import two_step_paster
from desktop_session import DesktopSession, read_when_written, wait_for
from key_listener import KeyListener
from other_clipboard import copy, offering, owner_of, pasted
from text_apps import AppName, TextApp
from x_client import XClient, x_client
from Xlib import X, Xatom
from Xlib.protocol import event

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.x11.backend import X11Backend
from harness.controllers.desktop.x11.selection_transfers import PART_BYTES

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-1")]

WORLD: Final = "Grüße, 10 € – naïve façade; Привет; 你好; 😀👍🏽\n\tEnde"
LARGE: Final = "ä€😀" * 100_000
LIMIT_S: Final = 20


@pytest.fixture
def backend(desktop: DesktopSession) -> Iterator[X11Backend]:
    with closing(X11Backend(desktop.environment)) as made:
        yield made
        made.release_all()


@pytest.fixture
def client(desktop: DesktopSession) -> Iterator[XClient]:
    with x_client(desktop.environment) as made:
        yield made


def long_text(chars: int) -> str:
    lines = [f"{number}: {WORLD.splitlines()[0]}" for number in range(chars // 40)]
    return "\n".join(lines)[: chars - 1] + "\n"


@pytest.mark.parametrize("text", [WORLD, "", " ", LARGE], ids=["world", "empty", "blank", "large"])
def test_what_another_program_copied_is_read(text: str, backend: X11Backend, desktop: DesktopSession) -> None:
    copy(desktop, text.encode())
    assert backend.clipboard.read() == text


@pytest.mark.parametrize("text", [WORLD, " ", LARGE], ids=["world", "blank", "large"])
def test_what_we_write_is_pasted_elsewhere(text: str, backend: X11Backend, desktop: DesktopSession) -> None:
    backend.clipboard.write(text)
    assert backend.clipboard.read() == text
    for target in ("UTF8_STRING", "text/plain;charset=utf-8", "TEXT"):
        assert pasted(desktop, target) == text.encode()


def test_an_empty_clipboard_reads_as_no_text(backend: X11Backend) -> None:
    assert backend.clipboard.read() == ""


def test_large_texts_go_in_parts() -> None:
    assert len(LARGE.encode()) > 3 * PART_BYTES


def test_old_programs_are_given_latin_text_and_no_other(backend: X11Backend, desktop: DesktopSession) -> None:
    backend.clipboard.write("Grüße")
    assert pasted(desktop, "STRING") == "Grüße".encode("latin-1")
    backend.clipboard.write("10 €")
    assert pasted(desktop, "STRING") is None
    assert b"STRING\n" not in (pasted(desktop, "TARGETS") or b"").replace(b"UTF8_STRING\n", b"")


def test_the_text_of_an_old_program_is_read(backend: X11Backend, desktop: DesktopSession) -> None:
    copy(desktop, "Grüße".encode("latin-1"), "STRING")
    assert backend.clipboard.read() == "Grüße"


def test_a_clipboard_without_text_names_what_it_holds(backend: X11Backend, desktop: DesktopSession) -> None:
    copy(desktop, b"\x89PNG", "image/png")
    with pytest.raises(CallFailed, match="the clipboard holds no text; it offers 'image/png'"):
        backend.clipboard.read()


def test_an_owner_that_does_not_answer_is_told(backend: X11Backend, desktop: DesktopSession, client: XClient) -> None:
    owner = client.window((0, 0, 10, 10), is_mapped=False)
    owner.set_selection_owner(client.atom("CLIPBOARD"), X.CurrentTime)
    client.display.sync()
    with pytest.raises(CallFailed, match="does not answer"):
        backend.clipboard.read()


def test_another_program_takes_over_and_we_read_its_text(backend: X11Backend, desktop: DesktopSession) -> None:
    backend.clipboard.write("ours")
    copy(desktop, b"theirs")
    assert backend.clipboard.read() == "theirs"
    backend.clipboard.write("ours again")
    assert backend.clipboard.read() == "ours again"
    assert pasted(desktop) == b"ours again"


def test_half_a_surrogate_pair_is_refused(backend: X11Backend) -> None:
    backend.clipboard.write("before")
    with pytest.raises(CallFailed, match="half of a surrogate pair, at place 1"):
        backend.clipboard.write("a\ud83d")
    assert backend.clipboard.read() == "before"


def test_several_forms_are_given_at_once(backend: X11Backend, client: XClient) -> None:
    backend.clipboard.write(WORLD)
    window = client.window((0, 0, 10, 10), is_mapped=False)
    pairs = [("UTF8_STRING", "FIRST"), ("image/png", "SECOND"), ("TIMESTAMP", "THIRD")]
    words = [client.atom(name) for pair in pairs for name in pair]
    window.change_property(client.atom("ALL"), client.atom("ATOM_PAIR"), 32, words)
    window.convert_selection(client.atom("CLIPBOARD"), client.atom("MULTIPLE"), client.atom("ALL"), X.CurrentTime)
    told = client.wait_for_event(event.SelectionNotify)
    assert told.property == client.atom("ALL")
    given = window.get_full_property(client.atom("ALL"), X.AnyPropertyType)
    assert list(given.value) == [*words[:3], X.NONE, *words[4:]]
    assert window.get_full_property(client.atom("FIRST"), client.atom("UTF8_STRING")).value == WORLD.encode()
    assert window.get_full_property(client.atom("SECOND"), X.AnyPropertyType) is None
    assert window.get_full_property(client.atom("THIRD"), Xatom.INTEGER).value[0] > 0


def test_one_who_goes_away_in_the_middle_is_forgotten(backend: X11Backend, desktop: DesktopSession) -> None:
    backend.clipboard.write(LARGE)
    with x_client(desktop.environment) as leaving:
        window = leaving.window((0, 0, 10, 10), is_mapped=False)
        clipboard, form, place = (leaving.atom(name) for name in ("CLIPBOARD", "UTF8_STRING", "HERE"))
        window.convert_selection(clipboard, form, place, X.CurrentTime)
        leaving.wait_for_event(event.SelectionNotify)
    assert pasted(desktop) == LARGE.encode()


@pytest.mark.parametrize("name", ["mousepad", "featherpad"])
def test_long_text_is_pasted_and_the_clipboard_restored(
    name: AppName, backend: X11Backend, desktop: DesktopSession, tmp_path: Path
) -> None:
    app = TextApp(desktop, name, tmp_path)
    copy(desktop, "vorher €".encode())
    text = long_text(3000)
    backend.keyboard.type_text(text, may_paste=True, deadline=Deadline(LIMIT_S))
    assert backend.clipboard.owner.text() == "vorher €", "it was typed, not pasted"
    assert app.saved(backend.keyboard, text) == text
    assert pasted(desktop) == "vorher €".encode()


def test_an_application_that_asks_twice_gets_the_same_twice(
    backend: X11Backend, desktop: DesktopSession, tmp_path: Path
) -> None:
    program = [sys.executable, str(Path(two_step_paster.__file__)), str(tmp_path / "got"), "0.1"]
    desktop.start(program, title=two_step_paster.TITLE, environment={"PYTHONPATH": os.pathsep.join(sys.path)})
    copy(desktop, b"before")
    text = long_text(500)
    backend.keyboard.type_text(text, may_paste=True, deadline=Deadline(LIMIT_S))
    assert json.loads(read_when_written(tmp_path / "got")) == [text, text]
    assert backend.clipboard.read() == "before"


def test_a_clipboard_that_was_empty_is_empty_after_a_paste(
    backend: X11Backend, desktop: DesktopSession, tmp_path: Path
) -> None:
    app = TextApp(desktop, "mousepad", tmp_path)
    text = long_text(500)
    backend.keyboard.type_text(text, may_paste=True, deadline=Deadline(LIMIT_S))
    assert owner_of(desktop) == X.NONE
    assert app.saved(backend.keyboard, text) == text


def test_our_own_text_is_restored_after_a_paste(backend: X11Backend, desktop: DesktopSession, tmp_path: Path) -> None:
    app = TextApp(desktop, "mousepad", tmp_path)
    backend.clipboard.write("ours")
    text = long_text(500)
    backend.keyboard.type_text(text, may_paste=True, deadline=Deadline(LIMIT_S))
    assert backend.clipboard.read() == "ours"
    assert app.saved(backend.keyboard, text) == text


def test_more_than_text_on_the_clipboard_is_never_replaced(
    backend: X11Backend, desktop: DesktopSession, tmp_path: Path
) -> None:
    app = TextApp(desktop, "mousepad", tmp_path)
    text = long_text(300)
    with offering(desktop, {"text/html": b"<b>rich</b>", "UTF8_STRING": b"rich"}):
        owner = owner_of(desktop)
        assert backend.clipboard.read() == "rich"
        backend.keyboard.type_text(text, may_paste=True, deadline=Deadline(LIMIT_S))
        assert app.saved(backend.keyboard, text) == text
        assert owner_of(desktop) == owner
        assert pasted(desktop, "text/html") == b"<b>rich</b>"


def test_short_text_leaves_the_clipboard_alone(backend: X11Backend, desktop: DesktopSession, tmp_path: Path) -> None:
    app = TextApp(desktop, "mousepad", tmp_path)
    copy(desktop, b"mine")
    owner = owner_of(desktop)
    backend.keyboard.type_text(WORLD.splitlines()[0], may_paste=True, deadline=Deadline(LIMIT_S))
    assert app.saved(backend.keyboard, WORLD.splitlines()[0]).rstrip("\n") == WORLD.splitlines()[0]
    assert owner_of(desktop) == owner


def test_text_that_nobody_pastes_is_typed(backend: X11Backend, desktop: DesktopSession, tmp_path: Path) -> None:
    listener = KeyListener(desktop, tmp_path)
    copy(desktop, b"mine")
    backend.keyboard.type_text("x" * 201, may_paste=True, deadline=Deadline(LIMIT_S))
    heard = listener.wait(2 * 203)
    assert [key.name for key in heard if key.is_down] == ["Control_L", "v", *["x"] * 201]
    assert pasted(desktop) == b"mine"


def test_a_clipboard_manager_does_not_count_as_the_application(
    backend: X11Backend, desktop: DesktopSession, tmp_path: Path
) -> None:
    app = TextApp(desktop, "mousepad", tmp_path)
    text = long_text(500)
    with app.frozen(), ThreadPoolExecutor() as pool:
        typing = pool.submit(backend.keyboard.type_text, text, may_paste=True, deadline=Deadline(4))
        wait_for(lambda: pasted(desktop) == text.encode(), "a clipboard manager to get the text")
        with pytest.raises(CallFailed, match=r"Control\+V was pressed and the text was not taken"):
            typing.result()


def test_a_secret_mark_keeps_pasted_text_out_of_histories(
    backend: X11Backend, desktop: DesktopSession, tmp_path: Path
) -> None:
    backend.clipboard.owner.hold("pasted", is_secret=True)
    assert pasted(desktop, "x-kde-passwordManagerHint") == b"secret"
    backend.clipboard.write("copied")
    assert pasted(desktop, "x-kde-passwordManagerHint") is None
