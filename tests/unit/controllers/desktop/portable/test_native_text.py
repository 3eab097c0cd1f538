"""Text as Windows and macOS take it from a program; both systems are stand-ins here."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import pytest
from fake_pyautogui import fake_driver

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.portable.native_text import (
    NativeTyping,
    WindowsInput,
    pieces,
    utf16_units,
    windows_events,
)

pytestmark = [pytest.mark.req("R-ACT-1")]


def _text(units: Sequence[int]) -> str:
    return b"".join(unit.to_bytes(2, "little") for unit in units).decode("utf-16-le")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("abc", ["abc"]),
        ("a\nb\tc\n", ["a", "\n", "b", "\t", "c", "\n"]),
        ("\n\n", ["\n", "\n"]),
        ("x" * 45, ["x" * 20, "x" * 20, "x" * 5]),
        ("x" * 19 + "😀y", ["x" * 19, "😀y"]),
    ],
)
def test_pieces_fit_into_an_event_and_part_no_character(text: str, expected: list[str]) -> None:
    assert list(pieces(text)) == expected


def test_every_character_reaches_the_system_in_order() -> None:
    driver, module = fake_driver("win32")
    sent: list[str] = []
    typing = NativeTyping(driver, lambda units: sent.append(_text(units)))
    typing.type("Grüße\t你好 😀\n" * 3, Deadline(5.0))
    assert "".join(sent) == "Grüße你好 😀" * 3
    assert module.lines == ["'tab' down", "'tab' up", "'enter' down", "'enter' up"] * 3
    assert typing.refused("Grüße\x7f") == ()


def test_the_deadline_says_how_much_was_typed() -> None:
    driver, _ = fake_driver("darwin")
    sent: list[str] = []
    with pytest.raises(CallFailed, match="0 of 40 characters"):
        NativeTyping(driver, lambda units: sent.append(_text(units))).type("x" * 40, Deadline(0.0))
    assert sent == []


def test_a_system_that_takes_no_more_is_no_silent_loss() -> None:
    driver, _ = fake_driver("win32")
    sent: list[str] = []

    def send(units: Sequence[int]) -> None:
        if sent:
            raise OSError("kept from the window")
        sent.append(_text(units))

    with pytest.raises(CallFailed, match="20 of 40 characters were typed"):
        NativeTyping(driver, send).type("x" * 40, Deadline(5.0))


def test_windows_events_press_and_release_each_code_unit() -> None:
    events = windows_events(utf16_units("é😀"))
    found = [
        (event.kind, event.event.keyboard.key, event.event.keyboard.unit, event.event.keyboard.flags)
        for event in events
    ]
    assert found == [(1, 0, unit, flags) for unit in (0xE9, 0xD83D, 0xDE00) for flags in (4, 6)]


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="the size is that of 64-bit Windows")
def test_a_windows_event_has_the_size_that_sendinput_wants() -> None:
    assert ctypes.sizeof(WindowsInput) == 40
