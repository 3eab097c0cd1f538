"""Typing any text on macOS and Windows: both take Unicode from a program without a key, in every layout.

pyautogui knows keys of a US keyboard alone, and says nothing about characters that it leaves out.
"""

from __future__ import annotations

import ctypes
import importlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.portable.driver import Driver

_KEYS: Final = {"\n": "enter", "\t": "tab"}
# An event of macOS holds no more; Windows takes any number.
_PIECE_UNITS: Final = 20
# As pyautogui does: macOS loses events that come faster.
_CATCH_UP_S: Final = 0.01
SendUnits = Callable[[Sequence[int]], None]


class NativeTyping:
    """Types pieces of text by the system, line breaks and tabs by keys."""

    def __init__(self, driver: Driver, send: SendUnits) -> None:
        """Type through `send`, which takes UTF-16 code units."""
        self._driver = driver
        self._send = send

    def refused(self, text: str) -> tuple[str, ...]:
        """Return nothing: the system types every character."""
        del text
        return ()

    def type(self, text: str, deadline: Deadline) -> None:
        """Type a text.

        Raises:
            CallFailed: the deadline came first, or the system took no more; the text says how much was typed.
        """
        typed = 0
        for piece in pieces(text):
            if deadline.left_s == 0:
                raise CallFailed(f"the deadline came first: {typed} of {len(text)} characters were typed")
            if piece in _KEYS:
                self._driver.press_key(_KEYS[piece])
                self._driver.release_key(_KEYS[piece])
            else:
                self._send_piece(piece, typed, len(text))
            typed += len(piece)

    def _send_piece(self, piece: str, typed: int, total: int) -> None:
        try:
            self._send(utf16_units(piece))
        except OSError as exc:
            raise CallFailed(f"the system took no more text: {exc}; {typed} of {total} characters were typed") from exc


def native_sender(driver: Driver) -> SendUnits:
    """Return what types code units on the driver's system."""
    return send_to_windows if driver.platform == "win32" else send_to_macos


def pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces that fit into one event; line breaks and tabs alone."""
    piece, units = "", 0
    for character in text:
        size = len(utf16_units(character))
        if piece and (character in _KEYS or units + size > _PIECE_UNITS):
            yield piece
            piece, units = "", 0
        if character in _KEYS:
            yield character
        else:
            piece, units = piece + character, units + size
    if piece:
        yield piece


def utf16_units(text: str) -> tuple[int, ...]:
    """Return the UTF-16 code units of a text."""
    data = text.encode("utf-16-le")
    return tuple(int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2))


class _KeyboardInput(ctypes.Structure):
    _fields_ = (
        ("key", ctypes.c_uint16),
        ("unit", ctypes.c_uint16),
        ("flags", ctypes.c_uint32),
        ("time_ms", ctypes.c_uint32),
        ("extra", ctypes.c_size_t),
    )


class _MouseInput(ctypes.Structure):
    """Never sent; the largest of the kinds of input, so it gives the union its size."""

    _fields_ = (
        ("dx", ctypes.c_int32),
        ("dy", ctypes.c_int32),
        ("data", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("time_ms", ctypes.c_uint32),
        ("extra", ctypes.c_size_t),
    )


class _AnyInput(ctypes.Union):
    _fields_ = (("keyboard", _KeyboardInput), ("mouse", _MouseInput))


class WindowsInput(ctypes.Structure):
    """An event as SendInput takes it (INPUT of winuser.h)."""

    _fields_ = (("kind", ctypes.c_uint32), ("event", _AnyInput))


_IS_KEYBOARD: Final = 1
_IS_UNICODE: Final = 0x0004
_IS_RELEASE: Final = 0x0002


def windows_events(units: Sequence[int]) -> ctypes.Array[WindowsInput]:
    """Return press and release of each code unit."""
    events = [_windows_event(unit, flags) for unit in units for flags in (_IS_UNICODE, _IS_UNICODE | _IS_RELEASE)]
    return (WindowsInput * len(events))(*events)


def _windows_event(unit: int, flags: int) -> WindowsInput:
    keyboard = _KeyboardInput(key=0, unit=unit, flags=flags, time_ms=0, extra=0)
    return WindowsInput(kind=_IS_KEYBOARD, event=_AnyInput(keyboard=keyboard))


def send_to_windows(units: Sequence[int]) -> None:
    """Type code units by SendInput; `OSError` where Windows keeps them from the window."""
    events = windows_events(units)
    system: Any = ctypes  # Any: `windll` is there on Windows alone
    taken = system.windll.user32.SendInput(len(events), events, ctypes.sizeof(WindowsInput))
    if taken != len(events):
        raise OSError("Windows keeps input from programs that run as administrator")


def send_to_macos(units: Sequence[int]) -> None:
    """Type code units, 20 at most, by one keyboard event that carries them."""
    quartz: Any = importlib.import_module("Quartz")  # Any: comes with pyautogui on macOS, without types
    text = b"".join(unit.to_bytes(2, "little") for unit in units).decode("utf-16-le")
    for is_down in (True, False):
        event = quartz.CGEventCreateKeyboardEvent(None, 0, is_down)
        quartz.CGEventKeyboardSetUnicodeString(event, len(units), text)
        quartz.CGEventPost(quartz.kCGHIDEventTap, event)
        time.sleep(_CATCH_UP_S)
