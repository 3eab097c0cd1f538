"""The windows of an X display."""

from __future__ import annotations

import select
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.protocol import event

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.backend import WindowState
from harness.controllers.desktop.x11 import activation, window_order, window_properties
from harness.controllers.desktop.x11.activation import activate
from harness.controllers.desktop.x11.connection import display_errors
from harness.controllers.desktop.x11.questions import Questions, answered, xid_of
from harness.controllers.desktop.x11.window_order import WindowOrder, frames_of, read_order, shown_children
from harness.controllers.desktop.x11.window_properties import Margins, PropertyMemory, WindowProperties
from harness.errors import ControllerError
from harness.values.desktop import DesktopWindow, DeviceBox, window_line

FOCUS_S: Final = 2.0
# Not every window comes to the front: others may be kept above it.
_RAISE_S: Final = 0.25
# An event that another thread's question has taken from the socket wakes nobody.
_LOOK_AGAIN_S: Final = 0.05


class X11Windows:
    """Lists, watches and focuses windows. Any thread may call it; one question at a time."""

    def __init__(self, display: Display) -> None:
        """Begin to watch.

        Args:
            display: A connection of its own, whose events it takes; closed by `close`.
        """
        self._display = display
        self._lock = threading.RLock()
        self._numbers: dict[int, int] = {}
        self._last_number = 0
        with self._asking():
            self._questions = Questions(display, (*window_order.NAMES, *window_properties.NAMES, *activation.NAMES))
            self._properties = PropertyMemory(display, self._questions)
            display.screen().root.change_attributes(event_mask=X.PropertyChangeMask)

    def windows(self) -> tuple[DesktopWindow, ...]:
        """Return them front to back; a number stays with its window until that is destroyed.

        Raises:
            ControllerError: the display is gone.
        """
        with self._asking():
            order, listed = self._listed()
            boxes = self._boxes(tuple(listed))
            return tuple(
                self._described(window, order, properties, boxes[window])
                for window, properties in listed.items()
                if window in boxes
            )

    def state(self) -> WindowState:
        """Return which windows are open and which is active: two waits for the server.

        Raises:
            ControllerError: the display is gone.
        """
        with self._asking():
            order, listed = self._listed()
            active = [window for window in listed if _is_active(order, window, listed[window])]
            return WindowState(
                active=self._number(active[0]) if active else None,
                titles={self._number(window): said.title for window, said in listed.items()},
            )

    def popups(self) -> tuple[DeviceBox, ...]:
        """Return what stands in front of every window, front to back: menus, tooltips, then docks and notifications.

        Raises:
            ControllerError: the display is gone.
        """
        with self._asking():
            order, properties = self._everything()
            fittings = takewhile(lambda window: _is_shown_fitting(properties, window), order.windows)
            loose = [window for window, is_popup in shown_children(self._questions) if is_popup]
            boxes = self._visible((*loose, *fittings))
            # Some window managers keep others from their frames in the way that menus do.
            frames = frames_of(self._questions, order.windows) if order.has_manager and boxes else frozenset()
            return tuple(box for window, box in boxes.items() if window not in frames)

    def has_keyboard(self) -> bool:
        """Return whether any window has the keyboard.

        Raises:
            ControllerError: the display is gone.
        """
        with self._asking():
            focus = read_order(self._questions).focus
            return focus not in {X.NONE, X.PointerRoot, self._questions.root}

    def focus(self, window_id: int, deadline: Deadline) -> None:
        """Raise a window, restore it when it is minimized, and wait until it has the keyboard; 2 s at most.

        Raises:
            CallFailed: there is no such window (the text lists those there are), or it does not take the keyboard.
            ControllerError: the display is gone.
        """
        with self._asking():
            order, listed = self._listed()
            window = next((window for window in listed if self._number(window) == window_id), None)
            if window is None:
                raise CallFailed(f"there is no window {window_id}; {self._open_text()}")
            activate(self._display, self._questions, window, listed[window], order)
        waiting, raising = Deadline(min(FOCUS_S, deadline.left_s)), Deadline(_RAISE_S)
        while not self._has_taken_over(window, in_front=raising.left_s > 0):
            if waiting.left_s == 0:
                raise CallFailed(f"window {window_id} did not take the keyboard; {self._open_text()}")
            self._wait_for_event(waiting.left_s)

    def close(self) -> None:
        """Give the connection back; again is harmless."""
        with suppress(ControllerError), self._asking():
            self._display.close()

    @contextmanager
    def _asking(self) -> Iterator[None]:
        with self._lock, display_errors("looking at the windows"):
            yield

    def _everything(self) -> tuple[WindowOrder, dict[int, WindowProperties]]:
        order = read_order(self._questions)
        self._take_events()
        return order, self._properties.read(order.windows)

    def _listed(self) -> tuple[WindowOrder, dict[int, WindowProperties]]:
        order, properties = self._everything()
        return order, {window: said for window, said in properties.items() if said.role in {"window", "dialog"}}

    def _take_events(self) -> None:
        while self._display.pending_events():
            happened = self._display.next_event()
            self._properties.note(happened)
            if isinstance(happened, event.DestroyNotify):
                # Its X id may come back with another window, its number never does.
                self._numbers.pop(xid_of(happened.window), None)

    def _number(self, window: int) -> int:
        if window not in self._numbers:
            self._last_number += 1
            self._numbers[window] = self._last_number
        return self._numbers[window]

    def _described(self, window: int, order: WindowOrder, said: WindowProperties, box: DeviceBox) -> DesktopWindow:
        return DesktopWindow(
            id=self._number(window),
            title=said.title,
            app=said.app,
            box=box,
            is_active=_is_active(order, window, said),
            is_minimized=_is_hidden(order, said),
            process_id=said.process_id,
            kind=said.role,
            frame_box=box if not order.has_manager else _framed(box, said.margins),
        )

    def _boxes(self, windows: Sequence[int]) -> dict[int, DeviceBox]:
        """Return where windows stand, without their frames; one that is gone stands nowhere."""
        asked = [(window, self._questions.root_place(window), self._questions.geometry(window)) for window in windows]
        return {
            window: DeviceBox(x=place.x, y=place.y, width=size.width, height=size.height)
            for window, place, size in asked
            if answered(place) is not None and answered(size) is not None
        }

    def _visible(self, windows: Sequence[int]) -> dict[int, DeviceBox]:
        """Return where windows stand on the screen, but for those that cover all of it.

        A menu never does. What does is the sheet that a compositor draws on, which lets every click through.
        """
        screen = self._boxes((self._questions.root,))[self._questions.root]
        shown = {window: box.intersection(screen) for window, box in self._boxes(windows).items()}
        return {window: box for window, box in shown.items() if box is not None and box != screen}

    def _has_taken_over(self, window: int, *, in_front: bool) -> bool:
        """Return whether a window has the keyboard, and stands in front of the others if that is asked for.

        The window manager's word is not enough: it is old for as long as other changes wait in its queue.
        """
        with self._asking():
            self._take_events()
            order, listed = self._listed()
            if window not in listed or not _is_active(order, window, listed[window]):
                return False
            if in_front and window != next(iter(listed)):
                return False
            return bool(frames_of(self._questions, (order.focus,)) & frames_of(self._questions, (window,)))

    def _wait_for_event(self, limit_s: float) -> None:
        with self._asking():
            if self._display.pending_events():
                return
            connection = self._display.fileno()
        select.select([connection], [], [], min(limit_s, _LOOK_AGAIN_S))

    def _open_text(self) -> str:
        lines = [window_line(window) for window in self.windows()]
        return f"open are: {'; '.join(lines)}" if lines else "no window is open"


def _is_shown_fitting(properties: Mapping[int, WindowProperties], window: int) -> bool:
    said = properties.get(window)
    return said is not None and said.role == "fitting" and not said.is_hidden


def _framed(box: DeviceBox, margins: Margins | None) -> DeviceBox | None:
    if margins is None:
        return None
    return DeviceBox(
        x=box.x - margins.left,
        y=box.y - margins.top,
        width=box.width + margins.left + margins.right,
        height=box.height + margins.top + margins.bottom,
    )


def _is_hidden(order: WindowOrder, said: WindowProperties) -> bool:
    """Return whether a window is minimized or on a virtual desktop that is not shown."""
    is_elsewhere = None not in {said.desktop, order.desktop} and said.desktop != order.desktop
    return said.is_hidden or is_elsewhere


def _is_active(order: WindowOrder, window: int, said: WindowProperties) -> bool:
    """Return whether a window has the keyboard; managers call one active for a moment after it was minimized."""
    return window == order.active and not _is_hidden(order, said)
