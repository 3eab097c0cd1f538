"""The few X requests that the start of a virtual desktop needs, in the protocol's own bytes.

python-xlib would do, but loading it and its extensions takes 90 ms, a third of the whole start.
Numbers and layouts are those of the X11 protocol's encoding, little endian.
"""

from __future__ import annotations

import select
import socket
import struct
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Final, Self

from harness.errors import ControllerError

COOKIE_NAME: Final = b"MIT-MAGIC-COOKIE-1"
_CHECK_S: Final = 0.2
_CHANGE_ATTRIBUTES: Final = 2
_INTERN_ATOM: Final = 16
_GET_PROPERTY: Final = 20
_WARP_POINTER: Final = 41
_CLEAR_AREA: Final = 61
_QUERY_EXTENSION: Final = 98
_XTEST: Final = b"XTEST"
_FAKE_INPUT: Final = 2
_KEY_PRESS: Final = 2
_KEY_RELEASE: Final = 3
_SHIFT_CODE: Final = 50
_BACKGROUND: Final = 1 << 1
_EVENTS: Final = 1 << 11
_PROPERTY_EVENTS: Final = 1 << 22
_ERROR: Final = 0
_REPLY: Final = 1


class RootWindow:
    """The window behind all others, on a connection of its own."""

    def __init__(self, display: int, cookie: bytes, *, timeout_s: float) -> None:
        """Connect.

        Args:
            display: The number of the display.
            cookie: The secret of its authority file.
            timeout_s: How long the server may take for any one answer.

        Raises:
            OSError: the server can't be reached, or does not answer in time.
            ControllerError: it refuses us.
        """
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.settimeout(timeout_s)
            self._socket.connect(f"/tmp/.X11-unix/X{display}")  # noqa: S108  # where X servers listen
            self._window = self._introduce(cookie)
        except BaseException:
            self._socket.close()
            raise

    def paint(self, colour: int) -> None:
        """Fill it with one colour, red, green and blue of 8 bits each."""
        self._send(_CHANGE_ATTRIBUTES, 0, struct.pack("<III", self._window, _BACKGROUND, colour))
        self._send(_CLEAR_AREA, 0, struct.pack("<Ihhhh", self._window, 0, 0, 0, 0))

    def park_pointer(self, x_px: int, y_px: int) -> None:
        """Put the pointer there: in the middle of the screen it makes the first window show a tooltip."""
        self._send(_WARP_POINTER, 0, struct.pack("<IIhhHHhh", 0, self._window, 0, 0, 0, 0, x_px, y_px))

    def wake_keyboard(self) -> None:
        """Press and release Shift by XTEST, so that the keyboard that synthetic keys come from is the active one.

        The server tells every client to read the keyboard's map anew when another one becomes active, and what is told
        that in the middle of a chord may drop it: the first Alt+Tab of a session did nothing.
        """
        self._send(_QUERY_EXTENSION, 0, struct.pack("<Hxx", len(_XTEST)) + _padded(_XTEST))
        opcode = self._reply()[9]
        for event in (_KEY_PRESS, _KEY_RELEASE):
            self._send(opcode, _FAKE_INPUT, struct.pack("<BBxxII20x", event, _SHIFT_CODE, 0, self._window))
        self._intern("STRING")  # its answer comes after the two events

    def wait_for_properties(self, names: Iterable[str], check: Callable[[], None]) -> None:
        """Return when it has all these properties.

        Args:
            names: The properties.
            check: Called about five times a second while nothing changes; raises to give up.
        """
        self._send(_CHANGE_ATTRIBUTES, 0, struct.pack("<III", self._window, _EVENTS, _PROPERTY_EVENTS))
        for atom in [self._intern(name) for name in names]:
            # A change between the question and the wait is not lost: its event is still to be read.
            while not self._has_property(atom):
                while not select.select([self._socket], [], [], _CHECK_S)[0]:
                    check()
                self._receive()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def _introduce(self, cookie: bytes) -> int:
        """Return the number of the root window of the first screen."""
        head = struct.pack("<cxHHHHxx", b"l", 11, 0, len(COOKIE_NAME), len(cookie))
        self._socket.sendall(head + _padded(COOKIE_NAME) + _padded(cookie))
        is_accepted, reason_bytes, words = struct.unpack("<BBxxxxH", self._read(8))
        body = self._read(words * 4)
        if not is_accepted:
            raise ControllerError(f"the X server refuses its own keeper: {body[:reason_bytes]!r}")
        vendor_bytes, formats = struct.unpack_from("<H3xB", body, 16)
        (root,) = struct.unpack_from("<I", body, 32 + len(_padded(bytes(vendor_bytes))) + 8 * formats)
        return int(root)

    def _intern(self, name: str) -> int:
        text = name.encode()
        self._send(_INTERN_ATOM, 0, struct.pack("<Hxx", len(text)) + _padded(text))
        return int.from_bytes(self._reply()[8:12], "little")

    def _has_property(self, atom: int) -> bool:
        self._send(_GET_PROPERTY, 0, struct.pack("<IIIII", self._window, atom, 0, 0, 0))
        return self._reply()[8:12] != bytes(4)

    def _send(self, opcode: int, detail: int, body: bytes) -> None:
        self._socket.sendall(struct.pack("<BBH", opcode, detail, 1 + len(body) // 4) + body)

    def _reply(self) -> bytes:
        while True:
            message = self._receive()
            if message[0] == _REPLY:
                return message

    def _receive(self) -> bytes:
        """Return the next message: a reply, or an event."""
        message = self._read(32)
        if message[0] == _ERROR:
            raise ControllerError(f"the X server reports error {message[1]} of its own keeper's request {message[10]}")
        if message[0] == _REPLY:
            message += self._read(4 * int.from_bytes(message[4:8], "little"))
        return message

    def _read(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            read = self._socket.recv(length - len(data))
            if not read:
                raise ConnectionError("the X server closed the connection")
            data += read
        return data


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
