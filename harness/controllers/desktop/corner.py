"""Whether a person holds the pointer in the corner of the desktop. Pure: every position and time is given."""

from __future__ import annotations

import threading
from typing import Final

from harness.values.geometry import DevicePoint

# GNOME, KDE, Xfce, MATE and Cinnamon all leave Control+Alt+Q free; Control+Alt+Escape switches panels, kills a window
# or restarts the shell there. Q is for quit.
STOP_CHORD: Final = "Control+Alt+Q"
HOLD_S: Final = 1.0
# A pointer that is pushed against the edges ends exactly in the corner; scaled desktops round.
CORNER_PX: Final = 2.0
# A move is announced before it waits for its turn on the device.
ARRIVAL_S: Final = 2.0


class CornerRule:
    """Tells a person's pointer in the top-left corner from our own. Any thread may call it.

    A pointer that we put there, or that was there from the beginning, counts once a person has moved it away and back.
    """

    def __init__(self, corner: DevicePoint) -> None:
        self._corner = corner
        self._lock = threading.Lock()
        self._announced_s: float | None = None
        self._since_s: float | None = None
        self._is_idle = True

    def note_own_move(self, to: DevicePoint, now_s: float) -> None:
        """Note that we are about to move the pointer."""
        with self._lock:
            self._announced_s = now_s if self._is_corner(to) else None

    def is_held(self, at: DevicePoint, now_s: float) -> bool:
        """Take the pointer's position and return whether a person has held it in the corner for `HOLD_S` seconds."""
        with self._lock:
            if not self._is_corner(at):
                self._since_s = None
                self._is_idle = False
                return False
            if self._announced_s is not None and now_s - self._announced_s <= ARRIVAL_S:
                self._is_idle = True
            self._announced_s = None
            if self._is_idle:
                self._since_s = None
                return False
            if self._since_s is None:
                self._since_s = now_s
            return now_s - self._since_s >= HOLD_S

    def _is_corner(self, point: DevicePoint) -> bool:
        return max(abs(point.x - self._corner.x), abs(point.y - self._corner.y)) <= CORNER_PX
