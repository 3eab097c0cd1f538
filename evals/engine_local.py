"""The engine `local`: each worker is a task of this process with a warm browser of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from evals.episode import Browser, EpisodeRunner, SessionOpener, open_agent_session
from evals.plan import EvalPlan
from evals.results import Sample, SampleResult
from harness import plugins
from harness.errors import HarnessError, InfrastructureError
from harness.protocols import ControllerSpec
from harness.protocols.suites import Suite

GRACE_S: Final = 10.0
"""Seconds past its own limit after which a sample is cancelled from outside."""
CANCEL_S: Final = 5.0
BrowserOpener = Callable[[], Awaitable[Browser]]


async def open_web_browser() -> Browser:
    """Start a browser of the kind every web controller drives.

    Raises:
        PluginError: the extra `web` is not installed.
        ControllerError: it can't be started; the text says what to do.
    """
    plugins.load("controllers", "web")  # says which extra is missing, before the import below could fail
    from harness.controllers.web import open_browser  # noqa: PLC0415  # the command line starts without the extra

    return await open_browser(ControllerSpec(kind="web"))


class LocalEngine:
    """Opens workers that share this process and the suite."""

    def __init__(
        self,
        plan: EvalPlan,
        suite: Suite,
        *,
        browsers: BrowserOpener = open_web_browser,
        sessions: SessionOpener = open_agent_session,
        grace_s: float = GRACE_S,
    ) -> None:
        self._plan = plan
        self._suite = suite
        self._browsers = browsers
        self._sessions = sessions
        self._grace_s = grace_s

    async def open_worker(self) -> LocalWorker:
        """Return a worker with a warm browser.

        Raises:
            InfrastructureError: the browser can't be started.
        """
        runner = EpisodeRunner(self._plan, self._suite, self._sessions)
        return LocalWorker(runner, self._browsers, await self._browsers(), grace_s=self._grace_s)


class LocalWorker:
    """One warm browser; a sample that hangs is cancelled and its browser replaced."""

    def __init__(self, runner: EpisodeRunner, browsers: BrowserOpener, browser: Browser, *, grace_s: float) -> None:
        self._grace_s = grace_s
        self._runner = runner
        self._browsers = browsers
        self._browser = browser

    async def run(self, sample: Sample) -> SampleResult:
        """Run one sample.

        Raises:
            InfrastructureError: the browser, the page or the suite failed.
            UsageError: the agent or its configuration is wrong; no sample can run.
        """
        limit_s = sample.max_seconds + self._grace_s
        episode = asyncio.create_task(self._runner.run(sample, self._browser))
        try:
            done, _ = await asyncio.wait({episode}, timeout=limit_s)
            if not done:
                await self._abandon(episode)
                return _hung(sample, seconds=limit_s)
            return _outcome(episode)
        except asyncio.CancelledError:
            await _cancel(episode)
            raise

    async def replace(self) -> None:
        """Start a new browser in place of the old one."""
        await self._browser.close()
        self._browser = await self._browsers()

    async def close(self) -> None:
        """End the browser."""
        await self._browser.close()

    async def _abandon(self, episode: asyncio.Task[SampleResult]) -> None:
        await _cancel(episode)
        await self.replace()


async def _cancel(episode: asyncio.Task[SampleResult]) -> None:
    """Cancel and wait a little; an episode that resists is left to the browser's end."""
    episode.cancel()
    await asyncio.wait({episode}, timeout=CANCEL_S)
    if episode.done() and not episode.cancelled():
        episode.exception()


def _outcome(episode: asyncio.Task[SampleResult]) -> SampleResult:
    try:
        return episode.result()
    except HarnessError:
        raise
    except Exception as exc:  # one sample is a boundary: what its page throws must not end the others
        raise InfrastructureError(f"the episode failed: {type(exc).__name__}: {exc}") from exc


def _hung(sample: Sample, *, seconds: float) -> SampleResult:
    return SampleResult(
        task=sample.task.id,
        seed=sample.seed,
        success=False,
        reward=0.0,
        status="time_limit",
        reason=f"cancelled after {seconds:g} s: the episode did not end at its own limit of {sample.max_seconds:g} s",
        seconds=seconds,
    )
