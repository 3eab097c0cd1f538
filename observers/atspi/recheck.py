"""Looks at one mark's element again, just before it is used."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from harness.values.geometry import DevicePoint
from harness.values.mark import quote_page_text
from observers.atspi import kinds, questions
from observers.atspi.accessible import NOWHERE, Extents, Node
from observers.atspi.assembly import called
from observers.atspi.bus import Bus
from observers.atspi.link import DesktopState
from observers.atspi.listing import Element, Source
from observers.atspi.naming import NAME_CHARS, cut, flat
from observers.atspi.placement import Placement, TopLevel, place
from observers.atspi.stack import Stack
from observers.atspi.survey import ask_top
from observers.atspi.vocabulary import State

# What these are called is what they hold, which may change.
_NAMED_BY_VALUE = kinds.COMBO_BOXES | kinds.TEXT_FIELDS | kinds.PASSWORDS | kinds.NUMBERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """An element as it is now; `node` is None when it is gone, `top` when its window is."""

    node: Node | None
    box: Extents
    top: TopLevel | None


async def look_again(bus: Bus, element: Element) -> Again:
    """Ask an element how it is now, with one wait for its application.

    Raises:
        NoAccessibility: the connection is gone.
    """
    ref = element.node.ref
    role, states, name, box, top = await asyncio.gather(
        bus.ask_one(questions.role(ref)),
        bus.ask_one(questions.states(ref)),
        bus.ask_one(questions.name(ref)),
        bus.ask_one(questions.extents(ref)),
        ask_top(bus, element.top, element.application),
    )
    if role is None or states is None or box is None:
        return Again(node=None, box=NOWHERE, top=top)
    return Again(node=Node(ref=ref, parent=None, index=-1, role=role, states=states, name=name or ""), box=box, top=top)


def why_lost(source: Source, again: Again, state: DesktopState, point: DevicePoint) -> str:
    """Return why a click at `point` would not reach an element any more; '' while it would."""
    element = source.element
    assert element is not None
    if again.node is None:
        return "is gone"
    return (
        _why_other(element, again.node)
        or _why_elsewhere(again.box, _placement(element, again.top, state), point)
        or why_covered(source, state, point)
    )


def _placement(element: Element, top: TopLevel | None, state: DesktopState) -> Placement | None:
    """Return how its window is placed now, or None when that is closed."""
    was = element.placement
    if was.window is None:
        return was
    window = next((window for window in state.windows if window.id == was.window.id), None)
    if window is None or top is None:
        return None
    placement = place(top, window, is_gtk=element.application.is_gtk)
    return placement.for_popups() if element.in_popup else placement


def _why_other(element: Element, now: Node) -> str:
    was = element.node
    if now.role != was.role:
        return "is something else now"
    is_silent = element.application.is_gtk2 and now.role in kinds.MENU_ITEMS | kinds.ICONS
    if not now.has(State.SHOWING) and not is_silent:
        return "is no longer shown"
    if not kinds.is_usable(now):
        return "is disabled now"
    if was.role not in _NAMED_BY_VALUE and flat(now.name) != flat(was.name):
        return f"is called {quote_page_text(cut(flat(now.name), NAME_CHARS))} now"
    return ""


def _why_elsewhere(box: Extents, placement: Placement | None, point: DevicePoint) -> str:
    if placement is None:
        return "is gone with its window"
    if box.is_empty:
        return "is no longer shown"
    return "" if placement.to_device(box).contains(point) else "has moved"


def why_covered(source: Source, state: DesktopState, point: DevicePoint) -> str:
    """Return what stands in front of a mark at a point; '' for nothing."""
    surface = Stack.of(state.area, state.windows, state.popups).at(point)
    if surface is None:
        return "is no longer shown"
    if source.element is not None and source.element.in_popup:
        return "" if surface.window is None else "is gone with its menu"
    if surface.window is None:
        return "is covered by a popup"
    if source.window is not None and surface.window.id == source.window.id:
        return ""
    return f"is covered by {called(surface.window)}"
