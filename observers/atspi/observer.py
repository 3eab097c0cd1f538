"""The mark observer of desktops that have an AT-SPI bus."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import ClassVar, Final
from weakref import WeakKeyDictionary

from harness.protocols import OBSERVER_PROTOCOL, DesktopView, FocusedField, Marking
from harness.values.frame import Frame
from harness.values.geometry import DevicePoint
from harness.values.mark import Mark
from observers.atspi.app_tree import Reach
from observers.atspi.assembly import assemble
from observers.atspi.bus import NoAccessibility
from observers.atspi.focus import FocusReader
from observers.atspi.link import Links, desktop_view, look_at_windows, survey_desktop
from observers.atspi.listing import Source
from observers.atspi.recheck import look_again, why_covered, why_lost
from observers.atspi.survey import Surveyor

_APPLICATION_S: Final = 2.0  # how long one application may take
_SHARE: Final = 0.8  # of a deadline; the rest is for windows and for putting the list together


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a marking remembers: where each of its marks came from, in the order of their numbers."""

    sources: tuple[Source, ...]
    frame: Frame
    device: DesktopView


class AtspiMarks:
    """Finds what can be used on a desktop, and what has the keyboard; changes nothing there.

    Elements of windows without an accessibility tree are not seen: such a window is one mark of role `window`.
    """

    PROTOCOL: ClassVar[int] = OBSERVER_PROTOCOL

    def __init__(self, reach: Reach | None = None) -> None:
        self._links = Links(reach or Reach())
        self._focus: WeakKeyDictionary[Surveyor, FocusReader] = WeakKeyDictionary()

    async def observe(self, device: object, frame: Frame, *, text_chars: int, deadline_s: float) -> Marking:
        """Return the marks of what a desktop shows, with a notice for each window whose elements are not seen.

        Context menus come first, then the active window, then the others front to back, each in reading order.
        Covered elements, disabled ones and those of windows that wait for a modal dialog get no mark. An application
        that does not describe itself within two seconds is one mark per window, like those without a tree.

        Raises:
            ObservationError: `device` is not a desktop.
            ControllerError: the display is gone.
        """
        view = desktop_view(device)
        share_s = deadline_s * _SHARE
        found = await survey_desktop(self._links, view, share_s=share_s, app_s=min(_APPLICATION_S, share_s * _SHARE))
        marking, sources = assemble(found.survey, found.state, frame, text_chars=max(0, text_chars))
        reading = Reading(sources=sources, frame=frame, device=view)
        return replace(marking, notices=(*found.notices, *marking.notices), handle=reading)

    async def find(self, marking: Marking, mark: Mark, *, deadline_s: float) -> str | None:
        """Return None when the mark's element is shown, enabled and in front at its click point, else why not."""
        reading = marking.handle
        if not isinstance(reading, Reading) or not 1 <= mark.id <= len(reading.sources):
            return f"mark {mark.id} is not known here"
        source = reading.sources[mark.id - 1]
        point = reading.frame.transform.to_device(mark.click)
        try:
            async with asyncio.timeout(deadline_s):
                reason = await self._why_lost(source, reading.device, point)
        except TimeoutError:
            return f"mark {mark.id} could not be checked: its application did not answer within {deadline_s:g} s"
        except NoAccessibility as problem:
            return f"mark {mark.id} could not be checked: {problem}"
        return f"mark {mark.id} {reason}" if reason else None

    async def _why_lost(self, source: Source, device: DesktopView, point: DevicePoint) -> str:
        if source.element is None:
            return why_covered(source, await look_at_windows(device), point)
        surveyor = await self._links.surveyor(device.environment)
        state, again = await asyncio.gather(look_at_windows(device), look_again(surveyor.bus, source.element))
        return why_lost(source, again, state, point)

    async def focused_field(self, device: object, *, deadline_s: float) -> FocusedField:
        """Return the element of the active window that has the keyboard; `unknown` when nobody tells in time.

        Of a text longer than 8,000 characters `value` is the part around the caret.

        Raises:
            ObservationError: `device` is not a desktop.
            ControllerError: the display is gone.
        """
        view = desktop_view(device)
        try:
            async with asyncio.timeout(deadline_s):
                windows = await asyncio.to_thread(view.windows)
                surveyor = await self._links.surveyor(view.environment)
                reader = self._focus.setdefault(surveyor, FocusReader(surveyor))
                return await reader.read(windows)
        except (TimeoutError, NoAccessibility):
            return FocusedField(kind="unknown")
