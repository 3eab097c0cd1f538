"""One sight of a desktop: pixels, frame, marks, and the windows around them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass

from harness.controllers.deadline import Deadline, DeadlineReached
from harness.controllers.desktop.backend import Backend
from harness.controllers.desktop.device_thread import DeviceThread
from harness.controllers.desktop.screen import choose_monitor, grab_visible
from harness.controllers.desktop.view import BackendView
from harness.controllers.frames import DeviceArea, build_capture_from_pixels, plan_frame
from harness.controllers.markings import MarkingMemory
from harness.errors import ObservationError
from harness.protocols import Marking, MarkObserver, Pixels
from harness.values.desktop import DesktopWindow, Monitor
from harness.values.frame import Capture, Frame, FrameSource
from harness.values.geometry import Size
from harness.values.observation import Observation, SettleReport, Sight


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grabbed:
    pixels: Pixels
    monitor: Monitor
    windows: tuple[DesktopWindow, ...]
    at_s: float


class DesktopEyes:
    """Looks at one monitor, and remembers the marks of the last few frames."""

    def __init__(
        self,
        backend: Backend,
        *,
        thread: DeviceThread,
        monitor: int,
        environment: Mapping[str, str],
        observer: MarkObserver | None,
        max_sent: Size,
        text_chars: int,
    ) -> None:
        self._backend = backend
        self._thread = thread
        self._number = monitor
        self._environment = environment
        self._observer = observer
        self._max_sent = max_sent
        self._text_chars = text_chars
        self._markings = MarkingMemory()
        self.view = BackendView(
            backend, monitor=choose_monitor(backend.screen.monitors(), monitor), environment=environment
        )

    @property
    def screen(self) -> Size:
        """The size of the monitor in device units."""
        area = self.view.area
        return Size(width_px=round(area.width), height_px=round(area.height))

    def marking(self, frame: Frame | None) -> Marking | None:
        """Return the marks of a frame, or None when it is not one of the last few."""
        return self._markings.recall(frame)

    async def look(
        self, deadline: Deadline, *, source: FrameSource, settle: SettleReport | None, notices: tuple[str, ...] = ()
    ) -> Sight:
        """Return what the monitor shows; a failed capture is an observation without a frame.

        Raises:
            ControllerError: the display is gone.
        """
        try:
            grabbed = await deadline.run(self._thread.run(self._grab), "the capture")
            planned = plan_frame(
                grabbed.pixels.size,
                area=_area(grabbed.monitor),
                max_sent=self._max_sent,
                source=source,
                captured_at_s=grabbed.at_s,
            )
        except (ObservationError, DeadlineReached) as exc:
            return self._blind(f"the capture failed: {exc}", settle, notices)
        # The image is encoded while the marks are read: neither needs the other.
        encoding = asyncio.to_thread(build_capture_from_pixels, grabbed.pixels, planned)
        try:
            capture, marking = await asyncio.gather(encoding, self._marks(planned, deadline))
        except ObservationError as exc:
            return self._blind(f"the capture failed: {exc}", settle, notices)
        self._markings.keep(capture.frame, marking)
        return Sight(observation=self._observation(grabbed, capture, marking, settle, notices), capture=capture)

    def _grab(self) -> _Grabbed:
        monitor = choose_monitor(self._backend.screen.monitors(), self._number)
        self.view.show(monitor)
        pixels = grab_visible(self._backend.screen, monitor, environment=self._environment)
        return _Grabbed(pixels=pixels, monitor=monitor, windows=self._backend.windows.windows(), at_s=time.time())

    async def _marks(self, frame: Frame, deadline: Deadline) -> Marking:
        if self._observer is None:
            return Marking(marks=())
        looking = self._observer.observe(self.view, frame, text_chars=self._text_chars, deadline_s=deadline.left_s)
        try:
            return await deadline.run(looking, "finding marks")
        except (ObservationError, DeadlineReached) as exc:
            return Marking(marks=(), notices=(f"no marks: {exc}",))

    def _observation(
        self,
        grabbed: _Grabbed,
        capture: Capture,
        marking: Marking,
        settle: SettleReport | None,
        notices: tuple[str, ...],
    ) -> Observation:
        active = next((window for window in grabbed.windows if window.is_active), None)
        return Observation(
            frame=capture.frame,
            screen=self.screen,
            marks=marking.marks,
            texts=marking.texts,
            title="" if active is None else active.title,
            app="" if active is None else active.app,
            settle=settle,
            windows=grabbed.windows,
            notices=(*notices, *marking.notices),
        )

    def _blind(self, error: str, settle: SettleReport | None, notices: tuple[str, ...]) -> Sight:
        observation = Observation(frame=None, screen=self.screen, app="", settle=settle, notices=notices, error=error)
        return Sight(observation=observation, capture=None)


def _area(monitor: Monitor) -> DeviceArea:
    box = monitor.box
    return DeviceArea(width=box.width, height=box.height, origin_x=box.x, origin_y=box.y)
