"""Fresh pages of one warm browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Protocol

from evals.places import Place
from evals.results import Sample
from harness import plugins
from harness.protocols import ControllerSpec
from harness.protocols.suites import SuitePage, WebSuite
from harness.values.geometry import Size


class Browser(Protocol):
    """A warm browser that hands out fresh pages."""

    async def new_page(self, *, viewport: Size, device_scale: float) -> SuitePage:
        """Return a page in a fresh context."""
        ...

    async def close_page(self, page: Any) -> None:  # Any: what new_page returned, of a driver's type
        """Close a page and its context."""
        ...

    async def close(self) -> None:
        """End the browser."""
        ...


class Pages:
    """Starts episodes of a web suite on pages of one browser."""

    def __init__(self, suite: WebSuite, browser: Browser) -> None:
        self._suite = suite
        self._browser = browser

    @asynccontextmanager
    async def fresh(self, sample: Sample) -> AsyncIterator[Place]:
        """Yield a page of the task's own size with the episode on it."""
        task = sample.task
        page = await self._browser.new_page(
            viewport=task.viewport or self._suite.viewport, device_scale=task.device_scale
        )
        try:
            yield Place(episode=await self._suite.start(task.id, sample.seed, page), page=page)
        finally:
            await self._browser.close_page(page)

    async def close(self) -> None:
        """End the browser."""
        await self._browser.close()


async def open_pages(suite: WebSuite) -> Pages:
    """Start a browser of the kind every web controller drives.

    Raises:
        PluginError: the extra `web` is not installed.
        ControllerError: it can't be started; the text says what to do.
    """
    plugins.load("controllers", "web")  # says which extra is missing, before the import below could fail
    from harness.controllers.web import open_browser  # noqa: PLC0415  # the command line starts without the extra

    return Pages(suite, await open_browser(ControllerSpec(kind="web")))
