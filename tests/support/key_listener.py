"""A program that tells every key it gets, as applications see it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from desktop_session import DesktopSession, wait_for

_EVENT: Final = re.compile(
    r"^(?P<kind>KeyPress|KeyRelease) event.*?\n.*?\n"
    r"\s+state 0x(?P<state>[0-9a-f]+), keycode (?P<code>\d+) \(keysym 0x[0-9a-f]+, (?P<name>\S+)\)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One key event.

    Attributes:
        is_down: Whether the key went down.
        name: The keysym's name.
        state: The modifiers that were down before, as a mask.
        code: The key code.
    """

    is_down: bool
    name: str
    state: int
    code: int


class KeyListener:
    """Has the keyboard from the beginning."""

    def __init__(self, desktop: DesktopSession, folder: Path) -> None:
        self._file = folder / "events.txt"
        desktop.start(["xev", "-event", "keyboard"], title="Event Tester", stdout=self._file)

    def heard(self) -> list[Heard]:
        """Return every event so far."""
        return [
            Heard(
                is_down=found["kind"] == "KeyPress",
                name=found["name"],
                state=int(found["state"], 16),
                code=int(found["code"]),
            )
            for found in _EVENT.finditer(self._file.read_text(encoding="utf-8", errors="replace"))
        ]

    def wait(self, count: int) -> list[Heard]:
        """Return the events once there are `count` of them."""
        return wait_for(lambda: heard if len(heard := self.heard()) >= count else None, f"{count} key events")
