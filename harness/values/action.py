"""Neutral GUI actions: what a controller is asked to do, after parsing and before the device.

Points are pixels of the decision frame; the controller converts them by that frame's transform.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.values.geometry import FramePoint
from harness.values.mark import Mark

Button = Literal["left", "middle", "right"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where an action lands: a point, and the mark it came from when the call named one."""

    point: FramePoint
    mark: Mark | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """Press and release `button` `count` times at the target while `keys` are held."""

    target: Target
    button: Button = "left"
    count: int = 1
    keys: tuple[str, ...] = ()
    kind: Literal["click"] = "click"


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Move the pointer to the target."""

    target: Target
    kind: Literal["move"] = "move"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hover:
    """Move the pointer to the target and let hover effects settle (web)."""

    target: Target
    kind: Literal["hover"] = "hover"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drag:
    """Press at the first target, move through the others and release at the last while `keys` are held."""

    path: tuple[Target, ...]
    keys: tuple[str, ...] = ()
    kind: Literal["drag"] = "drag"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scroll:
    """Turn the wheel at the target: `dx` and `dy` in wheel clicks, positive is right and down."""

    target: Target
    dx: int = 0
    dy: int = 0
    kind: Literal["scroll"] = "scroll"


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeText:
    """Type `text` exactly, into the target when there is one, else into the focused element."""

    text: str
    target: Target | None = None
    kind: Literal["type_text"] = "type_text"


@dataclass(frozen=True, slots=True, kw_only=True)
class PressKeys:
    """Press `keys` as one chord: all down in order, all up in reverse. Names are canonical (`Control`, `a`)."""

    keys: tuple[str, ...]
    kind: Literal["press_keys"] = "press_keys"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Do nothing for `duration_s` seconds."""

    duration_s: float
    kind: Literal["wait"] = "wait"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Do nothing but return a fresh frame."""

    kind: Literal["look"] = "look"


@dataclass(frozen=True, slots=True, kw_only=True)
class Navigate:
    """Open `url` in the active page (web)."""

    url: str
    kind: Literal["navigate"] = "navigate"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoBack:
    """Go one page back in the history (web)."""

    kind: Literal["go_back"] = "go_back"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoForward:
    """Go one page forward in the history (web)."""

    kind: Literal["go_forward"] = "go_forward"


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectOption:
    """Choose the option with that label or value in a select element (web)."""

    target: Target
    value: str
    kind: Literal["select_option"] = "select_option"


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Start an application by a name of the allow-list (desktop); never a command line."""

    app: str
    kind: Literal["launch"] = "launch"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListWindows:
    """List the open windows, front to back (desktop)."""

    kind: Literal["list_windows"] = "list_windows"


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusWindow:
    """Raise a window and give it the keyboard (desktop). `window` is a number of the observation."""

    window: int
    kind: Literal["focus_window"] = "focus_window"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadClipboard:
    """Return the text on the clipboard (desktop)."""

    kind: Literal["read_clipboard"] = "read_clipboard"


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteClipboard:
    """Put `text` on the clipboard (desktop)."""

    text: str
    kind: Literal["write_clipboard"] = "write_clipboard"


PointerAction = Click | Move | Drag | Scroll
WebAction = Hover | Navigate | GoBack | GoForward | SelectOption
DesktopAction = Launch | ListWindows | FocusWindow | ReadClipboard | WriteClipboard
ReadingAction = Wait | Look | ListWindows | ReadClipboard
"""Actions that do nothing to the device: no overlay shows them."""
Action = PointerAction | WebAction | DesktopAction | TypeText | PressKeys | Wait | Look


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceCall:
    """One action that a tool call asked for."""

    call_id: str
    action: Action


def action_targets(action: Action) -> tuple[Target, ...]:
    """Return the places an action touches, in order; empty for actions without a place."""
    match action:
        case Drag():
            return action.path
        case Click() | Move() | Hover() | Scroll() | SelectOption():
            return (action.target,)
        case TypeText():
            return () if action.target is None else (action.target,)
        case _:
            return ()
