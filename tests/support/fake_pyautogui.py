"""A pyautogui that writes down what it is told to send."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import SimpleNamespace

from harness.controllers.desktop.portable.driver import Driver, Platform

US_SHIFTED = '~!@#$%^&*()_+{}|:"<>?'


class FakePyautogui:
    """Stands in for the module; `lines` is what reached the system, in order."""

    def __init__(self, codes: Mapping[str, int | None]) -> None:
        self.PAUSE = 0.1
        self.FAILSAFE = True
        self.MINIMUM_DURATION = 0.1
        self.MINIMUM_SLEEP = 0.05
        self.lines: list[str] = []
        self.fails_with: Exception | None = None
        self.platformModule = SimpleNamespace(keyboardMapping=dict(codes))

    def moveTo(self, x: int, y: int, _pause: bool = True) -> None:
        self._note(f"move {x},{y}")

    def dragTo(self, x: int, y: int, *, button: str, mouseDownUp: bool, _pause: bool = True) -> None:  # noqa: N803  # its own name
        assert not mouseDownUp
        self._note(f"drag {button} {x},{y}")

    def mouseDown(self, *, button: str, _pause: bool = True) -> None:
        self._note(f"{button} down")

    def mouseUp(self, *, button: str, _pause: bool = True) -> None:
        self._note(f"{button} up")

    def vscroll(self, clicks: int, _pause: bool = True) -> None:
        self._note(f"vscroll {clicks}")

    def hscroll(self, clicks: int, _pause: bool = True) -> None:
        self._note(f"hscroll {clicks}")

    def position(self) -> tuple[int, int]:
        return (12, -3)

    def keyDown(self, name: str, _pause: bool = True) -> None:
        self._note(f"{name!r} down")

    def keyUp(self, name: str, _pause: bool = True) -> None:
        self._note(f"{name!r} up")

    def isShiftCharacter(self, character: str) -> bool:
        return character.isupper() or character in US_SHIFTED

    def _note(self, line: str) -> None:
        if self.fails_with is not None:
            raise self.fails_with
        self.lines.append(line)


@contextmanager
def _no_errors(doing: str) -> Iterator[None]:
    del doing
    yield


def fake_driver(platform: Platform, codes: Mapping[str, int | None] | None = None) -> tuple[Driver, FakePyautogui]:
    """Return a driver on a stand-in whose keys have these codes; by default it has the usual keys."""
    names = [*"abcdefghijklmnopqrstuvwxyzAV0123456789<", "ctrl", "shift", "alt", "win", "enter", "tab", "esc", "end"]
    mac = ["command", "option", "optionright"] if platform == "darwin" else []
    module = FakePyautogui(codes or {name: number for number, name in enumerate([*names, *mac], start=1)})
    return Driver(module, platform, _no_errors), module
