"""The questions that AT-SPI objects are asked, each with the type of its answer.

Answers come from applications: one of another shape than promised counts as no answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final, Generic, TypeVar

from observers.atspi.accessible import Extents, Ref
from observers.atspi.signatures import MalformedMessage
from observers.atspi.wire import Call, Reply, pack, unpack

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

REGISTRY: Final = Ref("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
NULL_PATH: Final = "/org/a11y/atspi/null"
LABELLED_BY: Final = 2
_ACCESSIBLE: Final = "org.a11y.atspi.Accessible"
_COMPONENT: Final = "org.a11y.atspi.Component"
_PROPERTIES: Final = "org.freedesktop.DBus.Properties"
_BUS: Final = "org.freedesktop.DBus"
_SCREEN: Final = 0
_WINDOW: Final = 1
_NO_ARGUMENTS: Final = ("", b"")
_ON_SCREEN: Final = ("u", pack("u", _SCREEN))
_IN_WINDOW: Final = ("u", pack("u", _WINDOW))


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Generic[T_co]):
    """A call and what its reply means; `read` raises MalformedMessage for an answer of another shape."""

    call: Call
    read: Callable[[Reply], T_co]


def _ask(ref: Ref, interface: str, member: str, arguments: tuple[str, bytes] = _NO_ARGUMENTS) -> Call:
    signature, body = arguments
    return Call(destination=ref.bus, path=ref.path, interface=interface, member=member, signature=signature, body=body)


def _get(ref: Ref, interface: str, name: str) -> Call:
    return _ask(ref, _PROPERTIES, "Get", _property(interface, name))


@cache
def _property(interface: str, name: str) -> tuple[str, bytes]:
    return "ss", pack("ss", interface, name)


def children(ref: Ref) -> Question[tuple[Ref, ...]]:
    """Ask for all children."""
    return Question(call=_ask(ref, _ACCESSIBLE, "GetChildren"), read=_read_refs)


def child_at(ref: Ref, index: int) -> Question[Ref]:
    """Ask for one child."""
    return Question(call=_ask(ref, _ACCESSIBLE, "GetChildAtIndex", ("i", pack("i", index))), read=_read_ref)


def child_count(ref: Ref) -> Question[int]:
    """Ask how many children there are."""
    return Question(call=_get(ref, _ACCESSIBLE, "ChildCount"), read=_read_int_property)


def index_in_parent(ref: Ref) -> Question[int]:
    """Ask for the place among the parent's children."""
    return Question(call=_ask(ref, _ACCESSIBLE, "GetIndexInParent"), read=_read_int)


def parent(ref: Ref) -> Question[Ref]:
    """Ask for the parent."""
    return Question(call=_get(ref, _ACCESSIBLE, "Parent"), read=_read_ref_property)


def role(ref: Ref) -> Question[int]:
    """Ask for the role number."""
    return Question(call=_ask(ref, _ACCESSIBLE, "GetRole"), read=_read_role)


def states(ref: Ref) -> Question[int]:
    """Ask for the state bits."""
    return Question(call=_ask(ref, _ACCESSIBLE, "GetState"), read=_read_states)


def name(ref: Ref) -> Question[str]:
    """Ask for the name."""
    return Question(call=_get(ref, _ACCESSIBLE, "Name"), read=_read_text_property)


def description(ref: Ref) -> Question[str]:
    """Ask for the description."""
    return Question(call=_get(ref, _ACCESSIBLE, "Description"), read=_read_text_property)


def labels(ref: Ref) -> Question[tuple[Ref, ...]]:
    """Ask for the objects that label this one."""
    return Question(call=_ask(ref, _ACCESSIBLE, "GetRelationSet"), read=_read_labels)


def extents(ref: Ref) -> Question[Extents]:
    """Ask for the box on the screen, in the toolkit's units."""
    return Question(call=_ask(ref, _COMPONENT, "GetExtents", _ON_SCREEN), read=_read_extents)


def extents_in_window(ref: Ref) -> Question[Extents]:
    """Ask for the box relative to the content of its window, in the toolkit's units."""
    return Question(call=_ask(ref, _COMPONENT, "GetExtents", _IN_WINDOW), read=_read_extents)


def object_at(ref: Ref, x: int, y: int) -> Question[Ref]:
    """Ask which descendant stands at a point of the screen, in the toolkit's units."""
    arguments = pack("iiu", x, y, _SCREEN)
    return Question(call=_ask(ref, _COMPONENT, "GetAccessibleAtPoint", ("iiu", arguments)), read=_read_ref)


