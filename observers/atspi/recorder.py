"""Writes down what applications tell of their windows, for a person who looks at a session later."""

from __future__ import annotations

import asyncio
from typing import ClassVar, Final

from harness.protocols import OBSERVER_PROTOCOL
from harness.values.frame import Frame
from observers.atspi.app_tree import Reach
from observers.atspi.link import Links, desktop_view, survey_desktop
from observers.atspi.transcript import write_transcript

_NODES: Final = 20_000  # of one application
_SHARE: Final = 0.8  # of the deadline for reading; the rest is for writing


class AtspiRecorder:
    """Records accessibility trees through a connection of its own; changes nothing on the desktop."""

    PROTOCOL: ClassVar[int] = OBSERVER_PROTOCOL

    def __init__(self) -> None:
        self._links = Links(Reach(nodes=_NODES, is_whole=True))

    async def record(self, device: object, frame: Frame, *, deadline_s: float) -> bytes:
        """Return the trees of all windows that show, hidden nodes included, as JSON lines; never a password.

        What could not be read is said in the first line.

        Raises:
            ObservationError: `device` is not a desktop.
            ControllerError: the display is gone.
        """
        view = desktop_view(device)
        share_s = deadline_s * _SHARE
        found = await survey_desktop(self._links, view, share_s=share_s, app_s=share_s * _SHARE)
        return await asyncio.to_thread(write_transcript, found.survey, found.state, frame, notices=found.notices)
