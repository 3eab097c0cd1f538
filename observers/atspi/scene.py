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
_MIN_SIDE: Final = 3.0  # device units; less can't be aimed at


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where a node is looked at.

    Attributes:
        placement: How its toolkit's units become device units.
        surface: The window or popup that it is on.
        clip: What its holders let show of it, in device units; None for everything.
        said: The name of the mark that it is in.
        depth: How many holders it has.
    """

    placement: Placement
    surface: Surface
    clip: DeviceBox | None = None
    said: str = ""
    depth: int = 0


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
            return self._popup(self._family.children(top), placement, depth=0)
        surface = self._stack.window(placement.window.id)
        return Branch() if surface is None else self._grow(top, None, Spot(placement=placement, surface=surface))

    def _look(self, node: Node, spot: Spot) -> Branch:
        if spot.depth > MAX_DEPTH:
            return Branch()
        entry = self._entry(node, spot)
        if entry is None or not entry.role:
            return self._grow(node, entry, spot)
        branch = self._grow(node, entry, replace(spot, said=entry.name))
        freed = _freed(entry, branch)
        is_open_menu = bool(branch.after) and node.role in kinds.MENU_ITEMS
        return replace(branch, entry=replace(freed, states=(*freed.states, "expanded")) if is_open_menu else freed)

    def _grow(self, node: Node, entry: Entry | None, spot: Spot) -> Branch:
        within = replace(spot, clip=self._clip(node, spot), depth=spot.depth + 1)
        here, away = self._roles.split_popups(node)
        opened = self._popup(away, spot.placement.for_popups(), depth=within.depth)
        below = self._below_headers(here, within)
        return grow(
            entry, [self._look(child, within if child.role in kinds.HEADERS else below) for child in here], [opened]
        )

    def _below_headers(self, children: Sequence[Node], spot: Spot) -> Spot:
        """Return where the rows of a table are looked at: they slide under its headers when it is scrolled."""
        headers = [child for child in children if child.role in kinds.HEADERS]
        boxes = [spot.placement.to_device(own) for node in headers if (own := self._family.box(node))]
        if not boxes or spot.clip is None:
            return spot
        bottom, clip = max(box.y + box.height for box in boxes), spot.clip
        if not clip.y < bottom < clip.y + clip.height:
            return spot
        return replace(spot, clip=replace(clip, y=bottom, height=clip.y + clip.height - bottom))

    def _popup(self, nodes: Sequence[Node], placement: Placement, *, depth: int) -> Branch:
        boxes = [placement.to_device(own) for node in nodes if (own := self._family.box(node))]
        surface = self._stack.popup_of(hull(boxes), must_fit=self._remembers_menus) if boxes else None
        if surface is None:
            return Branch()
        spot = Spot(placement=placement, surface=surface, depth=depth + 1)
        return grow(None, [self._look(node, spot) for node in nodes])

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

    def _entry(self, node: Node, spot: Spot) -> Entry | None:
        role = self._roles.mark_role(node)
        is_usable = bool(role) and kinds.is_usable(node)
        said = "" if is_usable else self._visible_text(node, role)
        if not is_usable and (not said or said in spot.said):
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


def _freed(entry: Entry, branch: Branch) -> Entry:
    """Return a mark whose click would not hit another one inside it, unless they fill it."""
    inner = [part for other in branch.marks_inside() for part in other.parts]
    clicks = [part for part in without(entry.parts, inner) if min(part.width, part.height) >= _MIN_SIDE]
    return replace(entry, clicks=tuple(clicks)) if clicks else entry
