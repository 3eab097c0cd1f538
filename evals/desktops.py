"""Fresh virtual desktops, one for each sample."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from evals.places import Place
from evals.results import Sample
from evals.task_desktop import TaskDesktop
from harness import plugins
from harness.protocols.suites import DesktopNeeds, DesktopSuite


class Desktops:
    """Starts episodes of a desktop suite, each on a desktop of its own that goes with it."""

    def __init__(
        self, suite: DesktopSuite, *, start: Callable[[DesktopNeeds], Awaitable[TaskDesktop]] = TaskDesktop.start
    ) -> None:
        self._suite = suite
        self._start = start
        self._in_use: set[TaskDesktop] = set()

    @asynccontextmanager
    async def fresh(self, sample: Sample) -> AsyncIterator[Place]:
        """Yield a desktop as the task needs it, with the episode on it."""
        needs = sample.task.desktop
        desktop = await self._start(needs)
        self._in_use.add(desktop)
        try:
            episode = await self._suite.start(sample.task.id, sample.seed, desktop)
            yield Place(episode=episode, environment=desktop.environment, settings=_settings(needs))
        finally:
            await self._end(desktop)

    async def close(self) -> None:
        """End every desktop that is still in use, with everything that runs on it."""
        for desktop in tuple(self._in_use):
            await self._end(desktop)

    async def _end(self, desktop: TaskDesktop) -> None:
        # Forgotten only once it is gone: an end that is cut off is made up for by `close`.
        await desktop.close()
        self._in_use.discard(desktop)


async def open_desktops(suite: DesktopSuite) -> Desktops:
    """Return the desktops of a worker; each is started when its sample begins.

    Raises:
        PluginError: the extra `desktop` is not installed.
    """
    for group, name in (("controllers", "desktop"), ("observers", "atspi_marks")):
        plugins.load(group, name)  # says which extra is missing before a desktop is started for nothing
    return Desktops(suite)


def _settings(needs: DesktopNeeds) -> tuple[str, ...]:
    """Return what an agent's configuration must say on a desktop; JSON is YAML too."""
    apps = json.dumps({name: list(words) for name, words in needs.apps.items()})
    return f"controller.monitor={needs.monitor}", f"desktop.apps={apps}"
