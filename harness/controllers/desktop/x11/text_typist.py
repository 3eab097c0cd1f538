"""Types exact text by XTEST, in every layout: what the layout lacks goes over spare keys, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.x11.consumed import ConsumedWait
from harness.controllers.desktop.x11.keymap import Stroke
from harness.controllers.desktop.x11.keysyms import MODIFIER_SYMBOLS
from harness.controllers.desktop.x11.spare_keys import SpareKeys
from harness.controllers.desktop.x11.typing_plan import Batch, key_events, plan_batches
from harness.controllers.desktop.x11.xkb import XkbKeyboard

# No application is given more keys than this beyond those that it has handled.
_AHEAD: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Some keys that are pressed without a wait between them.

    Attributes:
        batch: The batch they belong to.
        strokes: The keys.
        is_first: Whether its batch begins here.
        must_be_taken: Whether the application has to have handled them before anything else happens.
    """

    batch: Batch
    strokes: tuple[Stroke, ...]
    is_first: bool
    must_be_taken: bool


class TextTypist:
    """Types text into whatever has the keyboard."""

    def __init__(self, display: Display, xkb: XkbKeyboard, spare_keys: SpareKeys, consumed: ConsumedWait) -> None:
        self._display = display
        self._xkb = xkb
        self._spare_keys = spare_keys
        self._consumed = consumed

    def type(self, text: str, locked: int, deadline: Deadline) -> None:
        """Type exactly `text`.

        Args:
            text: What `check_typable` accepts, line breaks as line feeds.
            locked: The modifiers that are locked meanwhile, as a mask; no other one is down.
            deadline: When to give up.

        Raises:
            CallFailed: the keyboard can't type a character (nothing was typed then), or the deadline came first.
        """
        keymap = self._xkb.read()
        direct = keymap.strokes(group=self._xkb.state().group, locked=locked)
        shift = next((direct[symbol].code for symbol in MODIFIER_SYMBOLS["Shift"] if symbol in direct), None)
        if shift is None:
            direct = {symbol: stroke for symbol, stroke in direct.items() if not stroke.is_shifted}
        spare_codes = self._spare_keys.codes(keymap)
        batches = plan_batches(text, direct=direct, spare_codes=spare_codes, has_shift=shift is not None)
        try:
            self._type_pieces(_pieces(batches), shift or 0, len(text), deadline)
        finally:
            self._spare_keys.take_back({code for batch in batches for code in batch.spare_keys})

    def _type_pieces(self, pieces: Iterator[Piece], shift: int, total: int, deadline: Deadline) -> None:
        sent = 0
        for piece in pieces:
            if deadline.left_s == 0:
                raise CallFailed(f"the deadline came first: {sent} of {total} characters were typed")
            if piece.is_first and piece.batch.spare_keys:
                self._spare_keys.lend(piece.batch.spare_keys)
            for is_down, code in key_events(piece.strokes, shift):
                xtest.fake_input(self._display, X.KeyPress if is_down else X.KeyRelease, code)
            self._display.sync()
            sent += len(piece.strokes)
            if piece.must_be_taken and not self._consumed.wait(deadline):
                raise CallFailed(
                    f"the window that has the keyboard does not respond: {sent} of {total} characters were sent to it, "
                    "and the last of them may come out wrong; look before you type again"
                )


def _pieces(batches: list[Batch]) -> Iterator[Piece]:
    for batch in batches:
        for start in range(0, len(batch.strokes), _AHEAD):
            is_last = batch is batches[-1] and start + _AHEAD >= len(batch.strokes)
            yield Piece(
                batch=batch,
                strokes=batch.strokes[start : start + _AHEAD],
                is_first=start == 0,
                must_be_taken=bool(batch.spare_keys) or not is_last,
            )
