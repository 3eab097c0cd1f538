"""What of one application can be seen and used, and where: from its tree to marks and texts in reading order. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from harness.values.desktop import DeviceBox
from observers.atspi import kinds
from observers.atspi.accessible import Node
from observers.atspi.branch import Branch, Entry, grow
from observers.atspi.family import Family
from observers.atspi.naming import Naming, flat
from observers.atspi.placement import Placement
from observers.atspi.roles import Roles
from observers.atspi.stack import Boxes, Stack, Surface, hull, without

MAX_DEPTH: Final = 100
Holders = tuple[str, ...]
_MIN_SIDE: Final = 3.0  # device units; less can't be aimed at


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where a node is looked at.

    Attributes:
        placement: How its toolkit's units become device units.
        surface: The window or popup that it is on.
        clip: What its holders let show of it, in device units; None for everything.
    """

    placement: Placement
    surface: Surface
    clip: DeviceBox | None = None

    def within(self, clip: DeviceBox | None) -> Spot:
        """Return the same place with another clip."""
        return self if clip is self.clip else Spot(placement=self.placement, surface=self.surface, clip=clip)


def open_popups(family: Family, roles: Roles, placement: Placement) -> list[DeviceBox]:
    """Return the boxes around the items of each popup that a tree says is open, in device units."""
    groups = [roles.split_popups(node)[1] for node in family.all()]
    boxes = [[placement.to_device(box) for node in group if (box := family.box(node))] for group in groups]
    return [hull(found) for found in boxes if found]


