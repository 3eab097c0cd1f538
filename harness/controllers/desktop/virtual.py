"""A desktop on a machine without a screen: X server, window manager, D-Bus and accessibility, gone with its session."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from harness.controllers.desktop.programs import DESKTOP_PROGRAMS, missing, missing_text
from harness.errors import ControllerError
from harness.values.geometry import Size

if TYPE_CHECKING:
    from harness.controllers.desktop.keeper_link import KeeperLink, Started

DEFAULT_SIZE: Final = Size(width_px=1280, height_px=800)
# Applications are hostile ground: of our variables they see these, so no key or token of the caller.
_PASSED_ON: Final = (
    *("PATH", "LD_LIBRARY_PATH", "TZ", "USER", "LOGNAME", "SHELL"),
    *("XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "XKB_BINDIR"),
)


class BlockingDesktop:
    """A virtual desktop for code that does not await; `VirtualDesktop` is the same for code that does.

    Attributes:
        environment: Every variable of its applications: DISPLAY, XAUTHORITY, DBUS_SESSION_BUS_ADDRESS, HOME and more.
        home: The home folder of its applications; removed at the end.
        size: Its screen.
        keeper_id: The process that keeps it.
    """

    def __init__(self, link: KeeperLink, started: Started, size: Size) -> None:
        self._link = link
        self.environment: Mapping[str, str] = started.environment
        self.home = started.home
        self.size = size
        self.keeper_id = link.process_id

    @classmethod
    def start(
        cls,
        *,
        size: Size = DEFAULT_SIZE,
        environment: Mapping[str, str] | None = None,
        has_accessibility: bool = True,
    ) -> Self:
        """Start a desktop and return when windows can be opened on it.

        Nothing of it outlives this process by more than 5 seconds, however this process ends.

        Args:
            size: The screen.
            environment: Further variables of its applications, for example `GDK_SCALE`.
            has_accessibility: Whether applications show their elements to the accessibility bus.

        Raises:
            ControllerError: it can't be started; the text says what to install or what the server said.
        """
        _check_programs()
        # Loaded late: it needs modules that only Linux has, and this one is imported everywhere.
        from harness.controllers.desktop.keeper_link import KeeperLink  # noqa: PLC0415

        link = KeeperLink.start()
        try:
            started = link.start_desktop(
                size=size,
                allowed={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                extra=environment or {},
                has_accessibility=has_accessibility,
            )
        except BaseException:
            link.close()
            raise
        return cls(link, started, size)

    def spawn(
        self,
        argv: Sequence[str],
        *,
        stdout: Path | None = None,
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> int:
        """Start an application and return its process id.

        Args:
            argv: Program and arguments; no shell reads them.
            stdout: A file that its output replaces; None drops it.
            environment: Further variables.
            cwd: Where it starts; None for the desktop's home.

        Raises:
            ControllerError: it can't be started, or the desktop is gone.
        """
        return self._link.spawn(argv, stdout=stdout, environment=environment or {}, cwd=cwd)

    def returncode(self, process_id: int) -> int | None:
        """Return how an application ended, negative for a signal; None while it runs.

        Raises:
            ControllerError: `spawn` did not start it here, or the desktop is gone.
        """
        return self._link.returncode(process_id)

    def end(self, process_id: int) -> None:
        """End an application and what it started; 3 s at most. One that ended already is left alone.

        Raises:
            ControllerError: `spawn` did not start it here, or the desktop is gone.
        """
        self._link.end(process_id)

    def close(self) -> None:
        """End everything on the desktop and remove its files; again is harmless."""
        self._link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class VirtualDesktop:
    """A virtual desktop. Every method may be called from any task; requests are answered in order.

    Attributes:
        blocking: The same desktop for code that does not await.
        environment: Every variable of its applications: DISPLAY, XAUTHORITY, DBUS_SESSION_BUS_ADDRESS, HOME and more.
        home: The home folder of its applications; removed at the end.
        size: Its screen.
    """

    def __init__(self, blocking: BlockingDesktop) -> None:
        self.blocking = blocking
        self.environment = blocking.environment
        self.home = blocking.home
        self.size = blocking.size

    @classmethod
    async def start(
        cls,
        *,
        size: Size = DEFAULT_SIZE,
        environment: Mapping[str, str] | None = None,
        has_accessibility: bool = True,
    ) -> Self:
        """Start a desktop, as `BlockingDesktop.start` does.

        Raises:
            ControllerError: it can't be started; the text says what to install or what the server said.
        """
        starting = asyncio.ensure_future(
            asyncio.to_thread(
                BlockingDesktop.start, size=size, environment=environment, has_accessibility=has_accessibility
            )
        )
        try:
            return cls(await asyncio.shield(starting))
        except asyncio.CancelledError:
            # The thread can't be cancelled: what it still brings is nobody's.
            starting.add_done_callback(_close_unwanted)
            raise

    async def spawn(
        self,
        argv: Sequence[str],
        *,
        stdout: Path | None = None,
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> int:
        """Start an application and return its process id, as `BlockingDesktop.spawn` does.

        Raises:
            ControllerError: it can't be started, or the desktop is gone.
        """
        return await asyncio.to_thread(self.blocking.spawn, argv, stdout=stdout, environment=environment, cwd=cwd)

    async def returncode(self, process_id: int) -> int | None:
        """Return how an application ended, negative for a signal; None while it runs.

        Raises:
            ControllerError: `spawn` did not start it here, or the desktop is gone.
        """
        return await asyncio.to_thread(self.blocking.returncode, process_id)

    async def end(self, process_id: int) -> None:
        """End an application and what it started; 3 s at most. One that ended already is left alone.

        Raises:
            ControllerError: `spawn` did not start it here, or the desktop is gone.
        """
        await asyncio.to_thread(self.blocking.end, process_id)

    async def close(self) -> None:
        """End everything on the desktop and remove its files; again is harmless."""
        await asyncio.to_thread(self.blocking.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _close_unwanted(started: asyncio.Future[BlockingDesktop]) -> None:
    """End a desktop beside the event loop, which calls this and must not wait for it."""
    if not started.cancelled() and started.exception() is None:
        threading.Thread(target=started.result().close, name="close desktop").start()


def _check_programs() -> None:
    if not sys.platform.startswith("linux"):
        raise ControllerError(f"a virtual desktop needs Linux, this is {sys.platform!r}; use the real desktop")
    absent = missing(DESKTOP_PROGRAMS, os.environ)
    if absent:
        raise ControllerError(missing_text("a virtual desktop", absent))
