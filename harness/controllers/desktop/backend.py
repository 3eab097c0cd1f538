"""What a desktop controller needs of an operating system. One implementation for each way of driving it.

Every method blocks for milliseconds and is called from one thread, in order. Any thread may call four of them:
`ScreenSource.grab`, `WindowSystem.windows` and `popups`, and, where there is no X display, `PointerInput.position`.
A display that is gone is a `ControllerError` from any of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from harness.controllers.deadline import Deadline
from harness.protocols import Pixels
from harness.values.action import Button
from harness.values.desktop import DesktopWindow, DeviceBox, Monitor
from harness.values.geometry import DevicePoint


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowState:
    """What is compared between the calls of a step.

    Attributes:
        active: The window that has the keyboard, or None.
        titles: The titles of the open windows by their ids; the applications' text.
    """

    active: int | None
    titles: Mapping[int, str]


class PointerInput(Protocol):
    """The pointer, in device units of the whole desktop."""

    def move(self, to: DevicePoint) -> None:
        """Move to a point at once."""
        ...

    def press(self, button: Button) -> None:
        """Press a button where the pointer is."""
        ...

    def release(self, button: Button) -> None:
        """Release a button."""
        ...

    def turn_wheel(self, dx: int, dy: int) -> None:
        """Turn the wheel where the pointer is: clicks to the right and down, negative to the left and up."""
        ...

    def position(self) -> DevicePoint:
        """Return where the pointer is."""
        ...


class KeyboardInput(Protocol):
    """The keyboard. Key names are canonical: `Control`, `Enter`, `ArrowLeft`, `F5`, or one character."""

    def unknown_keys(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the names of a chord that this keyboard does not have."""
        ...

    def known_names(self) -> str:
        """Return the names it has, for an error text."""
        ...

    def press(self, key: str) -> None:
        """Press a key down."""
        ...

    def release(self, key: str) -> None:
        """Release a key."""
        ...

    def type_text(self, text: str, *, may_paste: bool, deadline: Deadline) -> None:
        """Type exactly `text` into whatever has the keyboard.

        Args:
            text: Any Unicode text; line breaks are typed as Enter, tabs as Tab.
            may_paste: Whether the focused element takes a paste, so that long text may go through the clipboard, which
                is restored afterwards.
            deadline: When to give up.

        Raises:
            CallFailed: characters can't be typed (named in the text; nothing was typed), or the deadline came first
                (the text says how much was typed).
        """
        ...


class Clipboard(Protocol):
    """The text on the clipboard."""

    def read(self) -> str:
        """Return it; empty when there is none.

        Raises:
            CallFailed: the clipboard holds something that is no text, or its owner does not answer.
        """
        ...

    def write(self, text: str) -> None:
        """Replace it; it stays readable while the device is open.

        Raises:
            CallFailed: it can't be taken over.
        """
        ...


class WindowSystem(Protocol):
    """The open windows."""

    def windows(self) -> tuple[DesktopWindow, ...]:
        """Return them front to back; ids stay with their windows."""
        ...

    def focus(self, window_id: int, deadline: Deadline) -> None:
        """Raise a window, give it the keyboard and wait until it has it.

        Raises:
            CallFailed: there is no such window (the text lists those there are), or it does not take the keyboard.
        """
        ...

    def has_keyboard(self) -> bool:
        """Return whether any window has the keyboard."""
        ...

    def popups(self) -> tuple[DeviceBox, ...]:
        """Return what stands in front of every window: open menus and tooltips, front to back. Any thread may ask."""
        ...

    def state(self) -> WindowState:
        """Return which windows are open and which is active, in a millisecond or two."""
        ...


class ScreenSource(Protocol):
    """The monitors and their pixels."""

    def monitors(self) -> tuple[Monitor, ...]:
        """Return the whole desktop (number 0) and each monitor."""
        ...

    def grab(self, monitor: Monitor) -> Pixels:
        """Return the pixels of a monitor now; more pixels than device units on a scaled one.

        Raises:
            ObservationError: the system gave no picture.
        """
        ...


class Backend(Protocol):
    """One way of driving a desktop."""

    @property
    def name(self) -> str:
        """For example `x11` or `pyautogui`."""
        ...

    @property
    def pointer(self) -> PointerInput:
        """The pointer."""
        ...

    @property
    def keyboard(self) -> KeyboardInput:
        """The keyboard."""
        ...

    @property
    def clipboard(self) -> Clipboard:
        """The clipboard."""
        ...

    @property
    def windows(self) -> WindowSystem:
        """The windows."""
        ...

    @property
    def screen(self) -> ScreenSource:
        """The monitors."""
        ...

    def release_all(self) -> None:
        """Release every held key and button, whoever left them down; safe at any time."""
        ...

    def close(self) -> None:
        """Give everything back."""
        ...
