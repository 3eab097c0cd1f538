"""The tree in one reply, built by jeepney and read by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jeepney import Endianness, HeaderFields, Message, MessageType
from jeepney.low_level import Header

from observers.atspi.accessible import Ref
from observers.atspi.cache import CachedTree, read_items
from observers.atspi.signatures import MalformedMessage
from observers.atspi.vocabulary import State
from observers.atspi.wire import Reply, take_replies

SHAPE = "a((so)(so)(so)iiassusau)"
BUS, ROOT = ":1.7", "/org/a11y/atspi/accessible/root"
SHOWING = 1 << State.SHOWING


def item(
    number: int, *, parent: str = ROOT, name: str = "", states: int = SHOWING, children: int = 0
) -> tuple[Any, ...]:
    return (
        (BUS, f"/org/a11y/atspi/accessible/{number}"),
        (BUS, ROOT),
        (BUS, parent),
        number,
        children,
        ["org.a11y.atspi.Accessible", f"org.a11y.atspi.{['Text', 'Component'][number % 2]}"],
        name,
        43,
        "a description",
        [states & 0xFFFFFFFF, states >> 32],
    )


def reply(items: list[tuple[Any, ...]], signature: str = SHAPE, order: Endianness = Endianness.little) -> Reply:
    fields = {HeaderFields.reply_serial: 5, HeaderFields.signature: signature}
    (found,) = take_replies(
        bytearray(Message(Header(order, MessageType.method_return, 0, 1, -1, 9, fields), (items,)).serialise())
    )
    return found


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=20), max_size=8),
    st.integers(0, (1 << 44) - 1),
    st.sampled_from([Endianness.little, Endianness.big]),
)
def test_every_field_is_read(names: list[str], states: int, order: Endianness) -> None:
    tree = read_items(
        reply([item(number, name=name, states=states) for number, name in enumerate(names)], order=order),
        with_hidden=True,
    )
    assert [node.name for node in tree.nodes] == names
    for number, node in enumerate(tree.nodes):
        assert node.ref == Ref(BUS, f"/org/a11y/atspi/accessible/{number}")
        assert node.parent == Ref(BUS, ROOT)
        assert (node.index, node.role, node.description, node.states) == (number, 43, "a description", states)
        assert (node.has_place, node.has_text) == (number % 2 == 1, number % 2 == 0)


def test_hidden_nodes_are_counted_but_not_kept() -> None:
    tree: CachedTree = read_items(reply([item(1), item(2, states=0), item(3, children=-1)]))
    assert [node.index for node in tree.nodes] == [1, 3]
    assert tree.nodes[1].child_count == -1
    assert tree.count(Ref(BUS, ROOT)) == 3
    assert len(read_items(reply([item(1), item(2, states=0)]), with_hidden=True).nodes) == 2


def test_the_shape_of_qt_is_refused() -> None:
    with pytest.raises(MalformedMessage):
        read_items(reply([], signature="a((so)(so)(so)a(so)assusau)"))


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_break_it(data: bytes) -> None:
    try:
        read_items(Reply(serial=1, is_error=False, signature=SHAPE, body=data, order="<"))
    except MalformedMessage:
        return
