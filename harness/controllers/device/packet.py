"""One message as bytes: a prefix that says how long it is, a JSON header, binary attachments one after the other."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_MAGIC: Final = b"TDM1"
_PREFIX: Final = struct.Struct(">4sIQ")
PREFIX_BYTES: Final = _PREFIX.size
HEADER_LIMIT_BYTES: Final = 16 * 1024 * 1024
ATTACHMENTS_LIMIT_BYTES: Final = 256 * 1024 * 1024


class BadMessage(Exception):
    """Bytes that are no message of this version. Never leaves the device code; the text holds none of the bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """What a prefix announces, within the limits."""

    header_bytes: int
    attachments_bytes: int

    @property
    def total_bytes(self) -> int:
        """Length of what follows the prefix."""
        return self.header_bytes + self.attachments_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Packet:
    """A message that was read whole: its header as JSON in UTF-8, and its attachments still in one piece."""

    header: bytes
    attachments: bytes


def read_lengths(prefix: bytes, *, attachments_limit_bytes: int = ATTACHMENTS_LIMIT_BYTES) -> Lengths:
    """Return what a prefix announces, before anything of it is read.

    Raises:
        BadMessage: it is no prefix, or it announces more than the limits.
    """
    if len(prefix) != PREFIX_BYTES:
        raise BadMessage(f"the message is cut off after {len(prefix)} bytes")
    magic, header_bytes, attachments_bytes = _PREFIX.unpack(prefix)
    if magic != _MAGIC:
        raise BadMessage("these bytes are no message of this version")
    if header_bytes > HEADER_LIMIT_BYTES or attachments_bytes > attachments_limit_bytes:
        raise BadMessage(
            f"the message announces a header of {header_bytes} bytes and {attachments_bytes} bytes of attachments; "
            f"allowed are {HEADER_LIMIT_BYTES} and {attachments_limit_bytes}"
        )
    return Lengths(header_bytes=header_bytes, attachments_bytes=attachments_bytes)


def pack(header: bytes, attachments: Sequence[bytes]) -> bytes:
    """Return a message as bytes.

    Raises:
        BadMessage: it is larger than the limits.
    """
    attachments_bytes = sum(len(attachment) for attachment in attachments)
    if len(header) > HEADER_LIMIT_BYTES or attachments_bytes > ATTACHMENTS_LIMIT_BYTES:
        raise BadMessage(
            f"a header of {len(header)} bytes with {attachments_bytes} bytes attached is too large to send"
        )
    return b"".join((_PREFIX.pack(_MAGIC, len(header), attachments_bytes), header, *attachments))


def unpack(body: bytes, *, attachments_limit_bytes: int = ATTACHMENTS_LIMIT_BYTES) -> Packet:
    """Return the message that `body` holds, no byte more or less.

    Raises:
        BadMessage: it is none, it is too large, or its length is not the one that it announces.
    """
    lengths = read_lengths(body[:PREFIX_BYTES], attachments_limit_bytes=attachments_limit_bytes)
    if len(body) != PREFIX_BYTES + lengths.total_bytes:
        raise BadMessage(f"the message has {len(body)} bytes and announces {PREFIX_BYTES + lengths.total_bytes}")
    return split(body[PREFIX_BYTES:], lengths)


def split(rest: bytes, lengths: Lengths) -> Packet:
    """Return the message whose prefix announced `lengths` and was followed by `rest`."""
    return Packet(header=rest[: lengths.header_bytes], attachments=rest[lengths.header_bytes :])


def cut(attachments: bytes, sizes: Sequence[int]) -> tuple[bytes, ...]:
    """Return the attachments one by one.

    Raises:
        BadMessage: the sizes don't fit the bytes.
    """
    if any(size < 0 for size in sizes) or sum(sizes) != len(attachments):
        raise BadMessage(f"{len(sizes)} attachments don't fill {len(attachments)} bytes")
    found: list[bytes] = []
    start = 0
    for size in sizes:
        found.append(attachments[start : start + size])
        start += size
    return tuple(found)
