"""Holds a text on the clipboard of an X display, and answers those who paste, in a thread of its own."""

from __future__ import annotations

import os
import select
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from harness.controllers.aim import CallFailed
from harness.controllers.desktop.x11.connection import display_errors, open_display
from harness.controllers.desktop.x11.selection_formats import encode_text
from harness.controllers.desktop.x11.selection_holder import SelectionHolder
from harness.errors import ControllerError


class SelectionOwner:
    """Holds a text on the clipboard for as long as it is open. Any thread may call it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Connect and hold nothing.

        Raises:
            ControllerError: there is no such display, or it is gone.
        """
        self._display = open_display(environment)
        self._program_bits = ~self._display.display.info.resource_id_mask
        self._lock = threading.Lock()
        self._asked = threading.Condition()
        self._times_given: Counter[int] = Counter()
        self._asked_at_s: dict[int, float] = {}
        with display_errors("preparing the clipboard"):
            self._holder = SelectionHolder(self._display, self._note_asked)
            self._socket = self._display.fileno()
        self._wake_end, self._waker = os.pipe()
        self._is_over = False
        self._thread = threading.Thread(target=self._serve, name="clipboard", daemon=True)
        self._thread.start()

    def hold(self, text: str, *, is_secret: bool = False) -> None:
        """Put a text on the clipboard.

        Args:
            text: The text.
            is_secret: Whether clipboard managers are asked not to remember it.

        Raises:
            CallFailed: the text holds halves of surrogate pairs, or another program keeps the clipboard.
            ControllerError: the display is gone.
        """
        try:
            forms = encode_text(text, is_secret=is_secret)
        except UnicodeEncodeError as exc:
            raise CallFailed(f"the clipboard can't hold half of a surrogate pair, at place {exc.start}") from exc
        with self._holding() as holder:
            is_ours = holder.take(text, forms)
        if not is_ours:
            raise CallFailed("another program keeps the clipboard and does not let go; try again")

    def give_up(self) -> None:
        """Leave the clipboard empty, unless another program holds it.

        Raises:
            ControllerError: the display is gone.
        """
        with self._holding() as holder:
            holder.drop()

    def text(self) -> str | None:
        """Return the text we hold; None while another program holds the clipboard, or nobody.

        Raises:
            ControllerError: the display is gone.
        """
        with self._holding() as holder:
            return None if holder.offer is None else holder.offer.text

    def times_given(self, window_id: int) -> int:
        """Return how often the program that a window belongs to was given a text so far."""
        with self._asked:
            return self._times_given[window_id & self._program_bits]

    def wait_until_given(self, window_id: int, *, more_than: int, limit_s: float) -> bool:
        """Wait until the program that a window belongs to was given a text more than that many times."""
        program = window_id & self._program_bits
        with self._asked:
            return self._asked.wait_for(lambda: self._times_given[program] > more_than, limit_s)

    def wait_until_quiet(self, window_id: int, *, quiet_s: float, limit_s: float) -> None:
        """Wait until the program that a window belongs to has asked nothing for `quiet_s` seconds."""
        program = window_id & self._program_bits
        end_s = time.monotonic() + limit_s
        with self._asked:
            while True:
                now_s = time.monotonic()
                left_s = min(self._asked_at_s.get(program, 0.0) + quiet_s, end_s) - now_s
                if left_s <= 0:
                    return
                self._asked.wait(left_s)

    def close(self) -> None:
        """Give the clipboard and the connection back; again is harmless."""
        if self._is_over:
            return
        self._is_over = True
        os.write(self._waker, b"\0")
        self._thread.join()
        os.close(self._waker)
        os.close(self._wake_end)
        with suppress(ControllerError), display_errors("closing the clipboard"):
            self._display.close()

    @contextmanager
    def _holding(self) -> Iterator[SelectionHolder]:
        """Use the connection alone, and answer what came meanwhile: it wakes nobody once it is read."""
        with self._lock, display_errors("using the clipboard"):
            self._holder.handle_events()
            yield self._holder
            self._holder.handle_events()

    def _note_asked(self, window_id: int, was_given: bool) -> None:
        program = window_id & self._program_bits
        with self._asked:
            self._asked_at_s[program] = time.monotonic()
            self._times_given[program] += was_given
            self._asked.notify_all()

    def _serve(self) -> None:
        # When the display is gone, whoever needs the clipboard next learns it.
        with suppress(ControllerError):
            while not self._is_over:
                with self._holding():
                    pass
                select.select([self._socket, self._wake_end], [], [])
