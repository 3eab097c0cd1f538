"""Messages as bytes, compared with what jeepney makes of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jeepney import Endianness, HeaderFields, Message, MessageType, Parser
from jeepney.low_level import Header

from observers.atspi.signatures import MalformedMessage, reader, split_signature
from observers.atspi.wire import Call, encode, pack, read_values, take_replies, unpack

NAMES = st.from_regex(r"[a-zA-Z][a-zA-Z0-9]{0,12}", fullmatch=True)
PATHS = st.lists(NAMES, min_size=1, max_size=6).map(lambda parts: "/" + "/".join(parts))
TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=40)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "y": st.integers(0, 255),
    "n": st.integers(-(1 << 15), (1 << 15) - 1),
    "i": st.integers(-(1 << 31), (1 << 31) - 1),
    "u": st.integers(0, (1 << 32) - 1),
    "t": st.integers(0, (1 << 64) - 1),
    "d": st.floats(allow_nan=False),
    "s": TEXTS,
    "o": PATHS,
    "(so)": st.tuples(TEXTS, PATHS),
    "(iiii)": st.tuples(*[st.integers(-(1 << 31), (1 << 31) - 1)] * 4),
    "au": st.lists(st.integers(0, (1 << 32) - 1), max_size=5),
    "a(so)": st.lists(st.tuples(TEXTS, PATHS), max_size=5),
    "a(ua(so))": st.lists(st.tuples(st.integers(0, 99), st.lists(st.tuples(TEXTS, PATHS), max_size=3)), max_size=3),
    "a(sss)": st.lists(st.tuples(TEXTS, TEXTS, TEXTS), max_size=4),
}


def reply(
    signature: str,
    body: tuple[Any, ...],
    *,
    serial: int = 5,
    kind: MessageType = MessageType.method_return,
    order: Endianness = Endianness.little,
) -> bytes:
    fields = {HeaderFields.reply_serial: serial, HeaderFields.sender: ":1.7"}
    if signature:
        fields[HeaderFields.signature] = signature
    return Message(Header(order, kind, 0, 1, -1, 9, fields), body).serialise()


@settings(max_examples=30, deadline=None)
@given(
    destination=NAMES,
    path=PATHS,
    member=NAMES,
    arguments=st.tuples(VALUES["i"], VALUES["u"], TEXTS),
    serial=VALUES["u"],
)
def test_calls_are_understood(
    destination: str, path: str, member: str, arguments: tuple[int, int, str], serial: int
) -> None:
    call = Call(
        destination=destination,
        path=path,
        interface="org.a11y.atspi.Component",
        member=member,
        signature="ius",
        body=pack("ius", *arguments),
    )
    parser = Parser()
    parser.add_data(encode(call, serial))
    (found,) = iter(parser.get_next_message, None)
    assert found.header.message_type is MessageType.method_call
    assert found.header.serial == serial
    assert found.header.fields == {
        HeaderFields.path: path,
        HeaderFields.interface: "org.a11y.atspi.Component",
        HeaderFields.member: member,
        HeaderFields.destination: destination,
        HeaderFields.signature: "ius",
    }
    assert found.body == arguments


def test_a_call_without_arguments_is_understood() -> None:
    parser = Parser()
    parser.add_data(encode(Call(destination=":1.2", path="/a", interface="b.c", member="D"), 3))
    assert parser.get_next_message().body == ()


@settings(max_examples=30, deadline=None)
@given(st.data(), st.sampled_from([Endianness.little, Endianness.big]))
def test_replies_are_read(data: st.DataObject, order: Endianness) -> None:
    shapes = data.draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=4))
    body = tuple(data.draw(VALUES[shape]) for shape in shapes)
    variant = (shapes[0], body[0])
    signature = "".join(shapes) + "v"
    (found,) = take_replies(bytearray(reply(signature, (*body, variant), order=order)))
    assert (found.serial, found.is_error, found.signature) == (5, False, signature)
    assert unpack(found, signature) == (*body, body[0])


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40))
def test_messages_arrive_in_pieces(size: int) -> None:
    data = (
        reply("s", ("one",), serial=1) + reply("", (), serial=2, kind=MessageType.error) + reply("s", ("x",), serial=3)
    )
    buffer = bytearray()
    found = []
    for start in range(0, len(data), size):
        buffer += data[start : start + size]
        found += take_replies(buffer)
    assert [(item.serial, item.is_error) for item in found] == [(1, False), (2, True), (3, False)]
    assert not buffer


def test_signals_and_calls_are_passed_over() -> None:
    call = encode(Call(destination=":1.2", path="/a", interface="b.c", member="D"), 3)
    (found,) = take_replies(bytearray(call + reply("s", ("x",), serial=4)))
    assert found.serial == 4


@pytest.mark.parametrize("data", [b"x" * 16, b"l\x02\0\x01" + b"\xff" * 12])
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedMessage):
        take_replies(bytearray(data))


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=60), st.sampled_from([*sorted(VALUES), "v", "av"]))
def test_no_bytes_break_a_reader(data: bytes, signature: str) -> None:
    try:
        read_values(data, signature)
    except MalformedMessage:
        return


def test_another_signature_is_refused() -> None:
    (found,) = take_replies(bytearray(reply("s", ("x",))))
    with pytest.raises(MalformedMessage, match="'i'"):
        unpack(found, "i")


@pytest.mark.parametrize("signature", ["(", "a", "()", "z", "(i", "a{"])
def test_bad_signatures_are_refused(signature: str) -> None:
    with pytest.raises(MalformedMessage):
        [reader(shape, "<") for shape in split_signature(signature)]


def test_signatures_are_split_into_whole_types() -> None:
    assert split_signature("a(so)ia{sv}s") == ("a(so)", "i", "a{sv}", "s")
