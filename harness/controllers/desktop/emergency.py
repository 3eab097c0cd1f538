"""A person's way to take the device back: a key chord, and the pointer held in the corner of the desktop."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from harness.controllers.desktop.corner import CornerRule
from harness.errors import ControllerError, EmergencyStop
from harness.values.geometry import DevicePoint

TICK_S: Final = 0.1
_END_S: Final = 2.0
# A server that dies within an answer leaves python-xlib with empty buffers, hence TypeError and the like.
_LOST: Final = (ControllerError, OSError, AttributeError, TypeError)
_ORIGIN: Final = DevicePoint(x=0, y=0)
_NO_CHORD: Final = (
    "no key chord can stop the agent on this system; hold the pointer in the top-left corner of the desktop for a "
    "second instead"
)
PointerPosition = Callable[[], DevicePoint]
logger = logging.getLogger(__name__)


class Person(Protocol):
    """Senses what a person does. Called from one thread, but for `wake`.

    Attributes:
        notice: What the person can't do here, in a sentence, or None.
    """

    notice: str | None

    def is_pressed_within(self, limit_s: float) -> bool:
        """Wait for the chord, a wake-up or the limit, and return whether the chord was pressed."""
        ...

    def position(self) -> DevicePoint:
        """Return where the pointer is."""
        ...

    def wake(self) -> None:
        """End a wait at once; any thread may ask."""
        ...

    def close(self) -> None:
        """Give everything back."""
        ...


class EmergencyWatch:
    """Watches for a person on a real desktop, in a thread of its own. Every method may be called from any thread.

    A chord stops whoever pressed it, the agent too. The corner stops only for a person: every move that the agent is
    about to make is told by `note_own_move`.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        pointer_position: PointerPosition | None,
        *,
        corner: DevicePoint = _ORIGIN,
    ) -> None:
        """Watch nothing yet.

        Args:
            environment: Variables of the desktop; on X11 DISPLAY and XAUTHORITY are read.
            pointer_position: Tells the pointer's place from any thread; None on X11, which is asked for it anyway.
            corner: The top-left corner of the desktop, in device units.
        """
        self._environment = environment
        self._pointer_position = pointer_position
        self._rule = CornerRule(corner)
        self._person: Person | None = None
        self._thread: threading.Thread | None = None
        self._is_over = threading.Event()
        self._reason: str | None = None
        self._notice: str | None = None

    @property
    def notice(self) -> str | None:
        """What a person can't do to stop the agent, in a sentence; None when both ways work."""
        return self._notice if self._person is None else self._person.notice

    def start(self, on_stop: Callable[[], None]) -> None:
        """Begin to watch; never raises: what can't be watched is said by `notice`.

        Args:
            on_stop: Called once, in the watch's thread, when a person takes the device back.
        """
        assert self._thread is None, "the watch runs already"
        try:
            person = self._sense()
        except ControllerError as exc:
            self._notice = f"nothing but the end of the program can stop the agent: {exc}"
            return
        self._person = person
        self._thread = threading.Thread(target=self._watch, args=(person, on_stop), name="emergency", daemon=True)
        self._thread.start()

    def note_own_move(self, point: DevicePoint) -> None:
        """Note that the agent is about to move the pointer to a point."""
        self._rule.note_own_move(point, time.monotonic())

    def check(self) -> None:
        """Raise `EmergencyStop` once a person has taken the device back."""
        if self._reason is not None:
            raise EmergencyStop(f"a person took the device back: {self._reason}; start a new session to go on")

    def stop(self) -> None:
        """Watch no more; again is harmless. A stop that has happened stays one."""
        self._is_over.set()
        thread, self._thread = self._thread, None
        if thread is None:
            return
        if self._person is not None:
            self._person.wake()
        if thread is not threading.current_thread():
            thread.join(_END_S)
            if thread.is_alive():  # a display that does not answer holds it; the connection goes with the process
                return
        person, self._person = self._person, None
        if person is not None:
            self._notice = person.notice
            person.close()

    def _sense(self) -> Person:
        if sys.platform == "linux" and self._environment.get("DISPLAY"):
            from harness.controllers.desktop.stop_key import X11Person  # noqa: PLC0415  # a driver of one system

            return X11Person(self._environment)
        if self._pointer_position is None:
            raise ControllerError("there is no display, and no way to tell where the pointer is")
        return PolledPerson(self._pointer_position)

    def _watch(self, person: Person, on_stop: Callable[[], None]) -> None:
        try:
            self._reason = self._wait(person)
        except _LOST as exc:
            logger.warning("the emergency stop no longer works: %s", exc)
            return
        if self._reason is not None:
            on_stop()

    def _wait(self, person: Person) -> str | None:
        """Return how a person took the device back, or None when the watch was ended."""
        while not self._is_over.is_set():
            if person.is_pressed_within(TICK_S):
                return "the stop keys were pressed"
            if self._rule.is_held(person.position(), time.monotonic()):
                return "the pointer was held in the corner"
        return None


class PolledPerson:
    """Senses a person by the pointer's place alone."""

    def __init__(self, pointer_position: PointerPosition) -> None:
        self.notice: str | None = _NO_CHORD
        self.position = pointer_position
        self._woken = threading.Event()

    def is_pressed_within(self, limit_s: float) -> bool:
        """Wait for the limit or a wake-up; there is no chord."""
        self._woken.wait(limit_s)
        return False

    def wake(self) -> None:
        """End a wait at once."""
        self._woken.set()

    def close(self) -> None:
        """Give nothing back."""
