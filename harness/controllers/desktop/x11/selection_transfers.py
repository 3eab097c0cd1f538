"""Data of a selection on its way to those who asked for it, the large in parts. Belongs to one thread."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.xobject.drawable import Window

# A request carries at most 256 kB to a server without the BIG-REQUESTS extension.
PART_BYTES: Final = 200_000
_GIVEN_UP_S: Final = 30.0


@dataclass(slots=True, kw_only=True)
class Transfer:
    """One answer in parts.

    Attributes:
        requestor: Who asked.
        property: Where each part goes.
        type: The atom of the data's type.
        data: All of it.
        sent: How much of it is sent.
        moved_at_s: When the last part was sent.
    """

    requestor: Window
    property: int
    type: int
    data: bytes
    sent: int = 0
    moved_at_s: float = 0.0


class Transfers:
    """Gives data to requestors."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._incr = display.intern_atom("INCR")
        self._open: dict[tuple[int, int], Transfer] = {}

    def give(self, requestor: Window, property_: int, type_: int, data: bytes) -> bool:
        """Put data where it was asked for; return False when it goes in parts, of which this begins the first."""
        if len(data) <= PART_BYTES:
            requestor.change_property(property_, type_, 8, data, onerror=ignore)
            return True
        self._drop_given_up()
        requestor.change_attributes(event_mask=X.PropertyChangeMask | X.StructureNotifyMask, onerror=ignore)
        requestor.change_property(property_, self._incr, 32, [len(data)], onerror=ignore)
        self._open[requestor.id, property_] = Transfer(
            requestor=requestor, property=property_, type=type_, data=data, moved_at_s=time.monotonic()
        )
        return False

    def go_on(self, requestor_id: int, property_: int) -> bool:
        """Send the next part, now that the one before was taken; return whether that ended a transfer."""
        transfer = self._open.get((requestor_id, property_))
        if transfer is None:
            return False
        part = transfer.data[transfer.sent : transfer.sent + PART_BYTES]
        transfer.requestor.change_property(property_, transfer.type, 8, part, onerror=ignore)
        transfer.sent += len(part)
        transfer.moved_at_s = time.monotonic()
        if part:
            return False
        # A part of no bytes says that it was the last.
        self._close(transfer)
        return True

    def forget(self, requestor_id: int) -> None:
        """Drop what was on its way to a window that is gone."""
        for key in [key for key in self._open if key[0] == requestor_id]:
            del self._open[key]

    def _drop_given_up(self) -> None:
        oldest_s = time.monotonic() - _GIVEN_UP_S
        for transfer in [transfer for transfer in self._open.values() if transfer.moved_at_s < oldest_s]:
            self._close(transfer)

    def _close(self, transfer: Transfer) -> None:
        del self._open[transfer.requestor.id, transfer.property]
        if not any(requestor == transfer.requestor.id for requestor, _ in self._open):
            transfer.requestor.change_attributes(event_mask=X.NoEventMask, onerror=ignore)


def ignore(*_: object) -> int:
    """Take an X error for handled: who asked is gone."""
    return 1
