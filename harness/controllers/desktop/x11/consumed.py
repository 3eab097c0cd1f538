"""Waits until the application that has the keyboard has taken every key sent to it so far.

Applications read what keys mean when they come to handle them, not when the keys were pressed. So before a key gets
another meaning, those pressed with the old one must have been handled: no fixed time is long enough for that.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator
from typing import Final

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import XError
from Xlib.ext import res
from Xlib.protocol import event, rq
from Xlib.xobject.drawable import Window

from harness.controllers.deadline import Deadline
from harness.controllers.desktop.x11.process_rest import Activity, read_activity

# An answer takes 0.5 ms from an idle application. The window may close meanwhile: then another one is asked.
_ASK_AGAIN_S: Final = 0.25
_LOOK_S: Final = 0.0005
# Applications without the ping protocol that never rest, and those of other machines, are given this long.
_BUSY_S: Final = 1.0
_REMOTE_S: Final = 0.2
# Some toolkits send their answer to those who listen to the root's structure, some to that of its children.
_ANSWERS: Final = X.SubstructureNotifyMask | X.StructureNotifyMask


class ConsumedWait:
    """Waits for the application that has the keyboard.

    Most applications answer a ping of the window manager's protocol, in order with their keys: that proves it. Of
    those that don't (xterm, st), the process is watched until it rests with nothing left to read.
    """

    def __init__(self, display: Display) -> None:
        self._display = display
        self._root = display.screen().root
        self._protocols = display.intern_atom("WM_PROTOCOLS")
        self._ping = display.intern_atom("_NET_WM_PING")
        self._number = 0

    def wait(self, deadline: Deadline) -> bool:
        """Return True when all keys were taken, False when the deadline came first."""
        while True:
            window, answers_pings = self._focused()
            if window is None:
                return True
            if answers_pings:
                if self._pinged(window, min(_ASK_AGAIN_S, deadline.left_s)):
                    return True
            else:
                return self._rests(window, deadline)
            if deadline.left_s == 0:
                return False

    def _focused(self) -> tuple[Window | None, bool]:
        """Return the window that has the keyboard and whether its application answers pings."""
        window = self._display.get_input_focus().focus
        if isinstance(window, int):
            return None, False
        try:
            for ancestor in self._ancestors(window):
                protocols = ancestor.get_property(self._protocols, Xatom.ATOM, 0, 32)
                if protocols is not None:
                    return ancestor, self._ping in protocols.value
        except XError:  # it was closed just now; the next round finds out who has the keyboard
            return self._focused()
        return window, False

    def _ancestors(self, window: Window) -> Iterator[Window]:
        while not isinstance(window, int) and window.id != self._root.id:
            yield window
            window = window.query_tree().parent

    def _pinged(self, window: Window, limit_s: float) -> bool:
        self._number += 1
        self._root.change_attributes(event_mask=_ANSWERS)
        try:
            data = (32, [self._ping, self._number, window.id, 0, 0])
            asked = event.ClientMessage(window=window, client_type=self._protocols, data=data)
            window.send_event(asked, event_mask=X.NoEventMask, onerror=_ignore)
            self._display.flush()
            return self._answered(window, time.monotonic() + limit_s)
        finally:
            self._root.change_attributes(event_mask=X.NoEventMask)

    def _answered(self, window: Window, end_s: float) -> bool:
        while True:
            for happened in self._events():
                if self._is_answer(happened, window):
                    return True
            left_s = end_s - time.monotonic()
            if left_s <= 0:
                return False
            select.select([self._display], [], [], left_s)

    def _events(self) -> Iterator[rq.Event]:
        while self._display.pending_events():
            yield self._display.next_event()

    def _is_answer(self, happened: rq.Event, window: Window) -> bool:
        if not isinstance(happened, event.ClientMessage) or happened.client_type != self._protocols:
            return False
        return list(happened.data[1][:3]) == [self._ping, self._number, window.id]

    def _rests(self, window: Window, deadline: Deadline) -> bool:
        process_id = self._process_of(window)
        limit = Deadline(min(_BUSY_S, deadline.left_s))
        while process_id is not None and limit.left_s > 0:
            before = self._activity_after_server(process_id)
            if before is None:
                process_id = None
            elif before.is_waiting and self._activity_after_server(process_id) == before:
                # What it waited for was no answer of the server, for that has come by now and it went on waiting.
                return True
            time.sleep(_LOOK_S)
        if process_id is None:
            time.sleep(min(_REMOTE_S, deadline.left_s))
        return deadline.left_s > 0

    def _activity_after_server(self, process_id: int) -> Activity | None:
        """Return what a process does once the server has sent it everything that it has for it."""
        # Twice: our first answer can be on its way before what the server sends to others is.
        self._display.sync()
        self._display.sync()
        return read_activity(process_id)

    def _process_of(self, window: Window) -> int | None:
        """Return the process that a window belongs to, when it is one of this machine."""
        if not self._display.has_extension(res.extname):
            return None
        ours = self._display.display.info.resource_id_base
        numbers = [self._process_number(xid) for xid in (ours, window.id)]
        # Where the server numbers processes as we do, it knows ours by its number.
        return numbers[1] if numbers[0] == os.getpid() else None

    def _process_number(self, xid: int) -> int | None:
        asked = [{"client": xid, "mask": res.LocalClientPIDMask}]
        try:
            answer = self._display.res_query_client_ids(asked)
        except XError:
            return None
        numbers = [number for item in answer.ids for number in item.value]
        return numbers[0] if numbers else None


def _ignore(*_: object) -> int:
    """Take an X error for handled: the window is gone, and nothing will answer."""
    return 1
