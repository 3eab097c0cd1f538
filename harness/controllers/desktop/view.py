"""The desktop as its observers see it."""

from __future__ import annotations

from collections.abc import Mapping

from harness.controllers.desktop.backend import Backend
from harness.protocols import Pixels
from harness.values.desktop import DesktopWindow, DeviceBox, Monitor


class BackendView:
    """Shows one monitor of a backend. Any thread may call it."""

    def __init__(self, backend: Backend, *, monitor: Monitor, environment: Mapping[str, str]) -> None:
        self._backend = backend
        self._monitor = monitor
        self._environment = environment

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables of the desktop."""
        return self._environment

    @property
    def area(self) -> DeviceBox:
        """The monitor's place in device units."""
        return self._monitor.box

    def show(self, monitor: Monitor) -> None:
        """Show a monitor from now on; it may have moved or changed its size."""
        self._monitor = monitor

    def windows(self) -> tuple[DesktopWindow, ...]:
        """Return the open windows, front to back."""
        return self._backend.windows.windows()

    def popups(self) -> tuple[DeviceBox, ...]:
        """Return menus and tooltips, front to back; they stand in front of every window."""
        return self._backend.windows.popups()

    def grab(self) -> Pixels:
        """Return the pixels of the monitor as they are now."""
        return self._backend.screen.grab(self._monitor)
