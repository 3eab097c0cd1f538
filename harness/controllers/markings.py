"""The marks of the last few frames, so that a call can name a mark of the frame its model saw."""

from __future__ import annotations

from typing import Final

from harness.protocols import Marking
from harness.values.frame import Frame

KEPT_FRAMES: Final = 4


class MarkingMemory:
    """Remembers the markings of the last four frames by the frame's digest."""

    def __init__(self) -> None:
        self._markings: dict[str, Marking] = {}

    def recall(self, frame: Frame | None) -> Marking | None:
        """Return the marks of a frame, or None when it is not one of the last few."""
        return None if frame is None else self._markings.get(frame.sha256)

    def keep(self, frame: Frame, marking: Marking) -> Marking:
        """Remember the marks of a frame and return them."""
        self._markings.pop(frame.sha256, None)
        self._markings[frame.sha256] = marking
        while len(self._markings) > KEPT_FRAMES:
            del self._markings[next(iter(self._markings))]
        return marking
