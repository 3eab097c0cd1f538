"""The clipboard as other programs use it."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Final

from desktop_session import LIMIT_S, DesktopSession, wait_for
from Xlib import X

from harness.controllers.desktop.x11.connection import open_display
from harness.controllers.desktop.x11.selection_holder import SelectionHolder

_XCLIP: Final = ("xclip", "-selection", "clipboard")


def copy(desktop: DesktopSession, data: bytes, target: str = "UTF8_STRING") -> None:
    """Let another program hold data on the clipboard until somebody else does."""
    before = owner_of(desktop)
    subprocess.run(
        [*_XCLIP, "-target", target],
        input=data,
        env=dict(desktop.environment),
        stdout=subprocess.DEVNULL,  # it stays, and would keep a pipe open
        stderr=subprocess.DEVNULL,
        check=True,
        timeout=LIMIT_S,
    )
    # It goes on in the background, and takes the clipboard only there.
    wait_for(lambda: owner_of(desktop) not in {X.NONE, before}, "the clipboard to be taken")


def pasted(desktop: DesktopSession, target: str = "UTF8_STRING") -> bytes | None:
    """Return what another program pastes; None when it gets nothing."""
    done = subprocess.run(
        [*_XCLIP, "-out", "-target", target],
        env=dict(desktop.environment),
        capture_output=True,
        check=False,
        timeout=LIMIT_S,
    )
    return done.stdout if done.returncode == 0 else None


def owner_of(desktop: DesktopSession) -> int:
    """Return the window that holds the clipboard; 0 for none."""
    owner = desktop.display.get_selection_owner(desktop.display.intern_atom("CLIPBOARD"))
    return owner if isinstance(owner, int) else int(owner.id)


@contextmanager
def offering(desktop: DesktopSession, forms: Mapping[str, bytes]) -> Iterator[None]:
    """Let another program hold the clipboard and offer several forms of what it copied."""
    is_over = threading.Event()
    with closing(open_display(desktop.environment)) as display:
        holder = SelectionHolder(display, lambda *_: None)
        assert holder.take("", {name: (name, data) for name, data in forms.items()})

        def answer() -> None:
            while not is_over.wait(0.005):
                holder.handle_events()

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()
