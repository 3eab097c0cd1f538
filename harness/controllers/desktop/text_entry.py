"""Typing into whatever has the keyboard, and saying what came of it."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final, assert_never

from harness.controllers import wording
from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline, DeadlineReached
from harness.controllers.desktop.backend import Backend
from harness.controllers.desktop.gestures import Gestures
from harness.controllers.desktop.guarded_thread import GuardedThread
from harness.protocols import DesktopView, FieldReader, FocusedField
from harness.values.action import TypeText

_READ_S: Final = 0.5
# Applications show typed text a little later than the keys arrive.
_SHOWN_WITHIN_S: Final = 1.0
_POLL_S: Final = 0.02
_UNKNOWN: Final = FocusedField(kind="unknown")


class TextEntry:
    """Types text, after it has made sure that something has the keyboard."""

    def __init__(
        self,
        backend: Backend,
        *,
        thread: GuardedThread,
        gestures: Gestures,
        view: DesktopView,
        fields: FieldReader | None,
    ) -> None:
        self._backend = backend
        self._thread = thread
        self._gestures = gestures
        self._view = view
        self._fields = fields

    async def type(self, action: TypeText, deadline: Deadline) -> str:
        """Type exactly the text of an action and return what happened; its target was clicked before.

        Raises:
            CallFailed: nothing has the keyboard, characters can't be typed, or the deadline came first.
        """
        if not await self._thread.run(self._backend.windows.has_keyboard):
            raise CallFailed(
                "no window has the keyboard, so nothing was typed; click a field or use focus_window first"
            )
        field = await self._read(deadline)
        if field.kind == "text" and action.target is not None:
            await self._move_caret_to_end(field)
        text = wording.without_line_breaks(action.text) if field.is_one_line else action.text
        may_paste = field.kind in {"text", "password"}
        await self._send(text, may_paste=may_paste, deadline=deadline.at_most(deadline.left_s))
        told = wording.typed_text(action.text, text, action.target)
        return f"{told}; {await self._what_it_holds(text, deadline)}"

    async def _send(self, text: str, *, may_paste: bool, deadline: Deadline) -> None:
        keyboard = self._backend.keyboard
        await self._thread.run(
            lambda: keyboard.type_text(text, may_paste=may_paste, deadline=deadline), deadline=deadline
        )

    async def _move_caret_to_end(self, field: FocusedField) -> None:
        chord = ("End",) if field.is_one_line else ("Control", "End")
        await self._thread.run(partial(self._gestures.press, chord))

    async def _read(self, deadline: Deadline) -> FocusedField:
        if self._fields is None:
            return _UNKNOWN
        reading = self._fields.focused_field(self._view, deadline_s=min(_READ_S, deadline.left_s))
        try:
            return await deadline.run(reading, "reading the focused field", cap_s=_READ_S)
        except DeadlineReached:
            return _UNKNOWN

    async def _what_it_holds(self, text: str, deadline: Deadline) -> str:
        field = await self._read_until_shown(text, deadline)
        match field.kind:
            case "text":
                note = "" if _shows(field.value, text) else ", which is not all of the typed text"
                return f"{wording.held_value_text(field.value)}{note}"
            case "password":
                return "what the password field holds is not shown"
            case "terminal":
                return "look at the terminal for what came of it"
            case "other":
                return "the focused element is not a text field, so what it holds is not known"
            case "unknown":
                return "what the window holds can't be read: look at the frame"
            case _:
                assert_never(field.kind)

    async def _read_until_shown(self, text: str, deadline: Deadline) -> FocusedField:
        """Return the focused field once it shows the text, or as it is after a second."""
        waiting = deadline.at_most(_SHOWN_WITHIN_S)
        while True:
            field = await self._read(deadline)
            if field.kind != "text" or _shows(field.value, text) or waiting.left_s == 0:
                return field
            await asyncio.sleep(_POLL_S)


def _shows(value: str, text: str) -> bool:
    """Return whether a field's value ends up holding the text; fields may show only the end of a long value."""
    typed = text.replace("\r\n", "\n").replace("\r", "\n")
    return typed in value or (len(typed) > wording.SHOWN_CHARS and typed[-wording.SHOWN_CHARS :] in value)
