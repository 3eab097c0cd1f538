"""Asks the owner of a selection for what it holds. Belongs to the thread of its display."""

from __future__ import annotations

import select
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.error import XError
from Xlib.protocol import event, request, rq

from harness.controllers.aim import CallFailed
from harness.controllers.desktop.x11.selection_formats import decode_text, kinds_text, readable_forms
from harness.controllers.desktop.x11.selection_holder import CLIPBOARD

MOST_BYTES: Final = 16_000_000
_PROPERTY: Final = "_TRANSOM_CLIPBOARD"
_SILENCE_S: Final = 2.0
_MOST_KINDS: Final = 200
_TOO_MUCH: Final = f"the clipboard holds more than {MOST_BYTES // 1_000_000} MB, too much to read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an owner gave.

    Attributes:
        type_name: The name of its type.
        data: Its bytes; empty for a list of atoms.
        words: Its atoms; empty for bytes.
    """

    type_name: str
    data: bytes = b""
    words: tuple[int, ...] = ()


class SelectionReader:
    """Reads the clipboard of other programs."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._clipboard = display.intern_atom(CLIPBOARD)
        self._property = display.intern_atom(_PROPERTY)
        self._incr = display.intern_atom("INCR")
        self._window = display.screen().root.create_window(
            *(-1, -1, 1, 1, 0, X.CopyFromParent), window_class=X.InputOnly, event_mask=X.PropertyChangeMask
        )

    def has_owner(self) -> bool:
        """Return whether any program holds the clipboard."""
        return self._display.get_selection_owner(self._clipboard) != X.NONE

    def targets(self) -> tuple[str, ...]:
        """Return the kinds that the owner offers; none where it tells none.

        Raises:
            CallFailed: it does not answer.
        """
        answer = self._ask("TARGETS")
        if answer is None:
            return ()
        # An owner may name atoms that there are not.
        names = []
        for word in answer.words[:_MOST_KINDS]:
            with suppress(XError):
                names.append(self._display.get_atom_name(word))
        return tuple(names)

    def text(self) -> str:
        """Return the text that the owner holds.

        Raises:
            CallFailed: it holds no text, too much of it, or does not answer.
        """
        # Some owners give what they have for whatever is asked, so what they offer counts.
        offered = self.targets()
        for target in readable_forms(offered):
            answer = self._ask(target)
            if answer is not None:
                return decode_text(answer.type_name, answer.data)
        raise CallFailed(f"the clipboard holds no text; it offers {kinds_text(offered)}")

    def _ask(self, target: str) -> Answer | None:
        """Return what the owner gives for a target, or None when it refuses."""
        asked = self._display.intern_atom(target)
        deque(self._events(), maxlen=0)  # what came too late for an earlier question
        self._window.delete_property(self._property)
        self._window.convert_selection(self._clipboard, asked, self._property, X.CurrentTime)
        told = self._wait_for(lambda happened: isinstance(happened, event.SelectionNotify) and happened.target == asked)
        if told.property == X.NONE:
            return None
        found = self._take_property()
        if found is None:
            return None
        type_ = int(found.property_type)
        parts = [found]
        if type_ == self._incr:
            parts = self._take_parts()
            type_ = int(parts[0].property_type)
        return Answer(
            type_name=self._display.get_atom_name(type_) if type_ else "",
            data=b"".join(bytes(part.value) for part in parts if part.format == 8),
            words=tuple(word for part in parts if part.format == 32 for word in part.value),
        )

    def _take_parts(self) -> list[request.GetProperty]:
        """Return the parts of a large answer; the last is empty."""
        parts: list[request.GetProperty] = []
        size = 0
        while not parts or len(parts[-1].value):
            self._wait_for(self._is_new_part)
            part = self._take_property()
            if part is None:
                continue
            parts.append(part)
            size += len(part.value)
            if size > MOST_BYTES:
                raise CallFailed(_TOO_MUCH)
        return parts

    def _take_property(self) -> request.GetProperty | None:
        """Return what stands in our property, and remove it, which asks for the next part."""
        found: request.GetProperty | None = self._window.get_property(
            self._property, X.AnyPropertyType, 0, MOST_BYTES // 4, delete=True
        )
        if found is not None and found.bytes_after:
            self._window.delete_property(self._property)
            raise CallFailed(_TOO_MUCH)
        return found

    def _is_new_part(self, happened: rq.Event) -> bool:
        is_ours = isinstance(happened, event.PropertyNotify) and happened.window.id == self._window.id
        return is_ours and happened.atom == self._property and happened.state == X.PropertyNewValue

    def _wait_for(self, is_wanted: Callable[[rq.Event], bool]) -> rq.Event:
        end_s = time.monotonic() + _SILENCE_S
        while True:
            for happened in self._events():
                if is_wanted(happened):
                    return happened
            left_s = end_s - time.monotonic()
            if left_s <= 0:
                raise CallFailed("the program that holds the clipboard does not answer; copy again, or write to it")
            select.select([self._display], [], [], left_s)

    def _events(self) -> Iterator[rq.Event]:
        while self._display.pending_events():
            yield self._display.next_event()
