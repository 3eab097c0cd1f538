"""D-Bus messages as bytes, for the few shapes that AT-SPI uses.

jeepney opens the connection; its general parser would cost three quarters of reading a window.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from observers.atspi.signatures import MalformedMessage, readers

MAX_MESSAGE_BYTES: Final = 1 << 27  # the protocol's own limit
_METHOD_RETURN: Final = 2
_ERROR: Final = 3
_REPLY_SERIAL: Final = 5
_SIGNATURE: Final = 8
_HEADER_BYTES: Final = 16
_CALL_HEAD: Final = struct.Struct("<4sIII")
_NUMBERS: Final = {"<": struct.Struct("<I"), ">": struct.Struct(">I")}
_NUMBER_SHAPE, _SIGNATURE_SHAPE, _TEXT_SHAPES = ord("u"), ord("g"), b"so"
_HEADS: Final = {order: struct.Struct(order + "xB2xI4xI") for order in "<>"}
_PATH_FIELD: Final = b"\x01\x01o\0"


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
    fields = _fields_but_path(call.destination, call.interface, call.member, call.signature)
    path = _PATH_FIELD + _text(call.path)
    head = _CALL_HEAD.pack(b"l\x01\0\x01", len(call.body), serial, len(fields) + len(path))
    return b"".join((head, fields, path, bytes(-len(path) % 8), call.body))


@lru_cache(maxsize=512)
def _fields_but_path(destination: str, interface: str, member: str, signature: str) -> bytes:
    """Return the head's fields that many calls share, padded for the one that follows."""
    fields = bytearray()
    for code, value in ((2, interface), (3, member), (6, destination)):
        fields += bytes((code, 1)) + b"s\0" + _text(value)
        fields += bytes(-len(fields) % 8)
    if signature:
        shape = signature.encode()
        fields += b"\x08\x01g\0" + bytes((len(shape),)) + shape + b"\0"
        fields += bytes(-len(fields) % 8)
    return bytes(fields)


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
    kind, body_bytes, field_bytes = _HEADS[order].unpack_from(buffer, start)
    body_start = (_HEADER_BYTES + field_bytes + 7) & -8
    size = body_start + body_bytes
    if size > MAX_MESSAGE_BYTES:
        raise MalformedMessage(f"a message claims {size} bytes")
    return order, kind, body_start, size


def _reply(message: bytes, order: str, kind: int, body_start: int) -> Reply:
    try:
        serial, signature = _read_fields(message, order)
    except (IndexError, struct.error, UnicodeDecodeError) as exc:
        raise MalformedMessage(f"a message's head can't be read: {exc}") from exc
    return Reply(serial=serial, is_error=kind == _ERROR, signature=signature, body=message[body_start:], order=order)


def _read_fields(message: bytes, order: str) -> tuple[int, str]:
    """Return which call a message answers and the signature of its body, and pass over the other fields."""
    serial, signature = 0, ""
    read_number = _NUMBERS[order].unpack_from
    pos, end = _HEADER_BYTES, _HEADER_BYTES + read_number(message, 12)[0]
    while pos < end:
        pos = (pos + 7) & -8
        code, shape = message[pos], message[pos + 2]
        pos += 4
        if shape == _NUMBER_SHAPE:
            if code == _REPLY_SERIAL:
                (serial,) = read_number(message, pos)
            pos += 4
        elif shape == _SIGNATURE_SHAPE:
            length = message[pos]
            if code == _SIGNATURE:
                signature = message[pos + 1 : pos + 1 + length].decode()
            pos += length + 2
        elif shape in _TEXT_SHAPES:
            pos += read_number(message, pos)[0] + 5
        else:
            raise MalformedMessage(f"a field of the head has type {shape}")
    return serial, signature


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
        for read in readers(signature, order):
            value, pos = read(body, pos)
            values.append(value)
    except (IndexError, struct.error, UnicodeDecodeError, RecursionError) as exc:
        raise MalformedMessage(f"the body is not of shape {signature!r}: {exc}") from exc
    return tuple(values)


def _text(value: str) -> bytes:
    data = value.encode()
    return _NUMBERS["<"].pack(len(data)) + data + b"\0"
