"""What an X server tells of its screen: what is painted (DAMAGE), windows that come and go, who has the keyboard."""

from __future__ import annotations

import contextlib
import os
import select
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from Xlib import X
from Xlib.display import Display
from Xlib.error import (
    ConnectionClosedError,
    DisplayConnectionError,
    DisplayNameError,
    XauthError,
    XError,
    XNoAuthError,
    xerror_class,
)
from Xlib.ext import damage
from Xlib.protocol import event, rq

from harness.errors import ControllerError
from harness.values.desktop import DeviceBox
from observers.settle.pings import Pings
from observers.settle.screen_events import (
    ActiveChanged,
    Closed,
    Painted,
    ScreenEvent,
    WindowHidden,
    WindowKind,
    WindowListed,
    WindowShown,
)

_CLIENTS: Final = "_NET_CLIENT_LIST"
_ACTIVE: Final = "_NET_ACTIVE_WINDOW"
_WINDOW_TYPE: Final = "_NET_WM_WINDOW_TYPE"
_TOOLTIP: Final = "_NET_WM_WINDOW_TYPE_TOOLTIP"
# Toolkits keep invisible helper windows of a few pixels.
_SMALLEST_PX: Final = 12
# A server that dies within an answer leaves python-xlib with empty buffers, hence TypeError and the like.
_GONE: Final = (ConnectionClosedError, OSError, AttributeError, TypeError)
_REFUSED: Final = (DisplayConnectionError, DisplayNameError, XauthError, XNoAuthError)


