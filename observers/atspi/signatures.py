"""D-Bus types: functions that read a value of a signature from bytes, made once for each signature."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from typing import Final

Reader = Callable[[bytes, int], tuple[object, int]]
_FIXED: Final = {"y": "B", "n": "h", "q": "H", "b": "I", "i": "i", "u": "I", "x": "q", "t": "Q", "d": "d"}
_ALIGNED: Final = {"s": 4, "o": 4, "g": 1, "v": 1, "a": 4, "(": 8, "{": 8}


class MalformedMessage(Exception):
    """Bytes that are no D-Bus message, or not of the expected shape. Never leaves this package."""


@lru_cache(maxsize=256)
def split_signature(signature: str) -> tuple[str, ...]:
    """Return the complete types of a signature."""
    found: list[str] = []
    while signature:
        end = _type_end(signature)
        found.append(signature[:end])
        signature = signature[end:]
    return tuple(found)


def _type_end(signature: str) -> int:
    if signature[:1] == "a":
        return 1 + _type_end(signature[1:])
    if signature[:1] not in {"(", "{"}:
        return 1
    depth = 0
    for index, letter in enumerate(signature):
        depth += (letter in "({") - (letter in ")}")
        if depth == 0:
            return index + 1
    raise MalformedMessage(f"signature {signature!r} has no end")


@lru_cache(maxsize=256)
def readers(signature: str, order: str) -> tuple[Reader, ...]:
    """Return the functions that read the values of a signature, one after the other."""
    return tuple(reader(shape, order) for shape in split_signature(signature))


@lru_cache(maxsize=256)
def reader(shape: str, order: str) -> Reader:
    """Return the function that reads one complete type at a position and returns value and next position."""
    head = shape[:1]
    if head in _FIXED:
        return _fixed_reader(head, order)
    if head in {"s", "o"}:
        return _text_reader(order)
    if head == "g":
        return _read_signature
    if head == "v":
        return _variant_reader(order)
    if head == "a":
        return _array_reader(shape[1:], order)
    if head in {"(", "{"} and len(shape) > 2:
        return _struct_reader(shape[1:-1], order)
    raise MalformedMessage(f"type {shape!r} is not known")


def _alignment(shape: str) -> int:
    return _ALIGNED.get(shape[0]) or struct.calcsize("<" + _FIXED[shape[0]])


def _fixed_reader(code: str, order: str) -> Reader:
    packed = struct.Struct(order + _FIXED[code])
    step, read = packed.size, packed.unpack_from

    def read_fixed(body: bytes, pos: int) -> tuple[object, int]:
        pos = (pos + step - 1) & -step
        return read(body, pos)[0], pos + step

    return read_fixed


def _text_reader(order: str) -> Reader:
    read = struct.Struct(order + "I").unpack_from

    def read_text(body: bytes, pos: int) -> tuple[object, int]:
        pos = ((pos + 3) & -4) + 4
        end = pos + read(body, pos - 4)[0]
        if end >= len(body):
            raise IndexError("a text runs over the end")
        return body[pos:end].decode(), end + 1

    return read_text


def _read_signature(body: bytes, pos: int) -> tuple[object, int]:
    end = pos + 1 + body[pos]
    return body[pos + 1 : end].decode(), end + 1


def _variant_reader(order: str) -> Reader:
    def read_variant(body: bytes, pos: int) -> tuple[object, int]:
        shape, pos = _read_signature(body, pos)
        return reader(str(shape), order)(body, pos)

    return read_variant


def _array_reader(shape: str, order: str) -> Reader:
    read_length = struct.Struct(order + "I").unpack_from
    read_item, step = reader(shape, order), _alignment(shape)

    def read_array(body: bytes, pos: int) -> tuple[object, int]:
        pos = (pos + 3) & -4
        length = read_length(body, pos)[0]
        pos = (pos + 4 + step - 1) & -step
        end = pos + length
        items: list[object] = []
        while pos < end:
            item, pos = read_item(body, pos)
            items.append(item)
        return items, pos

    return read_array


def _struct_reader(shapes: str, order: str) -> Reader:
    fields = readers(shapes, order)

    def read_struct(body: bytes, pos: int) -> tuple[object, int]:
        pos = (pos + 7) & -8
        values: list[object] = []
        for read_field in fields:
            value, pos = read_field(body, pos)
            values.append(value)
        return tuple(values), pos

    return read_struct
