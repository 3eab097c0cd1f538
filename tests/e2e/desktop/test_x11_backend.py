"""A display that goes away is said by everything that needs it, and closing it is no error."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from bare_display import BareDisplay
from desktop_session import DesktopSession, read_when_written, wait_for
from text_apps import TERMINAL
from Xlib import X

from harness.controllers.deadline import Deadline
from harness.controllers.desktop.x11.backend import X11Backend
from harness.controllers.desktop.x11.connection import open_display
from harness.errors import ControllerError
from harness.values.geometry import DevicePoint

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-1"), pytest.mark.req("R-ACT-6")]

USES: Final[dict[str, Callable[[X11Backend], object]]] = {
    "move": lambda backend: backend.pointer.move(DevicePoint(x=5, y=5)),
    "button": lambda backend: backend.pointer.press("left"),
    "wheel": lambda backend: backend.pointer.turn_wheel(0, 1),
    "position": lambda backend: backend.pointer.position(),
    "press": lambda backend: backend.keyboard.press("a"),
    "keys": lambda backend: backend.keyboard.unknown_keys(["a"]),
    "type": lambda backend: backend.keyboard.type_text("aя", may_paste=False, deadline=Deadline(5)),
    "paste": lambda backend: backend.keyboard.type_text("я" * 500, may_paste=True, deadline=Deadline(5)),
    "read": lambda backend: backend.clipboard.read(),
    "write": lambda backend: backend.clipboard.write("a"),
    "release_all": lambda backend: backend.release_all(),
}

# python-xlib leaves its socket to the garbage collector when it can't connect.
FAILS_TO_CONNECT: Final = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


@FAILS_TO_CONNECT
def test_a_display_that_is_gone_is_said_by_all(desktop: DesktopSession, tmp_path: Path) -> None:
    display = BareDisplay(desktop, tmp_path)
    backend = X11Backend(display.environment)
    backend.clipboard.write("held")
    display.end()
    for name, use in USES.items():
        with pytest.raises(ControllerError, match="gone"):
            pytest.fail(f"{name} returned {use(backend)!r}")
    backend.close()
    backend.close()
    with pytest.raises(ControllerError, match=r"':\d+' can't be opened: .*; check DISPLAY"):
        X11Backend(display.environment)
    gc.collect()


def test_a_display_that_goes_in_the_middle_of_typing_is_said(desktop: DesktopSession, tmp_path: Path) -> None:
    display = BareDisplay(desktop, tmp_path)
    watching = open_display(display.environment)
    lent = watching.intern_atom("_TRANSOM_LENT_KEYS")
    root = watching.screen().root

    def end_in_the_middle() -> None:
        wait_for(lambda: root.get_full_property(lent, X.AnyPropertyType), "keys to be lent")
        watching.close()
        display.end()

    with closing(X11Backend(display.environment)) as backend, ThreadPoolExecutor() as pool:
        ending = pool.submit(end_in_the_middle)
        with pytest.raises(ControllerError, match="gone while typing"):
            backend.keyboard.type_text("пример, 你好 " * 5000, may_paste=False, deadline=Deadline(30))
        ending.result()


@FAILS_TO_CONNECT
def test_a_server_refuses_who_does_not_know_its_secret(desktop: DesktopSession) -> None:
    with pytest.raises(ControllerError, match=r"can't be opened: .*XAUTHORITY \('not set'\) names"):
        open_display({"DISPLAY": desktop.environment["DISPLAY"]})
    gc.collect()
    open_display(desktop.environment).close()


def test_nothing_is_left_behind_when_it_is_closed(desktop: DesktopSession) -> None:
    before = threading.active_count()
    for _ in range(3):
        backend = X11Backend(desktop.environment)
        backend.clipboard.write("held")
        backend.close()
    assert threading.active_count() == before


def test_text_is_exact_where_the_pointer_decides_who_has_the_keyboard(desktop: DesktopSession, tmp_path: Path) -> None:
    display = BareDisplay(desktop, tmp_path)
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 500)))
    with closing(X11Backend(display.environment)) as backend:
        desktop.start(
            ["xterm", "-u8", "-xrm", "XTerm*waitForMap: true", "-e", "sh", "-c", TERMINAL, str(tmp_path / "typed")],
            environment=display.environment,
        )
        wait_for((tmp_path / "typed").exists, "the terminal to be ready")
        backend.pointer.move(DevicePoint(x=200, y=200))
        backend.keyboard.type_text(text, may_paste=False, deadline=Deadline(30))
    assert read_when_written(tmp_path / "typed", lambda typed: len(typed) >= len(text)) == text