class DisplayEvents:
    """Hears of everything on one display, on a connection of its own that belongs to one thread."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Connect to the display that DISPLAY names; XAUTHORITY must be that of this process.

        Raises:
            ControllerError: it can't be watched.
        """
        with _display_errors():
            self._display = _connected(environment["DISPLAY"])
            self._root = self._display.screen().root
            # Answers to pings are sent to those who listen to either structure: GTK's to the one, Qt's to the other.
            structure = X.SubstructureNotifyMask | X.StructureNotifyMask
            self._root.change_attributes(event_mask=structure | X.PropertyChangeMask)
            self._damage = self._watch_painting()
            self._atoms = {
                name: self._display.intern_atom(name) for name in (_CLIENTS, _ACTIVE, _WINDOW_TYPE, _TOOLTIP)
            }
            self._clients = frozenset(self._read_windows(_CLIENTS))
            self._active = self._read_active()
        self.tells_painting = self._damage is not None
        self._pings = Pings(self._display)
        self._shown: dict[int, WindowShown] = {}
        self._wake_end, self._waker = os.pipe()

    def arm(self) -> None:
        """Forget what happened so far."""
        while select.select([self._wake_end], [], [], 0)[0]:
            os.read(self._wake_end, 64)
        self.wait(0)

    def question(self) -> tuple[ScreenEvent, ...]:
        """Ask the application of the active window for a sign of life."""
        with _display_errors():
            return tuple(self._pings.ask(self._active))

    def wait(self, limit_s: float) -> tuple[ScreenEvent, ...]:
        """Return what happened; wait for something, a wake-up or the limit when nothing has yet.

        Raises:
            ControllerError: the display is gone.
        """
        with _display_errors():
            if not self._display.pending_events():
                select.select([self._display.fileno(), self._wake_end], [], [], max(0.0, limit_s))
            happened = [told for received in self._received() for told in self._understood(received)]
            if self._damage is not None and any(isinstance(told, Painted) for told in happened):
                # From here on the same places are told again.
                damage.damage_subtract(self._root, self._damage, X.NONE, X.NONE)
                self._display.flush()
            return tuple(happened)

    def wake(self) -> None:
        """End a wait at once."""
        os.write(self._waker, b"\0")

    def close(self) -> None:
        """Give the connection back."""
        os.close(self._wake_end)
        os.close(self._waker)
        with contextlib.suppress(ControllerError), _display_errors():
            self._display.close()

    def _watch_painting(self) -> int | None:
        """Ask to be told what is painted: each place once, until it is subtracted, so that nothing piles up."""
        if not self._display.has_extension(damage.extname):
            return None
        damage.query_version(self._display)
        return damage.damage_create(self._root, damage.DamageReportDeltaRectangles)

    def _received(self) -> Iterator[rq.Event]:
        while self._display.pending_events():
            yield self._display.next_event()

    def _understood(self, received: rq.Event) -> Iterable[ScreenEvent]:
        match received:
            case _ if self._damage is not None and received.type == self._display.extension_event.DamageNotify:
                return (Painted(box=_box(received.area)),)
            case event.MapNotify():
                return self._shown_window(received)
            case event.UnmapNotify():
                hidden = self._shown.pop(_number(received.window), None)
                return () if hidden is None else (_hidden(hidden),)
            case event.PropertyNotify() if received.atom == self._atoms[_CLIENTS]:
                return tuple(self._listed())
            case event.PropertyNotify() if received.atom == self._atoms[_ACTIVE]:
                return tuple(self._activated())
            case event.ClientMessage():
                return self._pings.answers(received)
            case _:
                return ()

    def _shown_window(self, mapped: rq.Event) -> Iterable[ScreenEvent]:
        window = self._display.create_resource_object("window", _number(mapped.window))
        try:
            place, attributes = window.get_geometry(), window.get_attributes()
        except XError:
            return ()
        if attributes.win_class == X.InputOnly or min(place.width, place.height) < _SMALLEST_PX:
            return ()
        shown = WindowShown(window=window.id, box=_box(place), kind=self._kind(mapped))
        self._shown[shown.window] = shown
        return (shown,)

    def _kind(self, mapped: rq.Event) -> WindowKind:
        if not mapped.override:
            return "window"
        types = self._read_property(_number(mapped.window), _WINDOW_TYPE)
        return "tooltip" if self._atoms[_TOOLTIP] in types else "popup"

    def _listed(self) -> Iterator[ScreenEvent]:
        before, self._clients = self._clients, frozenset(self._read_windows(_CLIENTS))
        if self._clients - before:
            yield WindowListed()
        for window in before - self._clients:
            self._pings.drop(window)
            yield Closed(window=window)

    def _activated(self) -> Iterator[ScreenEvent]:
        before, self._active = self._active, self._read_active()
        if self._active not in {before, X.NONE}:
            yield ActiveChanged()
            yield from self._pings.ask(self._active)

    def _read_active(self) -> int:
        return next(iter(self._read_windows(_ACTIVE)), X.NONE)

    def _read_windows(self, name: str) -> Sequence[int]:
        return self._read_property(self._root.id, name)

    def _read_property(self, window: int, name: str) -> Sequence[int]:
        try:
            found = self._display.create_resource_object("window", window).get_full_property(
                self._atoms[name], X.AnyPropertyType
            )
        except XError:
            return ()
        return () if found is None else tuple(found.value)


def _connected(name: str) -> Display:
    display = Display(name)
    # With each connection python-xlib's RANDR extension takes the numbers of BadRequest and BadValue, for all of them.
    display.display.error_classes.update(xerror_class)
    display.set_error_handler(_ignore)
    return display


@contextmanager
def _display_errors() -> Iterator[None]:
    try:
        yield
    except (XError, *_GONE, *_REFUSED) as exc:
        raise ControllerError(f"the display can't be watched: {exc}; is it still there?") from exc


def _ignore(error: XError, request: rq.Request | None) -> int:
    """Let a request to a window that has just gone fail in silence."""
    del error, request
    return 1


def _number(window: object) -> int:
    return window if isinstance(window, int) else int(getattr(window, "id", X.NONE))


def _box(place: Any) -> DeviceBox:  # Any: replies and events of python-xlib have no common type
    return DeviceBox(x=place.x, y=place.y, width=place.width, height=place.height)


def _hidden(shown: WindowShown) -> WindowHidden:
    return WindowHidden(window=shown.window, box=shown.box, kind=shown.kind)
