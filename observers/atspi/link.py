"""Connections to the accessibility buses of desktops, made when they are needed and again when they were lost."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from harness.errors import ObservationError
from harness.protocols import DesktopView
from harness.values.desktop import DesktopWindow, DeviceBox
from observers.atspi.app_tree import Reach
from observers.atspi.bus import NoAccessibility, open_bus
from observers.atspi.survey import Survey, Surveyor


class Links:
    """The connections of one observer, by the session bus of the desktop."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._surveyors: dict[str, Surveyor] = {}

    async def surveyor(self, environment: Mapping[str, str]) -> Surveyor:
        """Return the reader of a desktop's applications.

        Raises:
            NoAccessibility: the desktop has no accessibility bus.
        """
        address = environment.get("DBUS_SESSION_BUS_ADDRESS", "")
        known = self._surveyors.get(address)
        if known is not None and known.bus.is_open and known.bus.loop is asyncio.get_running_loop():
            return known
        fresh = Surveyor(await open_bus(environment), self._reach)
        self._surveyors[address] = fresh
        return fresh


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopState:
    """What the window system said at one moment: windows and popups front to back."""

    area: DeviceBox
    windows: tuple[DesktopWindow, ...]
    popups: tuple[DeviceBox, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a desktop and its applications said; `notices` tell what could not be asked."""

    survey: Survey
    state: DesktopState
    notices: tuple[str, ...]


async def look_at_windows(device: DesktopView) -> DesktopState:
    """Return what the window system says now.

    Raises:
        ControllerError: the display is gone.
    """
    return await asyncio.to_thread(
        lambda: DesktopState(area=device.area, windows=device.windows(), popups=device.popups())
    )


async def survey_desktop(links: Links, device: DesktopView, *, share_s: float, app_s: float) -> Found:
    """Read the applications of a desktop, and its popups at the same time.

    Args:
        links: Where the connection is kept.
        device: The desktop.
        share_s: When to give up altogether.
        app_s: How long one application may take.

    Raises:
        ControllerError: the display is gone.
    """
    windows = await asyncio.to_thread(device.windows)
    popups = asyncio.ensure_future(asyncio.to_thread(device.popups))

    async def read() -> tuple[Survey, tuple[str, ...]]:
        try:
            async with asyncio.timeout(share_s):
                surveyor = await links.surveyor(device.environment)
                return await surveyor.survey(windows, popups=popups, limit_s=app_s), ()
        except NoAccessibility as problem:
            return Survey(), (f"elements of windows are not seen: {problem}",)
        except TimeoutError:
            return Survey(), ("elements of windows are not seen: the accessibility bus did not answer in time",)

    (survey, notices), shown = await asyncio.gather(read(), popups)
    state = DesktopState(area=device.area, windows=windows, popups=shown)
    return Found(survey=survey, state=state, notices=notices)


def desktop_view(device: object) -> DesktopView:
    """Return the device as a desktop.

    Raises:
        ObservationError: it is none.
    """
    if not all(hasattr(device, name) for name in ("environment", "area", "windows", "popups")):
        raise ObservationError(f"AT-SPI sees desktops, got {type(device).__name__}; use it with `desktop`")
    return cast("DesktopView", device)
