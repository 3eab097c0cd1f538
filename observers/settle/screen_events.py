"""What happens on a screen, as the quiet rule hears of it. Boxes are in device units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.values.desktop import DeviceBox

# A popup is a menu, a list or the like, which no window manager handles.
WindowKind = Literal["window", "popup", "tooltip"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """The picture differs from the one before inside `box`."""

    box: DeviceBox


@dataclass(frozen=True, slots=True, kw_only=True)
class Painted:
    """An application painted inside `box`; the picture may look the same."""

    box: DeviceBox


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowShown:
    """A window appeared at `box`, its frame included."""

    window: int
    box: DeviceBox
    kind: WindowKind


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowHidden:
    """A window that stood at `box` went away."""

    window: int
    box: DeviceBox
    kind: WindowKind


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowListed:
    """The window manager lists a window more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveChanged:
    """Another window has the keyboard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The application of a window was asked for a sign of life.

    Attributes:
        window: The window.
        is_sure: Whether the application is known to answer when it can.
    """

    window: int
    is_sure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The application of a window has dealt with everything that came before the question."""

    window: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """A window is no more: it answers no question."""

    window: int


Conversation = Asked | Answered | Closed
ScreenEvent = Changed | Painted | WindowShown | WindowHidden | WindowListed | ActiveChanged | Conversation
