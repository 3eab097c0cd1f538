"""Marks, points and boxes of a call, checked against the frame that the model saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.tools.problem import CallProblem, near, show
from harness.values.action import Target
from harness.values.counting import counted
from harness.values.desktop import DesktopWindow, window_line
from harness.values.frame import Frame
from harness.values.geometry import FrameBox, FramePoint
from harness.values.mark import Mark
from harness.values.observation import Observation
from harness.values.observation_text import MAX_WINDOWS


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighted:
    """A call with what it was decided on.

    Attributes:
        call_id: The call.
        observation: What the model saw; None when nothing was seen yet.
        apps: What `launch` may start; empty when only the device knows.
    """

    call_id: str
    observation: Observation | None
    apps: tuple[str, ...] = ()

    def target(self, *, mark: int | None, at: Sequence[int] | None) -> Target:
        """Return where to act, from exactly one of a mark number and a point `[x, y]`.

        Raises:
            CallProblem: neither or both are given, or one of them isn't on the screen.
        """
        if mark is not None and at is not None:
            raise CallProblem("both mark and at are given; give exactly one of them")
        if mark is not None:
            return self.mark_target(mark)
        if at is not None:
            return Target(point=self.point(at))
        raise CallProblem("neither mark nor at is given; give a mark number, or at as [x, y] in pixels of the frame")

    def place(self, item: int | Sequence[int]) -> Target:
        """Return where a drag passes: a mark number or a point."""
        return self.mark_target(item) if isinstance(item, int) else Target(point=self.point(item))

    def mark_target(self, number: int) -> Target:
        """Return the click point of a mark of the newest screen."""
        self.frame()
        found = None if self.observation is None else self.observation.mark(number)
        if found is None:
            raise CallProblem(f"unknown mark {show(number)}; {self._valid_marks()}")
        return Target(point=found.click, mark=found)

    def point(self, at: Sequence[int]) -> FramePoint:
        """Return a point that lies inside the frame."""
        frame = self.frame()
        point = FramePoint(x_px=at[0], y_px=at[1])
        if not frame.contains(point):
            raise CallProblem(
                f"the point [{_shown(at)}] is outside the frame, which is {frame.width_px}x{frame.height_px} pixels: "
                f"x from 0 to {frame.width_px - 1}, y from 0 to {frame.height_px - 1}; "
                "what lies beyond must be scrolled into view first"
            )
        return point

    def box(self, box: Sequence[int]) -> FrameBox:
        """Return a box `[x, y, width, height]` that lies inside the frame."""
        frame = self.frame()
        x_px, y_px, width_px, height_px = box
        area = FrameBox(x_px=x_px, y_px=y_px, width_px=width_px, height_px=height_px)
        is_inside = x_px >= 0 and y_px >= 0 and area.right_px <= frame.width_px and area.bottom_px <= frame.height_px
        if width_px < 1 or height_px < 1 or not is_inside:
            raise CallProblem(
                f"the box [{_shown(box)}] is not inside the frame, which is {frame.width_px}x{frame.height_px} pixels; "
                "give [x, y, width, height] with width and height of at least 1"
            )
        return area

    def window(self, number: int) -> int:
        """Return the number of a window that was open on the newest screen."""
        windows = () if self.observation is None else self.observation.windows
        if any(window.id == number for window in windows):
            return number
        raise CallProblem(f"unknown window {show(number)}; {_open_windows(windows)}")

    def app(self, name: str) -> str:
        """Return the name of an application that may be started."""
        if self.apps and name not in self.apps:
            listing = ", ".join(self.apps)
            raise CallProblem(f"unknown app {show(name)}{near(name, self.apps)}; the apps are {listing}")
        return name

    def frame(self) -> Frame:
        """Return the frame that the model saw."""
        frame = None if self.observation is None else self.observation.frame
        if frame is None:
            raise CallProblem("there is no frame to point at; call look to get one")
        return frame

    def _valid_marks(self) -> str:
        marks: tuple[Mark, ...] = () if self.observation is None else self.observation.marks
        if not marks:
            return "the newest screen has no marks; give at as [x, y] instead"
        numbers = sorted(mark.id for mark in marks)
        span = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
        return (
            f"the newest screen has {counted(len(numbers), 'mark')}, numbered {span}; "
            "numbers of earlier screens don't count"
        )


def _open_windows(windows: Sequence[DesktopWindow]) -> str:
    if not windows:
        return "no window was open on the newest screen; call list_windows to look again"
    listed = "; ".join(window_line(window) for window in windows[:MAX_WINDOWS])
    left_out = len(windows) - MAX_WINDOWS
    more = f"; and {left_out} more, which list_windows shows" if left_out > 0 else ""
    return f"the windows of the newest screen are {listed}{more}"


def _shown(numbers: Sequence[int]) -> str:
    return ", ".join(show(number) for number in numbers)
