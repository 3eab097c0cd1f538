"""The engine `local`: each worker is a task of this process with a warm browser of its own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Protocol

from evals.plan import EvalPlan
from evals.results import Sample, SampleResult
from harness.errors import HarnessError, InfrastructureError
from harness.protocols.policies import Solver
from harness.protocols.suites import Episode, Score, Suite, SuitePage
from harness.values.geometry import Size
from harness.values.run import RunResult

GRACE_S: Final = 10.0
"""Seconds past its own limit after which a sample is cancelled from outside."""
CANCEL_S: Final = 5.0


class RunningSession(Protocol):
    """A session that is iterated step by step."""

    def __aiter__(self) -> AsyncIterator[object]:
        """Yield a report after each step until the round has ended."""
        ...

    async def end(self, reason: str, success: bool, is_verified: bool) -> None:
        """End the round from outside as `finished`; a round that has ended stays as it is."""
        ...

    @property
    def result(self) -> RunResult:
        """How the round ended."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRequest:
    """What a session of one sample is opened with.

    Attributes:
        plan: Agent, configuration, overrides and artifacts.
        sample: Task, seed and limits.
        instruction: The task text.
        page: The page on which the episode was started.
        solve: The reference solution, or None.
    """

    plan: EvalPlan
    sample: Sample
    instruction: str
    page: SuitePage
    solve: Solver | None


SessionOpener = Callable[[SessionRequest], Awaitable[RunningSession]]


class Browser(Protocol):
    """A warm browser that hands out fresh pages."""

    async def new_page(self, *, viewport: Size, device_scale: float) -> SuitePage:
        """Return a page in a fresh context."""
        ...

    async def close_page(self, page: SuitePage) -> None:
        """Close a page and its context."""
        ...

    async def close(self) -> None:
        """End the browser."""
        ...


BrowserOpener = Callable[[], Awaitable[Browser]]


class LocalEngine:
    """Opens workers that share this process and the suite."""

    def __init__(self, plan: EvalPlan, suite: Suite, *, browsers: BrowserOpener, sessions: SessionOpener) -> None:
        self._plan = plan
        self._suite = suite
        self._browsers = browsers
        self._sessions = sessions

    async def open_worker(self) -> LocalWorker:
        """Return a worker with a warm browser.

        Raises:
            InfrastructureError: the browser can't be started.
        """
        runner = EpisodeRunner(self._plan, self._suite, self._sessions)
        return LocalWorker(runner, self._browsers, await self._browsers())


class EpisodeRunner:
    """Runs one sample on one fresh page."""

    def __init__(self, plan: EvalPlan, suite: Suite, sessions: SessionOpener) -> None:
        self._plan = plan
        self._suite = suite
        self._sessions = sessions

    async def run(self, sample: Sample, browser: Browser) -> SampleResult:
        """Start the episode, let the agent work, score what it left behind."""
        begun_s = time.monotonic()
        task = sample.task
        viewport = task.viewport or self._suite.viewport
        page = await browser.new_page(viewport=viewport, device_scale=task.device_scale)
        try:
            episode = await self._suite.start(task.id, sample.seed, page)
            session = await self._sessions(
                SessionRequest(
                    plan=self._plan,
                    sample=sample,
                    instruction=episode.instruction,
                    page=page,
                    solve=self._suite.solver(task.id),
                )
            )
            score = await _work(session, episode)
            return _result(sample, session.result, score, seconds=time.monotonic() - begun_s)
        finally:
            await browser.close_page(page)


async def _work(session: RunningSession, episode: Episode) -> Score:
    """Iterate the session until it or the environment ends the task; return the score, which is taken once."""
    async for _ in session:
        if await episode.is_over():
            score = await episode.score()
            await session.end(f"the environment ended the task: {score.reason}", score.success, True)
            return score
    return await episode.score()


def _result(sample: Sample, run: RunResult, score: Score, *, seconds: float) -> SampleResult:
    return SampleResult(
        task=sample.task.id,
        seed=sample.seed,
        success=score.success,
        reward=score.reward,
        status=run.status,
        reason=run.reason if run.status == "infrastructure" else score.reason,
        answer=run.answer,
        steps=run.steps,
        seconds=seconds,
        input_tokens=run.input_tokens,
        cached_tokens=run.cached_tokens,
        output_tokens=run.output_tokens,
        cost_usd=run.cost_usd,
        session=run.session,
        directory=run.directory,
    )


class LocalWorker:
    """One warm browser; a sample that hangs is cancelled and its browser replaced."""

    def __init__(self, runner: EpisodeRunner, browsers: BrowserOpener, browser: Browser) -> None:
        self._runner = runner
        self._browsers = browsers
        self._browser = browser

    async def run(self, sample: Sample) -> SampleResult:
        """Run one sample.

        Raises:
            InfrastructureError: the browser, the page or the suite failed.
            UsageError: the agent or its configuration is wrong; no sample can run.
        """
        limit_s = sample.max_seconds + GRACE_S
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
