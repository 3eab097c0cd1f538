"""Messages as bytes: what is announced is checked before it is read."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.controllers.device.packet import (
    ATTACHMENTS_LIMIT_BYTES,
    HEADER_LIMIT_BYTES,
    PREFIX_BYTES,
    BadMessage,
    cut,
    pack,
    read_lengths,
    unpack,
)


@given(header=st.binary(max_size=200), attachments=st.lists(st.binary(max_size=200), max_size=5))
def test_a_message_comes_back_as_it_was(header: bytes, attachments: list[bytes]) -> None:
    packet = unpack(pack(header, attachments))
    assert packet.header == header
    assert cut(packet.attachments, [len(item) for item in attachments]) == tuple(attachments)


@given(st.binary(max_size=64))
def test_bytes_that_are_no_message_are_refused(body: bytes) -> None:
    with pytest.raises(BadMessage):
        unpack(body)


@given(at=st.integers(min_value=0, max_value=30))
def test_a_message_that_is_cut_off_is_refused(at: int) -> None:
    whole = pack(b'{"a":1}', [b"12345678"])
    with pytest.raises(BadMessage):
        unpack(whole[:at])


def test_a_byte_too_many_is_refused() -> None:
    with pytest.raises(BadMessage, match="has 19 bytes and announces 18"):
        unpack(pack(b"{}", []) + b"x")


@pytest.mark.parametrize(
    ("header_bytes", "attachments_bytes"),
    [(HEADER_LIMIT_BYTES + 1, 0), (0, ATTACHMENTS_LIMIT_BYTES + 1), (2**32 - 1, 2**64 - 1)],
)
def test_a_lying_length_is_refused_from_the_prefix_alone(header_bytes: int, attachments_bytes: int) -> None:
    with pytest.raises(BadMessage, match="announces"):
        read_lengths(struct.pack(">4sIQ", b"TDM1", header_bytes, attachments_bytes))


def test_the_limits_themselves_are_allowed() -> None:
    prefix = struct.pack(">4sIQ", b"TDM1", HEADER_LIMIT_BYTES, ATTACHMENTS_LIMIT_BYTES)
    assert read_lengths(prefix).total_bytes == HEADER_LIMIT_BYTES + ATTACHMENTS_LIMIT_BYTES
    assert len(prefix) == PREFIX_BYTES


def test_another_version_is_refused() -> None:
    with pytest.raises(BadMessage, match="no message of this version"):
        read_lengths(struct.pack(">4sIQ", b"TDM2", 2, 0))


def test_what_is_too_large_is_not_sent() -> None:
    with pytest.raises(BadMessage, match="too large to send"):
        pack(bytes(HEADER_LIMIT_BYTES + 1), [])


@pytest.mark.parametrize("sizes", [(1, 1), (4,), (-1, 4), (3, -1, 1), ()])
def test_sizes_that_do_not_fit_are_refused(sizes: tuple[int, ...]) -> None:
    with pytest.raises(BadMessage, match="don't fill"):
        cut(b"abc", sizes)
