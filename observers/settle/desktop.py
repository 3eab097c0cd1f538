"""The settle watch of a desktop: waiting, by events where there are any, until its screen comes to rest."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar, Final, cast

from harness.errors import ControllerError
from harness.protocols import OBSERVER_PROTOCOL, DesktopView
from harness.values.action import Action
from harness.values.observation import SettleReport
from observers.settle.alarm import Alarm
from observers.settle.expectation import expect
from observers.settle.polling import Ticker
from observers.settle.watcher import ScreenWatcher

# A display that takes longer than this for one answer is not waited for.
_ANSWER_S: Final = 1.0
logger = logging.getLogger(__name__)


class DesktopSettle:
    """Waits until a desktop is at rest after an action; one watch at a time.

    It keeps one connection to the display and one thread, until `close`.
    """

    PROTOCOL: ClassVar[int] = OBSERVER_PROTOCOL

    def __init__(self) -> None:
        self._keeper = _Keeper()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="settle")
        self._is_closed = False

    async def watch(self, device: object, action: Action | None = None) -> DesktopWatch:
        """Begin to watch a `DesktopView`, just before the action; an earlier watch is over.

        Raises:
            ControllerError: the display is gone.
        """
        view = cast("DesktopView", device)
        loop = asyncio.get_running_loop()
        watcher = await loop.run_in_executor(self._pool, self._keeper.armed, view)
        return DesktopWatch(self._pool, watcher, view, action)

    def close(self) -> None:
        """Give the connection and the thread back, once a wait that runs has ended; again is harmless."""
        if not self._is_closed:
            self._is_closed = True
            self._pool.submit(self._keeper.close)
            self._pool.shutdown(wait=False)


class DesktopWatch:
    """A wait that began before an action on a desktop."""

    def __init__(
        self, pool: ThreadPoolExecutor, watcher: ScreenWatcher, view: DesktopView, action: Action | None
    ) -> None:
        self._pool = pool
        self._watcher = watcher
        self._view = view
        self._expectation = expect(action)

    async def settled(self, *, cap_s: float) -> SettleReport:
        """Wait until the screen is quiet or `cap_s` seconds have passed; never raises for a display that is gone."""
        began_s = time.monotonic()
        resting = asyncio.get_running_loop().run_in_executor(
            self._pool, self._watcher.rest, self._view, self._expectation, cap_s
        )
        try:
            return await asyncio.wait_for(asyncio.shield(resting), cap_s + _ANSWER_S)
        except TimeoutError:
            return _cap(began_s, "the display does not answer")
        except ControllerError as exc:
            return _cap(began_s, str(exc))
        finally:
            if not resting.done():
                self._watcher.stop()
                # Whatever still comes of it is nobody's.
                resting.add_done_callback(_drop)


class _Keeper:
    """Keeps the watcher of the display that was watched last. Used on one thread."""

    def __init__(self) -> None:
        self._watcher: ScreenWatcher | None = None
        self._display: str | None = None

    def armed(self, view: DesktopView) -> ScreenWatcher:
        """Return the watcher of a view's display, armed."""
        display = view.environment.get("DISPLAY")
        if self._watcher is None or display != self._display:
            self.close()
            self._watcher, self._display = ScreenWatcher(open_alarm(view.environment)), display
        try:
            self._watcher.arm(view)
        except ControllerError:
            # The display may be started again: the next watch connects anew.
            self.close()
            raise
        return self._watcher

    def close(self) -> None:
        """Give the connection back."""
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.close()


def open_alarm(environment: Mapping[str, str], platform: str = sys.platform) -> Alarm:
    """Return what wakes the watcher of a desktop: events of an X display, elsewhere a clock."""
    if platform in {"darwin", "win32"} or not environment.get("DISPLAY"):
        return Ticker()
    from observers.settle.damage import DisplayEvents  # noqa: PLC0415  # python-xlib is there on Linux only

    try:
        return DisplayEvents(environment)
    except ControllerError as exc:
        # As text: a log record that held the error would hold its connection too.
        logger.warning("%s; the pictures of the screen are compared 100 times a second instead", str(exc))
        return Ticker()


def _cap(began_s: float, pending: str) -> SettleReport:
    return SettleReport(kind="cap", waited_s=time.monotonic() - began_s, pending=pending)


def _drop(resting: asyncio.Future[SettleReport]) -> None:
    if not resting.cancelled():
        resting.exception()
