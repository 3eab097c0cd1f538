"""What X windows say about themselves, remembered until they say otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from Xlib import X
from Xlib.display import Display
from Xlib.protocol import event, request, rq

from harness.controllers.desktop.x11.questions import Questions, answered, bytes_of, words_of, xid_of
from harness.controllers.desktop.x11.window_text import app_name, decode_text

READ: Final = (
    "_NET_WM_NAME",
    "WM_NAME",
    "WM_CLASS",
    "_NET_WM_PID",
    "_NET_WM_STATE",
    "WM_STATE",
    "_NET_WM_WINDOW_TYPE",
    "WM_TRANSIENT_FOR",
    "_NET_WM_DESKTOP",
    "_NET_FRAME_EXTENTS",
    "_GTK_FRAME_EXTENTS",
)
_DIALOG: Final = "_NET_WM_WINDOW_TYPE_DIALOG"
_BACKGROUND: Final = "_NET_WM_WINDOW_TYPE_DESKTOP"
_FITTINGS: Final = ("_NET_WM_WINDOW_TYPE_DOCK", "_NET_WM_WINDOW_TYPE_NOTIFICATION", "_NET_WM_WINDOW_TYPE_TOOLTIP")
_HIDDEN: Final = "_NET_WM_STATE_HIDDEN"
_TEXT_TYPES: Final = ("UTF8_STRING", "COMPOUND_TEXT")
NAMES: Final = (*READ, _DIALOG, _BACKGROUND, *_FITTINGS, _HIDDEN, *_TEXT_TYPES)
_ICONIC: Final = 3
_SIDES: Final = 4
_EVERY_DESKTOP: Final = 0xFFFFFFFF
Role = Literal["window", "dialog", "fitting", "background"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Margins:
    """What a frame adds to a window on each side, in pixels; below 0 where the window itself draws a shadow."""

    left: int = 0
    right: int = 0
    top: int = 0
    bottom: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowProperties:
    """What one window says.

    Attributes:
        title: Its title; hostile.
        app: Its application; hostile.
        process_id: The process that it says it belongs to, or None.
        role: `window` or `dialog` for what a person would call a window; `fitting` for a dock or a notification;
            `background` for the desktop itself.
        is_hidden: Whether it is minimized.
        desktop: The virtual desktop that it is on, or None when it is on all of them.
        margins: Its frame, or None when nobody says.
    """

    title: str
    app: str
    process_id: int | None
    role: Role
    is_hidden: bool
    desktop: int | None
    margins: Margins | None


class PropertyMemory:
    """Reads properties once and again when their window says that one changed."""

    def __init__(self, display: Display, questions: Questions) -> None:
        self._display = display
        self._questions = questions
        self._known: dict[int, WindowProperties] = {}
        self._watched: set[int] = set()
        self._relevant = {questions.atoms[name] for name in READ}
        self._text_types = {questions.atoms[name]: name for name in _TEXT_TYPES}

    def read(self, windows: Sequence[int]) -> dict[int, WindowProperties]:
        """Return what windows say, in their order; one that is gone is left out."""
        fresh = [window for window in windows if window not in self._known]
        self._watch([window for window in fresh if window not in self._watched])
        answers = {window: self._ask(window) for window in fresh}
        for window in fresh:
            if answered(answers[window]["WM_CLASS"]) is None:
                self._watched.discard(window)
            else:
                self._known[window] = self._parsed(answers[window])
        return {window: self._known[window] for window in windows if window in self._known}

    def note(self, happened: rq.Event) -> None:
        """Forget what an event makes untrue."""
        if isinstance(happened, event.PropertyNotify) and happened.atom in self._relevant:
            self._known.pop(xid_of(happened.window), None)
        elif isinstance(happened, event.DestroyNotify):
            gone = xid_of(happened.window)
            self._known.pop(gone, None)
            self._watched.discard(gone)

    def _watch(self, windows: Sequence[int]) -> None:
        """Ask for events before anything is read, so that no change is missed."""
        for window in windows:
            self._watched.add(window)
            self._display.create_resource_object("window", window).change_attributes(
                onerror=ignore, event_mask=X.PropertyChangeMask | X.StructureNotifyMask
            )

    def _ask(self, window: int) -> dict[str, request.GetProperty]:
        return {name: self._questions.property(window, name) for name in READ}

    def _parsed(self, answers: Mapping[str, request.GetProperty]) -> WindowProperties:
        atoms = self._questions.atoms
        words = {name: words_of(answers[name]) for name in READ if name not in {"WM_NAME", "_NET_WM_NAME", "WM_CLASS"}}
        desktop = _first(words["_NET_WM_DESKTOP"])
        return WindowProperties(
            title=self._text(answers["_NET_WM_NAME"]) or self._text(answers["WM_NAME"]),
            app=app_name(bytes_of(answers["WM_CLASS"])[1]),
            process_id=_first(words["_NET_WM_PID"]),
            role=self._role(words),
            is_hidden=atoms[_HIDDEN] in words["_NET_WM_STATE"] or _first(words["WM_STATE"]) == _ICONIC,
            desktop=None if desktop == _EVERY_DESKTOP else desktop,
            margins=_margins(words["_NET_FRAME_EXTENTS"], words["_GTK_FRAME_EXTENTS"]),
        )

    def _role(self, words: Mapping[str, Sequence[int]]) -> Role:
        atoms, types = self._questions.atoms, words["_NET_WM_WINDOW_TYPE"]
        if atoms[_BACKGROUND] in types:
            return "background"
        if any(atoms[name] in types for name in _FITTINGS):
            return "fitting"
        is_dialog = atoms[_DIALOG] in types or bool(words["WM_TRANSIENT_FOR"])
        return "dialog" if is_dialog else "window"

    def _text(self, answer: request.GetProperty) -> str:
        kind, data = bytes_of(answer)
        return decode_text(self._text_types.get(kind, "STRING"), data)


def _margins(frame: Sequence[int], shadow: Sequence[int]) -> Margins | None:
    if len(frame) != _SIDES and len(shadow) != _SIDES:
        return None
    outside = frame if len(frame) == _SIDES else (0,) * _SIDES
    inside = shadow if len(shadow) == _SIDES else (0,) * _SIDES
    left, right, top, bottom = (out - within for out, within in zip(outside, inside, strict=True))
    return Margins(left=left, right=right, top=top, bottom=bottom)


def _first(words: Sequence[int]) -> int | None:
    return words[0] if words else None


def ignore(*_: object) -> int:
    """Take an X error for handled: the window is gone, which its next answer says."""
    return 1
