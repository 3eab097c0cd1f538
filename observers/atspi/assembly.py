"""Puts windows, popups and what applications said together into one list of marks. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.protocols import Marking
from harness.values.desktop import DesktopWindow
from harness.values.frame import Frame
from harness.values.mark import quote_page_text
from observers.atspi.accessible import Node
from observers.atspi.arrangement import Arrangement, arrange
from observers.atspi.branch import Entry
from observers.atspi.link import DesktopState
from observers.atspi.listing import Element, Listing, Shown, Source
from observers.atspi.naming import NAME_CHARS, cut, flat
from observers.atspi.placement import Placement
from observers.atspi.scene import Scene
from observers.atspi.stack import Stack
from observers.atspi.survey import Survey

_TITLE_CHARS: Final = 60


def assemble(
    survey: Survey, state: DesktopState, frame: Frame, *, text_chars: int
) -> tuple[Marking, tuple[Source, ...]]:
    """Return the marks of a desktop and the source of each: popups, the active window, the others front to back."""
    arranged = [arrange(reading, state.windows) for reading in survey.readings]
    stack = Stack.of(state.area, state.windows, state.popups)
    for box in (box for arrangement in arranged for box in arrangement.popups()):
        stack = stack if stack.popup_of(box) else stack.with_popup(box)
    for box, window in (veil for arrangement in arranged for veil in arrangement.veils()):
        stack = stack.with_veil(box, window)
    assembly = _Assembly(stack, Listing(frame, text_chars=text_chars), survey.late)
    assembly.list_popups(arranged)
    for window in sorted(state.windows, key=lambda window: not window.is_active):
        assembly.list_window(window, arranged)
    listing = assembly.listing
    marking = Marking(marks=tuple(listing.marks), texts=tuple(listing.texts), notices=tuple(assembly.notices))
    return marking, tuple(listing.sources)


class _Assembly:
    """A list of marks that grows window by window."""

    def __init__(self, stack: Stack, listing: Listing, late: frozenset[int | None]) -> None:
        self._stack = stack
        self._late = late
        self.listing = listing
        self.notices: list[str] = []

    def list_popups(self, arranged: Sequence[Arrangement]) -> None:
        """List popups that belong to no window, such as context menus."""
        for arrangement in arranged:
            for top, placement in arrangement.placed:
                if placement.window is None:
                    self._list(arrangement, top, placement)

    def list_window(self, window: DesktopWindow, arranged: Sequence[Arrangement]) -> None:
        """List a window, or the window itself when nothing in it can be listed."""
        surface = self._stack.window(window.id)
        parts = self._stack.visible(window.box, surface) if surface else ()
        if not parts:
            return
        owner = _owner(window, arranged)
        if owner is None:
            self._list_whole(window, self._why_unread(window))
            return
        arrangement, top, placement = owner
        dialog = arrangement.blocked.get(window.id)
        if dialog is not None:
            self.notices.append(f"{called(window)} waits for {called(dialog)}: its elements are not listed")
        elif not self._list(arrangement, top, placement):
            self._list_whole(window, "shows nothing that can be listed")
        if not arrangement.reading.tree.is_complete:
            self.notices.append(f"{called(window)} shows more than is listed here")

    def _list(self, arrangement: Arrangement, top: Node, placement: Placement) -> int:
        application = arrangement.reading.application
        scene = Scene(
            family=arrangement.family,
            naming=arrangement.naming,
            roles=arrangement.roles,
            stack=self._stack,
            clips_children=application.is_qt,
            remembers_menus=application.is_gtk2,
        )

        def source(entry: Entry) -> Source:
            assert entry.node is not None
            return Source(
                element=Element(
                    node=entry.node,
                    top=top,
                    application=application,
                    placement=placement,
                    in_popup=entry.in_popup,
                ),
                window=placement.window,
            )

        entries = list(scene.look(top, placement).entries())
        return self.listing.add(Shown(entries=entries, spoken=arrangement.naming.spoken, source=source))

    def _list_whole(self, window: DesktopWindow, why: str) -> None:
        """List a window as one mark, which only helps to bring it to the front or to know where it is."""
        surface = self._stack.window(window.id)
        parts = self._stack.visible(window.box, surface) if surface else ()
        title = cut(flat(window.title or window.app), NAME_CHARS)
        entry = Entry(
            node=None,
            parts=parts,
            clicks=parts,
            name=title,
            role="window",
            states=("focused",) if window.is_active else (),
        )
        if self.listing.add(Shown(entries=(entry,), source=lambda _entry: Source(window=window))):
            self.notices.append(f"{called(window)} {why}; act in it by coordinates")

    def _why_unread(self, window: DesktopWindow) -> str:
        if window.process_id in self._late:
            return "did not describe itself in time"
        return "shows no accessibility tree"


def _owner(window: DesktopWindow, arranged: Sequence[Arrangement]) -> tuple[Arrangement, Node, Placement] | None:
    for arrangement in arranged:
        for top, placement in arrangement.placed:
            if placement.window is not None and placement.window.id == window.id:
                return arrangement, top, placement
    return None


def called(window: DesktopWindow) -> str:
    """Return the words that stand for a window in a notice, its title quoted."""
    return f"{window.kind} {window.id} {quote_page_text(cut(flat(window.title or window.app), _TITLE_CHARS))}"
