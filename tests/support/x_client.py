"""A program with windows of any kind, which writes down the clicks that it gets."""

from __future__ import annotations

import select
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from Xlib import X, Xatom, Xutil
from Xlib.display import Display
from Xlib.protocol import event
from Xlib.xobject.drawable import Window

from harness.controllers.desktop.x11.connection import open_display

Box = tuple[int, int, int, int]
LIMIT_S = 20.0


class XClient:
    """One connection to a display, and windows that are plain rectangles of one colour."""

    def __init__(self, display: Display) -> None:
        self.display = display
        self.root = display.screen().root

    def atom(self, name: str) -> int:
        return self.display.intern_atom(name)

    def window(
        self,
        box: Box,
        *,
        title: str = "",
        colour: int = 0x3355AA,
        kind: str | None = None,
        parent: Window | None = None,
        is_popup: bool = False,
        is_focusable: bool = True,
        is_mapped: bool = True,
    ) -> Window:
        """Return a window; mapped ones are on the screen already, and where they were put."""
        x, y, width, height = box
        made = self.root.create_window(
            *(x, y, width, height, 0, self.display.screen().root_depth),
            background_pixel=colour,
            override_redirect=is_popup,
            event_mask=X.StructureNotifyMask | X.ButtonPressMask,
        )
        made.change_property(self.atom("_NET_WM_NAME"), self.atom("UTF8_STRING"), 8, title.encode())
        if kind is not None:
            self.set_atoms(made, "_NET_WM_WINDOW_TYPE", [f"_NET_WM_WINDOW_TYPE_{kind}"])
        if parent is not None:
            made.set_wm_transient_for(parent)
        made.set_wm_hints(flags=Xutil.InputHint, input=int(is_focusable))
        made.set_wm_normal_hints(flags=Xutil.PPosition | Xutil.USPosition)
        if is_mapped:
            made.map()
            self.wait_for_event(event.MapNotify)
        self.display.sync()
        return made

    def set_atoms(self, window: Window, name: str, values: Sequence[str]) -> None:
        window.change_property(self.atom(name), Xatom.ATOM, 32, [self.atom(value) for value in values])

    def minimize(self, window: Window) -> None:
        self.ask_manager(window, "WM_CHANGE_STATE", [Xutil.IconicState, 0, 0, 0, 0])
        self.wait_for_event(event.UnmapNotify)

    def ask_manager(self, window: Window, name: str, values: Sequence[int]) -> None:
        """Send the window manager a message about a window; it is obeyed later."""
        wanted = event.ClientMessage(window=window, client_type=self.atom(name), data=(32, list(values)))
        self.root.send_event(wanted, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self.display.sync()

    def destroy(self, window: Window) -> None:
        window.destroy()
        self.wait_for_event(event.DestroyNotify)

    def wait_for_event(self, kind: type) -> Any:
        """Return the next event of a kind; others before it are dropped."""
        end_s = time.monotonic() + LIMIT_S
        while True:
            while self.display.pending_events():
                happened = self.display.next_event()
                if isinstance(happened, kind):
                    return happened
            left_s = end_s - time.monotonic()
            if left_s <= 0:
                raise AssertionError(f"waited {LIMIT_S:.0f} s for {kind.__name__}")
            select.select([self.display.fileno()], [], [], left_s)


@contextmanager
def x_client(environment: Mapping[str, str]) -> Iterator[XClient]:
    """Return a client of a display; its windows go with it."""
    display = open_display(environment)
    try:
        yield XClient(display)
    finally:
        display.close()
