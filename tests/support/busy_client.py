"""What clients of a display do in threads of their own: paint again and again, answer pings sooner or later."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from x_client import XClient
from Xlib import X
from Xlib.protocol import event


class Repeating:
    """Does something again and again in a thread."""

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, act: Callable[[], None]) -> None:
        def run() -> None:
            while not self._is_over.wait(self._every_s):
                act()

        self._thread = threading.Thread(target=run)
        self._thread.start()

    def __enter__(self) -> Repeating:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        if self._thread is not None:
            self._thread.join()


class Answering:
    """Lets a client answer pings in a thread; when it is busy it paints and answers only afterwards."""

    def __init__(self, client: XClient) -> None:
        self._client = client
        self._repeating = Repeating(0.01)
        self.count = 0
        self.is_busy_s = 0.0
        self.paints: Callable[[], None] | None = None

    def __enter__(self) -> Answering:
        self._repeating.start(self._answer)
        return self

    def __exit__(self, *_: object) -> None:
        self._repeating.__exit__()

    def _answer(self) -> None:
        while self._client.display.pending_events():
            asked = self._client.display.next_event()
            if isinstance(asked, event.ClientMessage):
                self._be_busy()
                reply = event.ClientMessage(window=self._client.root, client_type=asked.client_type, data=asked.data)
                mask = X.SubstructureRedirectMask | X.SubstructureNotifyMask
                self._client.root.send_event(reply, event_mask=mask)
                self._client.display.flush()
                self.count += 1

    def _be_busy(self) -> None:
        if self.paints is not None:
            time.sleep(self.is_busy_s)
            self.paints()
