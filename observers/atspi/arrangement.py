"""Ties one application's windows and popups to those of the desktop. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.values.desktop import DesktopWindow, DeviceBox
from observers.atspi import kinds
from observers.atspi.accessible import Node, Ref
from observers.atspi.family import Family
from observers.atspi.naming import Naming
from observers.atspi.placement import Placement, TopLevel, match_windows, place
from observers.atspi.roles import Roles
from observers.atspi.scene import open_popups
from observers.atspi.survey import AppReading
from observers.atspi.vocabulary import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """One application on the desktop.

    Attributes:
        placed: Its windows and popups, with the window that each is; None for a popup.
        blocked: Windows that wait for one of its dialogs, by id, with that dialog.
    """

    reading: AppReading
    family: Family
    naming: Naming
    roles: Roles
    placed: tuple[tuple[Node, Placement], ...]
    blocked: Mapping[int, DesktopWindow]

    def popups(self) -> list[DeviceBox]:
        """Return its open popups as its tree tells of them, in device units."""
        tops = self.reading.tops
        found: list[DeviceBox] = []
        for node, placement in self.placed:
            if placement.window is None:
                found += [placement.to_device(top.box) for top in tops if top.node.ref == node.ref]
        if self.placed and not self.reading.application.is_gtk2:  # there, closed menus keep their places
            found += open_popups(self.family, self.roles, self.placed[0][1].for_popups())
        return found

    def veils(self) -> list[tuple[DeviceBox, DesktopWindow]]:
        """Return the parts of its windows that stand in front of the rest, in device units."""
        placements = {node.ref: placement for node, placement in self.placed}
        found: list[tuple[DeviceBox, DesktopWindow]] = []
        for node in filter(kinds.is_veil, self.family.all()):
            placement, box = placements.get(self.family.top(node).ref), self.family.box(node)
            if placement is not None and placement.window is not None and box is not None:
                found.append((placement.to_device(box), placement.window))
        return found


def arrange(reading: AppReading, windows: Sequence[DesktopWindow]) -> Arrangement:
    """Return where an application's windows and popups are.

    Args:
        reading: What the application said.
        windows: Every window, front to back.
    """
    application = reading.application
    matched = match_windows(reading.tops, windows, process_id=application.process_id, is_gtk=application.is_gtk)
    placed = [
        (top.node, place(top, matched[top.node.ref], is_gtk=application.is_gtk))
        for top in reading.tops
        if top.node.ref in matched
    ]
    scale = placed[0][1].scale if placed else 1.0
    popups = [
        (top.node, Placement(scale=scale, shift_x=0.0, shift_y=0.0))
        for top in reading.tops
        if top.node.ref not in matched and top.node.role in kinds.POPUPS and not top.box.is_empty
    ]
    family = Family(reading.tree)
    return Arrangement(
        reading=reading,
        family=family,
        naming=Naming(family, reading.details),
        roles=Roles(family, reading.details, acts_by_row=application.is_gtk),
        placed=(*placed, *popups),
        blocked=_blocked(reading.tops, matched, windows),
    )


def _blocked(
    tops: Sequence[TopLevel], matched: Mapping[Ref, DesktopWindow], windows: Sequence[DesktopWindow]
) -> dict[int, DesktopWindow]:
    """Return which windows the frontmost modal dialog of an application blocks."""
    own = {window.id: top.node for top in tops if (window := matched.get(top.node.ref)) and not window.is_minimized}
    modal = next((window for window in windows if window.id in own and own[window.id].has(State.MODAL)), None)
    return {} if modal is None else {window_id: modal for window_id in own if window_id != modal.id}
