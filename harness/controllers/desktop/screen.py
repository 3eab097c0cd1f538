"""The monitors of a desktop and their pixels, captured by mss."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import mss
from mss.exception import ScreenShotError

from harness.controllers.desktop.backend import ScreenSource
from harness.controllers.desktop.display_environment import authority_of
from harness.controllers.desktop.preflight import explain_blank
from harness.errors import ControllerError, ObservationError
from harness.protocols import Pixels
from harness.values.desktop import DeviceBox, Monitor
from harness.values.geometry import Size

Place = dict[str, Any]  # mss's own form of a box: left, top, width, height and more
# What mss raises when it can't capture; a lost X server shows as one of its assertions, or as a null pointer.
_FAILURES: Final = (ScreenShotError, AssertionError, ValueError, OSError)
_TRIES: Final = 4
_PAUSE_S: Final = 0.05
_COMPARED_PIXELS: Final = 16_384


class Shot(Protocol):
    """A screenshot as mss returns it: BGRX bytes of its own, and its size in physical pixels."""

    @property
    def raw(self) -> bytearray:
        """The pixels."""
        ...

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in physical pixels."""
        ...


class Capturer(Protocol):
    """A connection that captures, as `mss.MSS` is one. Any thread may use it; its list of monitors never changes."""

    @property
    def monitors(self) -> list[Place]:
        """The whole desktop, then each monitor, in device units."""
        ...

    def grab(self, monitor: Place, /) -> Shot:
        """Return the pixels of a box."""
        ...

    def close(self) -> None:
        """Give the connection back."""
        ...


Connect = Callable[[], Capturer]


class MssScreen:
    """Captures through one connection that stays open. Any thread may call it."""

    def __init__(self, connect: Connect) -> None:
        """Connect.

        Raises:
            ControllerError: there is no display.
        """
        self._connect = connect
        self._lock = threading.Lock()
        self._capturer = self._connected()

    def monitors(self) -> tuple[Monitor, ...]:
        """Return the whole desktop (number 0) and each monitor as they stand now.

        Raises:
            ControllerError: the display is gone.
        """
        # mss reads the monitors once a connection. One more that is opened for the list alone takes a millisecond.
        fresh = self._connected()
        try:
            places = fresh.monitors
        except _FAILURES as exc:
            raise ObservationError(f"the system lists no monitors: {exc}; capture again") from exc
        finally:
            _give_back(fresh)
        if len(places) == 1:
            places = places * 2
        return tuple(Monitor(number=number, box=_box(place)) for number, place in enumerate(places))

    def grab(self, monitor: Monitor) -> Pixels:
        """Return the pixels of a monitor now.

        Raises:
            ControllerError: the display is gone.
            ObservationError: the system gave no picture.
        """
        capturer = self._capturer
        try:
            return _capture(capturer, monitor)
        except _FAILURES:
            # A connection is of no more use once the screen has become larger, or its server was started again.
            capturer = self._reconnected(capturer)
        try:
            return _capture(capturer, monitor)
        except _FAILURES as exc:
            raise ObservationError(f"the system gave no picture of monitor {monitor.number}: {exc}") from exc

    def close(self) -> None:
        """Give the connection back, also one that is lost."""
        _give_back(self._capturer)

    def _reconnected(self, failed: Capturer) -> Capturer:
        with self._lock:
            if self._capturer is failed:
                self._capturer = self._connected()
                _give_back(failed)
            return self._capturer

    def _connected(self) -> Capturer:
        try:
            return self._connect()
        except _FAILURES as exc:
            raise ControllerError(f"the display can't be captured: {exc}; is it still there? start it again") from exc


def open_screen(environment: Mapping[str, str]) -> MssScreen:
    """Return the screen of a desktop's environment; outside of Linux the screen that this process is shown.

    Raises:
        ControllerError: it can't be captured; the text says what to do.
    """
    return MssScreen(lambda: _connect(environment))


def _connect(environment: Mapping[str, str]) -> mss.MSS:
    if sys.platform != "linux":
        return mss.MSS()
    with authority_of(environment):
        return mss.MSS(display=environment.get("DISPLAY"))


def _give_back(capturer: Capturer) -> None:
    with contextlib.suppress(*_FAILURES):
        capturer.close()


def _capture(capturer: Capturer, monitor: Monitor) -> Pixels:
    shot = capturer.grab(_place(monitor.box))
    width_px, height_px = shot.size
    return Pixels(size=Size(width_px=width_px, height_px=height_px), bgrx=shot.raw)


def _box(place: Place) -> DeviceBox:
    return DeviceBox(x=place["left"], y=place["top"], width=place["width"], height=place["height"])


def _place(box: DeviceBox) -> Place:
    return {"left": round(box.x), "top": round(box.y), "width": round(box.width), "height": round(box.height)}


def choose_monitor(monitors: Sequence[Monitor], number: int) -> Monitor:
    """Return the monitor of that number.

    Raises:
        ControllerError: there is none; the text lists those there are.
    """
    for monitor in monitors:
        if monitor.number == number:
            return monitor
    listed = ", ".join(_described(monitor) for monitor in monitors)
    raise ControllerError(f"there is no monitor {number}; set controller.monitor to one of: {listed}")


def _described(monitor: Monitor) -> str:
    box = monitor.box
    name = " (all of them)" if monitor.number == 0 else ""
    return f"{monitor.number}{name} {box.width:g}x{box.height:g} at {box.x:g},{box.y:g}"


def is_black(pixels: Pixels) -> bool:
    """Return whether every pixel is black. Takes a fraction of a millisecond, and next to nothing when one is not."""
    data = pixels.bgrx
    pixel = bytes(data[:4])
    if pixel[:3] != b"\0\0\0":
        return False
    block = pixel * _COMPARED_PIXELS
    whole_end = len(data) - len(data) % len(block)
    # startswith() compares in place: no slice of the screen is copied.
    if not all(data.startswith(block, offset) for offset in range(0, whole_end, len(block))):
        return False
    return data.startswith(block[: len(data) - whole_end], whole_end)


def grab_visible(
    screen: ScreenSource,
    monitor: Monitor,
    *,
    environment: Mapping[str, str],
    platform: str = sys.platform,
    sleep: Callable[[float], None] = time.sleep,
) -> Pixels:
    """Return the pixels of a monitor, and never a black picture for one that could not be captured.

    A screen that changes its mode, wakes up or unlocks is black for a moment, so it is tried four times in 0.3 s.

    Raises:
        ControllerError: the display is gone.
        ObservationError: it stayed black or gave no picture; the text names the session and what to do.
    """
    why = ""
    for attempt in range(_TRIES):
        if attempt:
            sleep(_PAUSE_S * attempt)
        try:
            pixels = screen.grab(monitor)
        except ObservationError as exc:
            why = str(exc)
            continue
        if not is_black(pixels):
            return pixels
        why = f"monitor {monitor.number} is black all over"
    raise ObservationError(f"{why}, {_TRIES} times in a row; {explain_blank(environment, platform)}")
