"""Questions to an X server: many are on their way before the first answer is read, so a hundred cost one wait."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from Xlib import X
from Xlib.display import Display
from Xlib.error import XError
from Xlib.protocol import request, rq
from Xlib.xobject.drawable import Window

Answer = TypeVar("Answer", bound=rq.ReplyRequest)
# 4 bytes each; enough for every list of windows, and more than anybody reads of a title.
_MOST_WORDS: Final = 4096


class Questions:
    """Asks about windows by their X ids. The caller reads each answer with `answered`."""

    def __init__(self, display: Display, names: Iterable[str]) -> None:
        """Learn the atoms of the properties, types and states that will be named."""
        self._display = display.display
        self.root: Final[int] = display.screen().root.id
        asked = {
            name: request.InternAtom(display=self._display, defer=True, name=name, only_if_exists=False)
            for name in names
        }
        self.atoms: Final[dict[str, int]] = {name: _atom(answer) for name, answer in asked.items()}

    def property(self, window: int, name: str) -> request.GetProperty:
        """Ask for a property."""
        return request.GetProperty(
            display=self._display,
            defer=True,
            delete=False,
            window=window,
            property=self.atoms[name],
            type=X.AnyPropertyType,
            long_offset=0,
            long_length=_MOST_WORDS,
        )

    def attributes(self, window: int) -> request.GetWindowAttributes:
        """Ask whether a window is mapped, and more."""
        return request.GetWindowAttributes(display=self._display, defer=True, window=window)

    def geometry(self, window: int) -> request.GetGeometry:
        """Ask for a window's size, and its place in its parent."""
        return request.GetGeometry(display=self._display, defer=True, drawable=window)

    def root_place(self, window: int) -> request.TranslateCoords:
        """Ask where a window's top left corner stands on the desktop."""
        return request.TranslateCoords(
            display=self._display, defer=True, src_wid=window, dst_wid=self.root, src_x=0, src_y=0
        )

    def tree(self, window: int) -> request.QueryTree:
        """Ask for a window's parent and its children, bottom first."""
        return request.QueryTree(display=self._display, defer=True, window=window)

    def focus(self) -> request.GetInputFocus:
        """Ask which window has the keyboard."""
        return request.GetInputFocus(display=self._display, defer=True)


def answered(answer: Answer) -> Answer | None:
    """Wait for an answer and return it; None when the window is gone."""
    try:
        answer.reply()
    except XError:
        return None
    return answer


def _atom(answer: request.InternAtom) -> int:
    answer.reply()
    return int(answer.atom)


def xid_of(window: Window | int) -> int:
    """Return the X id of a window as an answer names it: python-xlib leaves special ones as plain numbers."""
    return window if isinstance(window, int) else window.id


def words_of(answer: request.GetProperty) -> tuple[int, ...]:
    """Return the 32-bit values of a property; none when it is absent, of another format, or its window is gone."""
    if answered(answer) is None or not answer.property_type:
        return ()
    width, values = answer.value
    return tuple(values) if width == 32 else ()


def bytes_of(answer: request.GetProperty) -> tuple[int, bytes]:
    """Return the type and the bytes of a property; 0 and none when it is absent or its window is gone."""
    if answered(answer) is None or not answer.property_type:
        return 0, b""
    width, values = answer.value
    return (int(answer.property_type), bytes(values)) if width == 8 else (0, b"")
