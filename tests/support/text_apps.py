"""Applications of each toolkit that take text, and the file in which it ends up."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from desktop_session import DesktopSession, read_when_written, wait_for

from harness.controllers.desktop.backend import KeyboardInput
from harness.controllers.desktop.x11.process_rest import read_activity

AppName = Literal["mousepad", "featherpad", "xterm"]
APPS: Final[tuple[AppName, ...]] = ("mousepad", "featherpad", "xterm")  # GTK, Qt, neither
_REST_S: Final = 0.2
# Bytes arrive as they are: no line editing, no echo, no keys that send signals; a carriage return becomes a line feed.
TERMINAL: Final = 'stty -icanon -echo -isig -ixon -iexten min 1; exec cat > "$0"'


class TextApp:
    """One application with an empty text.

    Attributes:
        file: Where its text is saved.
    """

    def __init__(self, desktop: DesktopSession, name: AppName, folder: Path) -> None:
        """Start it, and return when it has the keyboard."""
        self.name = name
        self.file = folder / f"{name}.txt"
        self.file.touch()
        title = "terminal" if name == "xterm" else self.file.name
        self.process_id = desktop.start(self._command(folder), title=title, environment=_home(folder))

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop the application where it waits for events; elsewhere it might keep the whole display waiting."""
        wait_for(self._rests, f"{self.name} to rest")
        os.kill(self.process_id, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.process_id, signal.SIGCONT)

    def _rests(self) -> bool:
        before = read_activity(self.process_id)
        time.sleep(_REST_S)
        return before is not None and before.is_waiting and read_activity(self.process_id) == before

    def _command(self, folder: Path) -> list[str]:
        match self.name:
            case "mousepad":
                return ["mousepad", "--disable-server", str(self.file)]
            case "featherpad":
                return ["featherpad", "--standalone", str(self.file)]
            case "xterm":
                return ["xterm", "-u8", "-title", "terminal", "-e", "sh", "-c", TERMINAL, str(self.file)]

    def saved(self, keyboard: KeyboardInput, expected: str) -> str:
        """Save and return what is in the file, `expected` as soon as it is that."""
        if self.name != "xterm":
            press(keyboard, "Control", "s")
        with contextlib.suppress(AssertionError):  # the comparison of the caller tells more
            read_when_written(self.file, lambda text: text == expected, limit_s=5)
        return self.file.read_text(encoding="utf-8", errors="replace")


def press(keyboard: KeyboardInput, *keys: str) -> None:
    """Press keys as one chord."""
    for key in keys:
        keyboard.press(key)
    for key in reversed(keys):
        keyboard.release(key)


def _home(folder: Path) -> dict[str, str]:
    """Return a home of its own, so that no session of an earlier test is restored."""
    return {"HOME": str(folder), "XDG_CONFIG_HOME": f"{folder}/config", "XDG_DATA_HOME": f"{folder}/data"}
