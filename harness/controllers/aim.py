"""Where an action lands: targets of the decision frame as device points, and in words."""

from __future__ import annotations

from harness.values.action import Target
from harness.values.frame import Frame
from harness.values.geometry import DevicePoint, Transform


class CallFailed(Exception):
    """A call did not work and the model can mend it. Never leaves its controller."""


class Aim:
    """Turns targets of the decision frame into device points, by that frame's transform alone."""

    def __init__(self, frame: Frame | None) -> None:
        self._transform: Transform | None = None if frame is None else frame.transform

    def point(self, target: Target) -> DevicePoint:
        """Return the device point of a target."""
        if self._transform is None:
            raise CallFailed("there is no frame to aim at; look first")
        return self._transform.to_device(target.point)


def place_text(target: Target) -> str:
    """Return a target in words, for example `120,48 (mark 3)`."""
    mark = "" if target.mark is None else f" (mark {target.mark.id})"
    return f"{target.point.x_px},{target.point.y_px}{mark}"
