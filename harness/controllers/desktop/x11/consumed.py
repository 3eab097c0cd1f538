"""Waits until the application that has the keyboard has taken every key sent to it so far.

Applications read what keys mean when they come to handle them, not when the keys were pressed. So before a key gets
another meaning, those pressed with the old one must have been handled: no fixed time is long enough for that.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterator
from typing import Final

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import XError
from Xlib.protocol import event, rq
from Xlib.xobject.drawable import Window

from harness.controllers.deadline import Deadline
from harness.controllers.desktop.x11.process_rest import ProcessRest

# An answer takes 0.5 ms from an idle application. The window may close meanwhile: then another one is asked.
_ASK_AGAIN_S: Final = 0.25
# Some toolkits send their answer to those who listen to the root's structure, some to that of its children.
_ANSWERS: Final = X.SubstructureNotifyMask | X.StructureNotifyMask


class ConsumedWait:
    """Waits for the application that has the keyboard.

    Most applications answer a ping of the window manager's protocol, in order with their keys: that proves it. Of
    those that don't (xterm, st), the process is watched until it rests with nothing left to read.
    """

    def __init__(self, display: Display) -> None:
        self._display = display
        self._rest = ProcessRest(display)
        self._root = display.screen().root
        self._protocols = display.intern_atom("WM_PROTOCOLS")
        self._ping = display.intern_atom("_NET_WM_PING")
        self._number = 0

    def wait(self, deadline: Deadline) -> bool:
        """Return True when all keys were taken, False when the deadline came first."""
        first = self._number + 1
        self._root.change_attributes(event_mask=_ANSWERS)
        try:
            while not self._is_taken(first, deadline):
                if deadline.left_s == 0:
                    return False
            return True
        finally:
            self._root.change_attributes(event_mask=X.NoEventMask)

    def _is_taken(self, first: int, deadline: Deadline) -> bool:
        """Ask once, and return whether that or an earlier question since `first` was answered."""
        window = self._receiver()
        if window is None:
            return True
        try:
            answering = self._answering(window)
        except XError:  # it was closed just now
            return False
        if answering is None:
            self._rest.wait(window, deadline)
            return deadline.left_s > 0
        self._send_ping(answering)
        return self._is_answered(first, time.monotonic() + min(_ASK_AGAIN_S, deadline.left_s))

    def _receiver(self) -> Window | None:
        """Return the window that gets the keys, or None."""
        focus = self._display.get_input_focus().focus
        if focus == X.PointerRoot:
            focus = self._root.query_pointer().child
        return None if isinstance(focus, int) else focus

    def _answering(self, window: Window) -> Window | None:
        """Return the window's application window when its application answers pings, else None."""
        while not isinstance(window, int) and window.id != self._root.id:
            protocols = window.get_property(self._protocols, Xatom.ATOM, 0, 32)
            if protocols is not None:
                return window if self._ping in protocols.value else None
            window = window.query_tree().parent
        return None

    def _send_ping(self, window: Window) -> None:
        self._number += 1
        data = (32, [self._ping, self._number, window.id, 0, 0])
        asked = event.ClientMessage(window=window, client_type=self._protocols, data=data)
        window.send_event(asked, event_mask=X.NoEventMask, onerror=_ignore)
        self._display.flush()

    def _is_answered(self, first: int, end_s: float) -> bool:
        while True:
            if any(self._is_answer(happened, first) for happened in self._events()):
                return True
            left_s = end_s - time.monotonic()
            if left_s <= 0:
                return False
            select.select([self._display], [], [], left_s)

    def _events(self) -> Iterator[rq.Event]:
        while self._display.pending_events():
            yield self._display.next_event()

    def _is_answer(self, happened: rq.Event, first: int) -> bool:
        if not isinstance(happened, event.ClientMessage) or happened.client_type != self._protocols:
            return False
        protocol, number = happened.data[1][:2]
        return bool(protocol == self._ping and first <= number <= self._number)


def _ignore(*_: object) -> int:
    """Take an X error for handled: the window is gone, and nothing will answer."""
    return 1
