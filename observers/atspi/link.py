"""Connections to the accessibility buses of desktops, made when they are needed and again when they were lost."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from harness.errors import ObservationError
from harness.protocols import DesktopView
from harness.values.desktop import DesktopWindow, DeviceBox
from observers.atspi.bus import open_bus
from observers.atspi.survey import Surveyor
from observers.atspi.tree import Reach


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


async def look_at_windows(device: DesktopView) -> DesktopState:
    """Return what the window system says now.

    Raises:
        ControllerError: the display is gone.
    """
    return await asyncio.to_thread(
        lambda: DesktopState(area=device.area, windows=device.windows(), popups=device.popups())
    )


def desktop_view(device: object) -> DesktopView:
    """Return the device as a desktop.

    Raises:
        ObservationError: it is none.
    """
    if not all(hasattr(device, name) for name in ("environment", "area", "windows", "popups")):
        raise ObservationError(f"AT-SPI sees desktops, got {type(device).__name__}; use it with `desktop`")
    return cast("DesktopView", device)
