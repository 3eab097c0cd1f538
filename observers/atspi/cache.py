"""An application's whole tree from one reply.

Most of a reading's messages and time are saved here, so this one shape is read by hand.
"""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass
from typing import Final

from observers.atspi.accessible import Node, Ref
from observers.atspi.signatures import MalformedMessage
from observers.atspi.vocabulary import State
from observers.atspi.wire import Reply

_SHAPE: Final = "a((so)(so)(so)iiassusau)"  # itself, application, parent, index, children, interfaces, name, …
_SHOWING: Final = 1 << State.SHOWING

_COMPONENT: Final = b"org.a11y.atspi.Component\0"
_TEXT: Final = b"org.a11y.atspi.Text\0"

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedTree:
    """What an application keeps of its tree.

    Attributes:
        nodes: In the application's order; without the hidden ones unless they were asked for.
        children: How many children of the object at each path are in the cache, hidden ones too.
    """

    nodes: tuple[Node, ...]
    children: Counter[bytes]

    def count(self, parent: Ref) -> int:
        """Return how many children of an object are in the cache."""
        return self.children[parent.path.encode()]


def read_items(reply: Reply, *, with_hidden: bool = False) -> CachedTree:
    """Return the tree of a `GetItems` reply.

    Raises:
        MalformedMessage: the reply is of another shape; Qt's is, and empty.
    """
    if reply.signature != _SHAPE:
        raise MalformedMessage(f"expected {_SHAPE!r}, got {reply.signature!r}")
    try:
        return _Items(reply).read(with_hidden=with_hidden)
    except (IndexError, struct.error, UnicodeDecodeError) as exc:
        raise MalformedMessage(f"the cached items can't be read: {exc}") from exc


class _Items:
    """A position in the reply."""

    def __init__(self, reply: Reply) -> None:
        self._body = reply.body
        self._number = struct.Struct(reply.order + "I").unpack_from
        self._pair = struct.Struct(reply.order + "ii").unpack_from
        self._pos = 0

    def read(self, *, with_hidden: bool) -> CachedTree:
        (size,) = self._number(self._body, 0)
        self._pos, end = 8, 8 + size
        nodes: list[Node] = []
        children: Counter[bytes] = Counter()
        while self._pos < end:
            node = self._read_node(children, with_hidden=with_hidden)
            if node is not None:
                nodes.append(node)
        return CachedTree(nodes=tuple(nodes), children=children)

    def _read_node(self, children: Counter[bytes], *, with_hidden: bool) -> Node | None:
        bus, path, _, _, parent_bus, parent_path = self._skip_refs()
        start, end = parent_path
        children[self._body[start:end]] += 1
        index, child_count = self._pair(self._body, self._pos)
        (interface_bytes,) = self._number(self._body, self._pos + 8)
        interfaces = self._body[self._pos + 12 : self._pos + 12 + interface_bytes]
        self._pos += 12 + interface_bytes
        name = self._skip_text()
        self._pos = (self._pos + 3) & -4
        (role,) = self._number(self._body, self._pos)
        self._pos += 4
        description = self._skip_text()
        states = self._read_states()
        if not states & _SHOWING and not with_hidden:
            return None
        ref = Ref(self._text(bus), self._text(path))
        parent = Ref(self._text(parent_bus), self._text(parent_path))
        return Node(
            ref=ref,
            parent=parent if parent != ref else None,
            index=index,
            child_count=child_count,
            role=role,
            name=self._text(name),
            description=self._text(description),
            states=states,
            has_place=_COMPONENT in interfaces,
            has_text=_TEXT in interfaces,
        )

    def _skip_refs(self) -> list[Span]:
        """Return where bus and path of the object, of its application and of its parent stand."""
        body, number, pos = self._body, self._number, self._pos
        spans: list[Span] = []
        for _ in range(3):
            pos = (pos + 7) & -8
            for _ in range(2):
                start = ((pos + 3) & -4) + 4
                end = start + number(body, start - 4)[0]
                spans.append((start, end))
                pos = end + 1
        self._pos = (pos + 3) & -4
        return spans

    def _skip_text(self) -> Span:
        start = ((self._pos + 3) & -4) + 4
        end = start + self._number(self._body, start - 4)[0]
        self._pos = end + 1
        return start, end

    def _text(self, span: Span) -> str:
        start, end = span
        if end >= len(self._body):
            raise IndexError("a text runs over the end")
        return self._body[start:end].decode()

    def _read_states(self) -> int:
        start = ((self._pos + 3) & -4) + 4
        (size,) = self._number(self._body, start - 4)
        self._pos = start + size
        if size < 8:
            return 0 if size == 0 else int(self._number(self._body, start)[0])
        low, high = self._pair(self._body, start)
        return int(low & 0xFFFFFFFF | (high & 0xFFFFFFFF) << 32)