class Scene:
    """Looks at one application.

    Args:
        stack: What covers what; every open popup is in it.
        clips_children: Whether nothing in this toolkit sticks out of its parent.
        remembers_menus: Whether the items of a closed menu may still have the place where they were.
    """

    def __init__(
        self,
        *,
        family: Family,
        naming: Naming,
        roles: Roles,
        stack: Stack,
        clips_children: bool,
        remembers_menus: bool = False,
    ) -> None:
        self._family = family
        self._naming = naming
        self._roles = roles
        self._stack = stack
        self._clips_children = clips_children
        self._remembers_menus = remembers_menus

    def look(self, top: Node, placement: Placement) -> Branch:
        """Return what a window shows, or a popup that is a top level of its own."""
        if placement.window is None:
            return self._popup(self._family.children(top), placement, ())
        surface = self._stack.window(placement.window.id)
        if surface is None:
            return Branch()
        return self._grow(top, None, Spot(placement=placement, surface=surface), ())

    def _look(self, node: Node, spot: Spot, holders: Holders) -> Branch:
        if len(holders) > MAX_DEPTH:
            return Branch()
        box = self._family.box(node)
        if box is not None and kinds.is_veil(node):
            surface = self._stack.veil(spot.placement.to_device(box), spot.surface)
            spot = Spot(placement=spot.placement, surface=surface)
        return self._grow(node, self._entry(node, spot, holders), spot, holders)

    def _grow(self, node: Node, entry: Entry | None, spot: Spot, holders: Holders) -> Branch:
        """Return a branch with everything inside a node; `holders` are the names of the marks it is in, '' for none."""
        within = spot.within(self._clip(node, spot))
        here, away = self._roles.split_popups(node)
        below = self._below_headers(here, within)
        name = entry.name if entry is not None and entry.role else ""
        inside = (*holders, name)
        parts = [self._look(child, within if child.role in kinds.HEADERS else below, inside) for child in here]
        opened = [self._popup(away, spot.placement.for_popups(), inside)] if away else []
        if entry is not None and entry.role:
            entry = _freed(entry, parts)
            if node.role in kinds.MENU_ITEMS and any(popup.is_open for popup in opened):
                entry = replace(entry, states=(*entry.states, "expanded"))
        return grow(entry, parts, opened)

    def _popup(self, nodes: Sequence[Node], placement: Placement, holders: Holders) -> Branch:
        boxes = [placement.to_device(own) for node in nodes if (own := self._family.box(node))]
        surface = self._stack.popup_of(hull(boxes), must_fit=self._remembers_menus) if boxes else None
        if surface is None:
            return Branch()
        spot = Spot(placement=placement, surface=surface)
        inside = ("",) * (len(holders) + 1)  # a menu's name has nothing to do with its items
        return grow(None, [self._look(node, spot, inside) for node in nodes])

    def _below_headers(self, children: Sequence[Node], spot: Spot) -> Spot:
        """Return where the rows of a table are looked at: they slide under its headers when it is scrolled."""
        headers = [child for child in children if child.role in kinds.HEADERS]
        boxes = [spot.placement.to_device(own) for node in headers if (own := self._family.box(node))]
        if not boxes or spot.clip is None:
            return spot
        bottom, clip = max(box.y + box.height for box in boxes), spot.clip
        if not clip.y < bottom < clip.y + clip.height:
            return spot
        return spot.within(replace(clip, y=bottom, height=clip.y + clip.height - bottom))

    def _clip(self, node: Node, spot: Spot) -> DeviceBox | None:
        """Return what a node lets show of what is inside it; an empty box for nothing."""
        box = self._family.box(node)
        if box is None or not (self._clips_children or node.role in kinds.CLIPPING):
            return spot.clip
        own = spot.placement.to_device(box)
        if spot.clip is None:
            return own
        return own.intersection(spot.clip) or DeviceBox(x=own.x, y=own.y, width=0, height=0)

    def _parts(self, node: Node, spot: Spot) -> Boxes:
        """Return the parts of a node that show and are large enough to be aimed at."""
        box = self._family.box(node)
        if box is None:
            return ()
        whole = spot.placement.to_device(box)
        clipped = whole if spot.clip is None else whole.intersection(spot.clip)
        if clipped is None:
            return ()
        parts = self._stack.visible(clipped, spot.surface)
        return tuple(part for part in parts if min(part.width, part.height) >= _MIN_SIDE)

    def _entry(self, node: Node, spot: Spot, holders: Holders) -> Entry | None:
        role = self._roles.mark_role(node)
        is_usable = bool(role) and kinds.is_usable(node)
        said = "" if is_usable else self._visible_text(node, role)
        if not is_usable and (not said or any(said in name for name in holders)):
            return None
        parts = self._parts(node, spot)
        if not parts:
            return None
        if is_usable:
            return self._mark(node, role, parts, spot)
        return Entry(node=node, parts=parts, name=said, row=node.parent if node.role in kinds.CELLS else None)

    def _visible_text(self, node: Node, role: str) -> str:
        """Return the text that something shows which can't be acted on."""
        if role:  # it is disabled; on tool bars a name is seldom drawn
            is_drawn = node.role in kinds.LETTERED and not self._roles.is_on_tool_bar(node)
            return flat(node.name) if is_drawn else ""
        if self._roles.is_row_text(node):
            return self._naming.name(node)
        return self._naming.text(node) if self._roles.is_text(node) else ""

    def _mark(self, node: Node, role: str, parts: Boxes, spot: Spot) -> Entry:
        window = spot.placement.window
        return Entry(
            node=node,
            parts=parts,
            clicks=parts,
            name=self._naming.name(node),
            role=role,
            value=self._naming.value(node),
            states=self._roles.states(node, role, is_active=window is None or window.is_active),
            at_start=self._clips_children and node.role in kinds.CHOICES,
            in_popup=spot.surface.window is None,
        )


def _freed(entry: Entry, parts: Sequence[Branch]) -> Entry:
    """Return a mark whose click would not hit another one inside it, unless they fill it."""
    inner = [box for part in parts for mark in part.marks() for box in mark.parts]
    if not inner:
        return entry
    clicks = [part for part in without(entry.parts, inner) if min(part.width, part.height) >= _MIN_SIDE]
    return replace(entry, clicks=tuple(clicks)) if clicks else entry
