"""Asking for a window to come to the front and get the keyboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.protocol import event
from Xlib.xobject.drawable import Window

from harness.controllers.desktop.x11.questions import Questions
from harness.controllers.desktop.x11.window_order import WindowOrder
from harness.controllers.desktop.x11.window_properties import WindowProperties, ignore

_ACTIVATE: Final = "_NET_ACTIVE_WINDOW"
_SHOW_DESKTOP: Final = "_NET_CURRENT_DESKTOP"
NAMES: Final = (_ACTIVATE, _SHOW_DESKTOP)
# As a pager asks: managers that guard the focus from programs obey it.
_FROM_A_PAGER: Final = 2


def activate(display: Display, questions: Questions, window: int, said: WindowProperties, order: WindowOrder) -> None:
    """Ask for a window to be shown, raised and given the keyboard; whoever manages windows does it later, or not."""
    target = display.create_resource_object("window", window)
    if not order.has_manager:
        target.configure(onerror=ignore, stack_mode=X.Above)
        target.set_input_focus(X.RevertToParent, X.CurrentTime, onerror=ignore)
        display.flush()
        return
    root = display.screen().root
    if said.desktop is not None and said.desktop != order.desktop:
        # Some managers only mark a window on a virtual desktop that is not shown.
        _ask_manager(root, root, questions.atoms[_SHOW_DESKTOP], (said.desktop, X.CurrentTime))
    _ask_manager(root, target, questions.atoms[_ACTIVATE], (_FROM_A_PAGER, X.CurrentTime))
    display.flush()


def _ask_manager(root: Window, about: Window, message: int, values: Sequence[int]) -> None:
    words = [*values, 0, 0, 0, 0, 0][:5]
    wanted = event.ClientMessage(window=about, client_type=message, data=(32, words))
    root.send_event(wanted, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
