"""The virtual desktop of one sample, as its suite uses it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Self

from evals.desktop_watch import DesktopWatch
from harness.controllers.desktop.layout import set_layout, set_monitors
from harness.controllers.desktop.virtual import VirtualDesktop
from harness.errors import InfrastructureError
from harness.protocols.suites import DesktopNeeds
from harness.values.desktop import DesktopWindow

WINDOW_S: Final = 20.0
PROGRAM_S: Final = 20.0
POLL_S: Final = 0.03


class TaskDesktop:
    """A desktop made as a task needs it; see `SuiteDesktop` for what a suite may do with it."""

    def __init__(self, desktop: VirtualDesktop) -> None:
        self._desktop = desktop
        self._watch = DesktopWatch(desktop.environment)

    @classmethod
    async def start(cls, needs: DesktopNeeds) -> Self:
        """Start a desktop with its keyboard and monitors.

        Raises:
            ControllerError: it can't be started; the text says what to do.
        """
        desktop = cls(await VirtualDesktop.start(size=needs.size, environment=needs.environment))
        try:
            await desktop._arrange(needs)
        except BaseException:
            await desktop.close()
            raise
        return desktop

    @property
    def home(self) -> Path:
        """The home folder of its programs."""
        return self._desktop.home

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables of its programs."""
        return self._desktop.environment

    async def spawn(
        self, argv: Sequence[str], *, stdout: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> int:
        """Start a program in the home folder and return its process id."""
        return await self._desktop.spawn(argv, stdout=stdout, environment=environment)

    async def returncode(self, process_id: int) -> int | None:
        """Return the exit code of a program that `spawn` started, None while it runs."""
        return await self._desktop.returncode(process_id)

    async def run(self, argv: Sequence[str], *, stdout: Path | None = None) -> int:
        """Run a program to its end, for at most 20 s, and return its exit code."""
        process_id = await self.spawn(argv, stdout=stdout)
        end_s = time.monotonic() + PROGRAM_S
        while (code := await self.returncode(process_id)) is None:
            if time.monotonic() > end_s:
                raise InfrastructureError(f"{argv[0]} did not end within {PROGRAM_S:g} s; run fewer workers")
            await asyncio.sleep(POLL_S)
        return code

    async def windows(self) -> tuple[DesktopWindow, ...]:
        """Return the open windows, front to back."""
        return await self._watch.windows()

    async def wait_for_window(self, title: str) -> DesktopWindow:
        """Wait for at most 20 s until a window whose title holds `title` is open."""
        end_s = time.monotonic() + WINDOW_S
        while True:
            windows = await self.windows()
            for window in windows:
                if title in window.title:
                    return window
            if time.monotonic() > end_s:
                listed = [window.title for window in windows]
                raise InfrastructureError(
                    f"no window {title!r} opened within {WINDOW_S:g} s, only {listed}; run fewer workers"
                )
            await asyncio.sleep(POLL_S)

    async def shown_texts(self, app: str) -> tuple[str, ...]:
        """Return the texts of an application's open windows."""
        return await self._watch.texts(app)

    async def close(self) -> None:
        """End everything on it and remove its home; again is harmless."""
        try:
            await self._watch.close()
        finally:
            await self._desktop.close()

    async def _arrange(self, needs: DesktopNeeds) -> None:
        if needs.keyboard != DesktopNeeds().keyboard:
            await asyncio.to_thread(set_layout, self.environment, needs.keyboard)
        if needs.monitors:
            await asyncio.to_thread(set_monitors, self.environment, needs.monitors)
