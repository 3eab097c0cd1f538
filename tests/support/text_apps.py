"""Applications of each toolkit that take text, and the file in which it ends up."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Final, Literal

from desktop_session import DesktopSession, read_when_written

from harness.controllers.desktop.backend import KeyboardInput

AppName = Literal["mousepad", "featherpad", "xterm"]
APPS: Final[tuple[AppName, ...]] = ("mousepad", "featherpad", "xterm")  # GTK, Qt, neither
# Bytes arrive as they are: no line editing, no echo, no keys that send signals; a carriage return becomes a line feed.
_TERMINAL: Final = 'stty -icanon -echo -isig -ixon -iexten min 1; exec cat > "$0"'


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

    def _command(self, folder: Path) -> list[str]:
        match self.name:
            case "mousepad":
                return ["mousepad", "--disable-server", str(self.file)]
            case "featherpad":
                return ["featherpad", "--standalone", str(self.file)]
            case "xterm":
                return ["xterm", "-u8", "-title", "terminal", "-e", "sh", "-c", _TERMINAL, str(self.file)]

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
