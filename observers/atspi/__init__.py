"""Marks and recordings of desktops, from the accessibility bus (AT-SPI) that Linux applications speak on."""

from observers.atspi.observer import AtspiMarks
from observers.atspi.recorder import AtspiRecorder

__all__ = ["AtspiMarks", "AtspiRecorder"]
