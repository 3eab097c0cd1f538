"""Asking applications for a sign of life, by the question that window managers use (EWMH `_NET_WM_PING`).

An application answers from its main loop, after it has dealt with all input that came before the question, within
milliseconds when it is idle. Some say that they would and never do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.error import XError
from Xlib.protocol import event, rq

from observers.settle.screen_events import Answered, Asked, Conversation

_PROTOCOLS: Final = "WM_PROTOCOLS"
_PING: Final = "_NET_WM_PING"
# Window managers put a time there, others count from 1: our numbers are not theirs.
_FIRST_SERIAL: Final = 0x7000_0000


class Pings:
    """Asks the applications of one display and remembers which of them answer."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._protocols = display.intern_atom(_PROTOCOLS)
        self._ping = display.intern_atom(_PING)
        self._serial = _FIRST_SERIAL
        self._open: dict[int, int] = {}
        self._answering: set[str] = set()
        self._silent: set[str] = set()

    def ask(self, window: int) -> Iterator[Conversation]:
        """Ask the application of a window, if it says that it answers; silent ones are asked, but not waited for."""
        if window == X.NONE or not self._would_answer(window):
            return
        name = self._application(window)
        if window in self._open and name not in self._answering:
            self._silent.add(name)
        self._serial += 1
        self._open[window] = self._serial
        target = self._display.create_resource_object("window", window)
        question = event.ClientMessage(
            window=target, client_type=self._protocols, data=(32, [self._ping, self._serial, window, 0, 0])
        )
        target.send_event(question, event_mask=X.NoEventMask)
        self._display.flush()
        if name not in self._silent:
            yield Asked(window=window, is_sure=name in self._answering)

    def answers(self, message: rq.Event) -> tuple[Conversation, ...]:
        """Return the answer that a message to the root window is, if it is one to our last question."""
        if message.client_type != self._protocols:
            return ()
        protocol, serial, window, *_ = message.data[1]
        if protocol != self._ping or self._open.get(window) != serial:
            return ()
        del self._open[window]
        self._answering.add(self._application(window))
        self._silent.discard(self._application(window))
        return (Answered(window=window),)

    def drop(self, window: int) -> None:
        """Wait no more for the answer of a window that is gone; its number may soon be another's."""
        self._open.pop(window, None)

    def _would_answer(self, window: int) -> bool:
        target = self._display.create_resource_object("window", window)
        try:
            found = target.get_full_property(self._protocols, X.AnyPropertyType)
        except XError:
            return False
        return found is not None and self._ping in found.value

    def _application(self, window: int) -> str:
        """Return the name that an application gives to its windows: whether it answers is up to its toolkit."""
        target = self._display.create_resource_object("window", window)
        try:
            names = target.get_wm_class()
        except XError:
            names = None
        return str(window) if names is None else names[1]
