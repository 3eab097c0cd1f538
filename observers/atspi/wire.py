"""D-Bus messages as bytes, for the few shapes that AT-SPI uses.

jeepney opens the connection; its general parser would cost three quarters of reading a window.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from observers.atspi.signatures import MalformedMessage, reader, split_signature

MAX_MESSAGE_BYTES: Final = 1 << 27  # the protocol's own limit
_METHOD_RETURN: Final = 2
_ERROR: Final = 3
_REPLY_SERIAL: Final = 5
_SIGNATURE: Final = 8
_HEADER_BYTES: Final = 16
_CALL_HEAD: Final = struct.Struct("<4sIII")
_LENGTH: Final = struct.Struct("<I")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A method call.

    Attributes:
        signature: D-Bus types of the arguments.
        body: The arguments as bytes, see `pack`.
    """

    destination: str
    path: str
    interface: str
    member: str
    signature: str = ""
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back for the call with number `serial`."""

    serial: int
    is_error: bool
    signature: str
    body: bytes
    order: str


def pack(signature: str, *values: int | str) -> bytes:
    """Return arguments as bytes; of the types it knows `i`, `u` and `s` alone."""
    body = bytearray()
    for kind, value in zip(signature, values, strict=True):
        body += bytes(-len(body) % 4)
        if isinstance(value, str):
            body += _text(value)
        else:
            body += struct.pack("<" + {"i": "i", "u": "I"}[kind], value)
    return bytes(body)


def encode(call: Call, serial: int) -> bytes:
    """Return a method call as bytes."""
    fields = bytearray()
    for code, kind, value in (
        (1, b"o", call.path),
        (2, b"s", call.interface),
        (3, b"s", call.member),
        (6, b"s", call.destination),
    ):
        fields += bytes(-len(fields) % 8) + bytes((code, 1)) + kind + b"\0" + _text(value)
    if call.signature:
        shape = call.signature.encode()
        fields += bytes(-len(fields) % 8) + b"\x08\x01g\0" + bytes((len(shape),)) + shape + b"\0"
    head = _CALL_HEAD.pack(b"l\x01\0\x01", len(call.body), serial, len(fields))
    return head + fields + bytes(-len(fields) % 8) + call.body


def take_replies(buffer: bytearray) -> list[Reply]:
    """Remove the whole messages from the front of `buffer` and return those of them that answer a call.

    Raises:
        MalformedMessage: the bytes are no D-Bus messages.
    """
    found: list[Reply] = []
    start = 0
    while len(buffer) - start >= _HEADER_BYTES:
        order, kind, body_start, size = _measure(buffer, start)
        if len(buffer) - start < size:
            break
        if kind in {_METHOD_RETURN, _ERROR}:
            message = bytes(buffer[start : start + size])
            found.append(_reply(message, order, kind, body_start))
        start += size
    del buffer[:start]
    return found


def _measure(buffer: bytearray, start: int) -> tuple[str, int, int, int]:
    """Return byte order, kind, start of the body and size of the message that begins at `start`."""
    order = {ord("l"): "<", ord("B"): ">"}.get(buffer[start])
    if order is None:
        raise MalformedMessage(f"a message starts with byte {buffer[start]}")
    (body_bytes,) = struct.unpack_from(order + "I", buffer, start + 4)
    (field_bytes,) = struct.unpack_from(order + "I", buffer, start + 12)
    body_start = (_HEADER_BYTES + field_bytes + 7) & -8
    size = body_start + body_bytes
    if size > MAX_MESSAGE_BYTES:
        raise MalformedMessage(f"a message claims {size} bytes")
    return order, buffer[start + 1], body_start, size


def _reply(message: bytes, order: str, kind: int, body_start: int) -> Reply:
    serial, signature = 0, ""
    pos = _HEADER_BYTES
    (field_bytes,) = struct.unpack_from(order + "I", message, 12)
    try:
        while pos < _HEADER_BYTES + field_bytes:
            pos = (pos + 7) & -8
            code, shape_end = message[pos], pos + 2 + message[pos + 1]
            shape = message[pos + 2 : shape_end].decode()
            value, pos = reader(shape, order)(message, shape_end + 1)
            if code == _REPLY_SERIAL and isinstance(value, int):
                serial = value
            elif code == _SIGNATURE:
                signature = str(value)
    except (IndexError, struct.error, UnicodeDecodeError) as exc:
        raise MalformedMessage(f"a message's head can't be read: {exc}") from exc
    return Reply(serial=serial, is_error=kind == _ERROR, signature=signature, body=message[body_start:], order=order)


def unpack(reply: Reply, signature: str) -> tuple[object, ...]:
    """Return the values of a reply: strings, integers, floats, lists, and tuples for structs; a variant is its value.

    Raises:
        MalformedMessage: it has another signature, or the bytes are not of that shape.
    """
    if reply.signature != signature:
        raise MalformedMessage(f"expected {signature!r}, got {reply.signature!r}")
    return read_values(reply.body, signature, reply.order)


def read_values(body: bytes, signature: str, order: str = "<") -> tuple[object, ...]:
    """Return the values of a body.

    Raises:
        MalformedMessage: the bytes are not of that shape.
    """
    values: list[object] = []
    pos = 0
    try:
        for shape in split_signature(signature):
            value, pos = reader(shape, order)(body, pos)
            values.append(value)
    except (IndexError, struct.error, UnicodeDecodeError, RecursionError) as exc:
        raise MalformedMessage(f"the body is not of shape {signature!r}: {exc}") from exc
    return tuple(values)


def _text(value: str) -> bytes:
    data = value.encode()
    return _LENGTH.pack(len(data)) + data + b"\0"
