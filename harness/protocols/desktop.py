"""What a desktop shows to its observers: they see it through this and need no driver of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from harness.values.desktop import DesktopWindow, DeviceBox
from harness.values.geometry import Size


@dataclass(frozen=True, slots=True, kw_only=True)
class Pixels:
    """Captured pixels, `(height, width, 4) uint8`, in the order blue, green, red, unused. Nobody writes to them.

    Attributes:
        size: Physical pixels; more than device units on a scaled system.
        bgrx: The pixels, row by row; whatever buffer the system gave, since a copy of a large screen takes as long as
            its capture.
    """

    size: Size
    bgrx: bytes | bytearray


class DesktopView(Protocol):
    """A desktop as its observers see it. Every method may be called from any thread and takes milliseconds.

    Attributes:
        environment: Variables of the desktop, DISPLAY and DBUS_SESSION_BUS_ADDRESS among them.
        area: The part of the desktop that frames show, in device units.
    """

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables of the desktop."""
        ...

    @property
    def area(self) -> DeviceBox:
        """The part that frames show, in device units."""
        ...

    def windows(self) -> tuple[DesktopWindow, ...]:
        """Return the open windows, front to back.

        Raises:
            ControllerError: the display is gone.
        """
        ...

    def popups(self) -> tuple[DeviceBox, ...]:
        """Return what stands in front of every window, such as open menus and tooltips, front to back."""
        ...

    def grab(self) -> Pixels:
        """Return the pixels of `area` as they are now.

        Raises:
            ControllerError: the display is gone.
            ObservationError: it gave no picture.
        """
        ...
