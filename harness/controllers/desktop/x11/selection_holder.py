"""The owner of the clipboard as the X server sees it. Belongs to one thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.protocol import event, request, rq

from harness.controllers.desktop.x11.questions import xid_of
from harness.controllers.desktop.x11.selection_answers import Offer, SelectionAnswers

CLIPBOARD: Final = "CLIPBOARD"
_STAMP: Final = "_TRANSOM_TIME"


class SelectionHolder:
    """Takes the clipboard, answers for it and notices when another program takes it.

    Attributes:
        offer: What we hold, or None.
    """

    def __init__(self, display: Display, on_asked: Callable[[int, bool], None]) -> None:
        """Hold nothing.

        Args:
            display: A connection whose events nobody else takes.
            on_asked: Called for each question with the window of who asked, and whether that gave them a whole text.
        """
        self.offer: Offer | None = None
        self._display = display
        self._on_asked = on_asked
        self._answers = SelectionAnswers(display)
        self._clipboard = display.intern_atom(CLIPBOARD)
        self._stamp = display.intern_atom(_STAMP)
        self._window = display.screen().root.create_window(
            *(-1, -1, 1, 1, 0, X.CopyFromParent), window_class=X.InputOnly, event_mask=X.PropertyChangeMask
        )

    def take(self, text: str, forms: Mapping[str, tuple[str, bytes]]) -> bool:
        """Become the owner with a text; return False when another program does not let go."""
        now = self._server_time()
        self._window.set_selection_owner(self._clipboard, now)
        is_ours: bool = xid_of(self._display.get_selection_owner(self._clipboard)) == self._window.id
        self.offer = Offer(text=text, forms=forms, since=now) if is_ours else None
        return is_ours

    def drop(self) -> None:
        """Leave the clipboard empty, unless another program holds it."""
        if self.offer is not None:
            # python-xlib has this request for windows alone, and no window is meant.
            request.SetSelectionOwner(
                display=self._display.display, window=X.NONE, selection=self._clipboard, time=self._server_time()
            )
            self._display.sync()
            self.offer = None

    def handle_events(self) -> None:
        """Answer everything that was asked by now."""
        while self._display.pending_events():
            self._handle(self._display.next_event())

    def _server_time(self) -> int:
        """Return the server's time, which it tells with the change of a property."""
        self._window.change_property(self._stamp, Xatom.INTEGER, 32, [0])
        while True:
            happened = self._display.next_event()
            is_told = isinstance(happened, event.PropertyNotify) and happened.window.id == self._window.id
            if is_told and happened.atom == self._stamp:
                return int(happened.time)
            self._handle(happened)

    def _handle(self, happened: rq.Event) -> None:
        if isinstance(happened, event.SelectionRequest):
            self._on_asked(happened.requestor.id, self._answers.answer(happened, self.offer))
        elif isinstance(happened, event.PropertyNotify):
            self._on_asked(happened.window.id, self._answers.part_taken(happened))
        elif isinstance(happened, event.DestroyNotify):
            self._answers.requestor_gone(happened)
        elif isinstance(happened, event.SelectionClear) and self.offer is not None:
            # An older one is about an earlier offer.
            self.offer = self.offer if happened.time < self.offer.since else None