def text_between(ref: Ref, start: int, end: int) -> Question[str]:
    """Ask for a part of a text, in characters."""
    call = _ask(ref, "org.a11y.atspi.Text", "GetText", ("ii", pack("ii", start, end)))
    return Question(call=call, read=_read_text)


def character_count(ref: Ref) -> Question[int]:
    """Ask how long a text is."""
    return Question(call=_get(ref, "org.a11y.atspi.Text", "CharacterCount"), read=_read_int_property)


def caret(ref: Ref) -> Question[int]:
    """Ask where the caret of a text is, in characters."""
    return Question(call=_get(ref, "org.a11y.atspi.Text", "CaretOffset"), read=_read_int_property)


def current_value(ref: Ref) -> Question[float]:
    """Ask for the number that a slider or spin button stands at."""
    return Question(call=_get(ref, "org.a11y.atspi.Value", "CurrentValue"), read=_read_number_property)


def action_names(ref: Ref) -> Question[tuple[str, ...]]:
    """Ask what can be done with it, in the application's language."""
    return Question(call=_ask(ref, "org.a11y.atspi.Action", "GetActions"), read=_read_actions)


def toolkit(ref: Ref) -> Question[str]:
    """Ask an application for the name of its toolkit."""
    return Question(call=_get(ref, "org.a11y.atspi.Application", "ToolkitName"), read=_read_text_property)


def cached_items(bus: str) -> Question[Reply]:
    """Ask an application for its whole tree; see `cache` for what comes back."""
    call = _ask(Ref(bus, "/org/a11y/atspi/cache"), "org.a11y.atspi.Cache", "GetItems")
    return Question(call=call, read=lambda reply: reply)


def register_interest() -> Question[None]:
    """Tell the registry that somebody listens: toolkits expose their trees in bulk only then."""
    ref = Ref(REGISTRY.bus, "/org/a11y/atspi/registry")
    event = pack("s", "window:create")
    call = _ask(ref, "org.a11y.atspi.Registry", "RegisterEvent", ("s", event))
    return Question(call=call, read=lambda _reply: None)


def process_id(bus: str) -> Question[int]:
    """Ask the bus which process owns a connection."""
    call = _ask(Ref(_BUS, "/org/freedesktop/DBus"), _BUS, "GetConnectionUnixProcessID", ("s", pack("s", bus)))
    return Question(call=call, read=_read_role)


def _read_ref(reply: Reply) -> Ref:
    (found,) = unpack(reply, "(so)")
    return _as_ref(found)


def _read_refs(reply: Reply) -> tuple[Ref, ...]:
    (found,) = unpack(reply, "a(so)")
    assert isinstance(found, list)
    return tuple(_as_ref(item) for item in found)


def _as_ref(found: object) -> Ref:
    assert isinstance(found, tuple)
    bus, path = found
    return Ref(str(bus), str(path))


def _read_int(reply: Reply) -> int:
    (found,) = unpack(reply, "i")
    assert isinstance(found, int)
    return found


def _read_role(reply: Reply) -> int:
    (found,) = unpack(reply, "u")
    assert isinstance(found, int)
    return found


def _read_states(reply: Reply) -> int:
    (found,) = unpack(reply, "au")
    assert isinstance(found, list)
    return sum(word << 32 * place for place, word in enumerate(found[:2]))


def _read_text(reply: Reply) -> str:
    (found,) = unpack(reply, "s")
    return str(found)


def _read_text_property(reply: Reply) -> str:
    (found,) = unpack(reply, "v")
    return _only(found, str)


def _read_int_property(reply: Reply) -> int:
    (found,) = unpack(reply, "v")
    return _only(found, int)


def _read_ref_property(reply: Reply) -> Ref:
    (found,) = unpack(reply, "v")
    return _as_ref(_only(found, tuple))


def _read_number_property(reply: Reply) -> float:
    (found,) = unpack(reply, "v")
    return float(_only(found, (int, float)))


def _only(found: object, wanted: type[T] | tuple[type[T], ...]) -> T:
    if not isinstance(found, wanted):
        raise MalformedMessage(f"the property is a {type(found).__name__}")
    return found


def _read_extents(reply: Reply) -> Extents:
    (found,) = unpack(reply, "(iiii)")
    assert isinstance(found, tuple)
    return Extents(*found)


def _read_labels(reply: Reply) -> tuple[Ref, ...]:
    (found,) = unpack(reply, "a(ua(so))")
    assert isinstance(found, list)
    return tuple(_as_ref(item) for kind, targets in found if kind == LABELLED_BY for item in targets)


def _read_actions(reply: Reply) -> tuple[str, ...]:
    (found,) = unpack(reply, "a(sss)")
    assert isinstance(found, list)
    return tuple(str(item[0]) for item in found)
