"""Answers those who ask the owner of a selection for its text. Belongs to one thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.protocol import event
from Xlib.xobject.drawable import Window

from harness.controllers.desktop.x11.selection_transfers import Transfers, ignore

_MOST_PAIRS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A text that we own a selection with.

    Attributes:
        text: The text.
        forms: Each form of it by its target's name: the name of its type, and its bytes.
        since: When we became the owner, in the server's milliseconds.
    """

    text: str
    forms: Mapping[str, tuple[str, bytes]]
    since: int


class SelectionAnswers:
    """Gives an offer's text in whatever form is asked for."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._transfers = Transfers(display)
        self._targets = display.intern_atom("TARGETS")
        self._multiple = display.intern_atom("MULTIPLE")
        self._timestamp = display.intern_atom("TIMESTAMP")
        self._pair = display.intern_atom("ATOM_PAIR")

    def answer(self, asked: event.SelectionRequest, offer: Offer | None) -> bool:
        """Answer one question; return whether that gave somebody the text."""
        # Clients of the first days name no property and mean one of the target's name.
        property_ = asked.property or asked.target
        if offer is None:
            was_given, is_known = False, False
        elif asked.target == self._multiple:
            was_given, is_known = self._give_many(asked.requestor, property_, offer)
        else:
            was_given, is_known = self._give(asked.requestor, asked.target, property_, offer)
        told = event.SelectionNotify(
            time=asked.time,
            requestor=asked.requestor,
            selection=asked.selection,
            target=asked.target,
            property=property_ if is_known else X.NONE,
        )
        asked.requestor.send_event(told, event_mask=X.NoEventMask, onerror=ignore)
        self._display.flush()
        return was_given

    def part_taken(self, happened: event.PropertyNotify) -> bool:
        """Send the next part after the one before was taken; return whether that gave somebody the whole text."""
        if happened.state != X.PropertyDelete:
            return False
        was_given = self._transfers.go_on(happened.window.id, happened.atom)
        self._display.flush()
        return was_given

    def requestor_gone(self, happened: event.DestroyNotify) -> None:
        """Forget one whose window is gone."""
        self._transfers.forget(happened.window.id)

    def _give(self, requestor: Window, target: int, property_: int, offer: Offer) -> tuple[bool, bool]:
        """Give one form; return whether the text was given whole, and whether the form is known."""
        if target == self._targets:
            known = [self._targets, self._multiple, self._timestamp, *map(self._display.intern_atom, offer.forms)]
            requestor.change_property(property_, Xatom.ATOM, 32, known, onerror=ignore)
            return False, True
        if target == self._timestamp:
            requestor.change_property(property_, Xatom.INTEGER, 32, [offer.since], onerror=ignore)
            return False, True
        for name, (type_name, data) in offer.forms.items():
            if self._display.intern_atom(name) == target:
                type_ = self._display.intern_atom(type_name)
                return self._transfers.give(requestor, property_, type_, data), True
        return False, False

    def _give_many(self, requestor: Window, property_: int, offer: Offer) -> tuple[bool, bool]:
        """Give the forms that a list in the property names, and strike out those that are not known."""
        found = requestor.get_property(property_, self._pair, 0, 2 * _MOST_PAIRS)
        words = [] if found is None else list(found.value)
        was_given = False
        for at in range(0, len(words) - 1, 2):
            was_this_given, is_known = self._give(requestor, words[at], words[at + 1], offer)
            was_given = was_given or was_this_given
            if not is_known:
                words[at + 1] = X.NONE
        requestor.change_property(property_, self._pair, 32, words, onerror=ignore)
        return was_given, bool(words)
