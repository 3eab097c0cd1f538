"""The engine `local`: each worker is a task of this process with pages or desktops of its own."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from evals.desktops import open_desktops
from evals.episode import EpisodeRunner, SessionOpener, open_agent_session
from evals.pages import open_pages
from evals.places import Places, PlacesOpener
from evals.plan import EvalPlan
from evals.results import Sample, SampleResult
from harness.errors import HarnessError, InfrastructureError
from harness.protocols.suites import AnySuite

GRACE_S: Final = 10.0
"""Seconds past its own limit after which a sample is cancelled from outside."""
CANCEL_S: Final = 5.0
"""Seconds that a cancelled sample has to end by itself before what it runs on is ended under it."""


class LocalEngine:
    """Opens workers that share this process and the suite."""

    def __init__(
        self,
        plan: EvalPlan,
        suite: AnySuite,
        *,
        places: PlacesOpener | None = None,
        sessions: SessionOpener = open_agent_session,
        grace_s: float = GRACE_S,
        cancel_s: float = CANCEL_S,
    ) -> None:
        self._plan = plan
        self._suite = suite
        self._places = places or _opener(suite)
        self._sessions = sessions
        self._grace_s = grace_s
        self._cancel_s = cancel_s

    async def open_worker(self) -> LocalWorker:
        """Return a worker with places of its own.

        Raises:
            InfrastructureError: the browser or the desktops can't be started.
        """
        runner = EpisodeRunner(self._plan, self._suite, self._sessions)
        places = await self._places()
        return LocalWorker(runner, self._places, places, grace_s=self._grace_s, cancel_s=self._cancel_s)


def _opener(suite: AnySuite) -> PlacesOpener:
    if suite.device == "web":
        return partial(open_pages, suite)
    return partial(open_desktops, suite)


class LocalWorker:
    """Runs samples one after another; one that hangs is cancelled, and what it ran on is ended with it."""

    def __init__(
        self, runner: EpisodeRunner, opener: PlacesOpener, places: Places, *, grace_s: float, cancel_s: float
    ) -> None:
        self._grace_s = grace_s
        self._cancel_s = cancel_s
        self._runner = runner
        self._opener = opener
        self._places = places

    async def run(self, sample: Sample) -> SampleResult:
        """Run one sample.

        Raises:
            InfrastructureError: the page or desktop, or the suite on it, failed.
            UsageError: the agent or its configuration is wrong; no sample can run.
        """
        limit_s = sample.max_seconds + self._grace_s
        episode = asyncio.create_task(self._runner.run(sample, self._places))
        try:
            done, _ = await asyncio.wait({episode}, timeout=limit_s)
            if not done:
                await self._abandon(episode)
                return _hung(sample, seconds=limit_s)
            return _outcome(episode)
        except asyncio.CancelledError:
            await _cancel(episode, self._cancel_s)
            raise

    async def replace(self) -> None:
        """End what the old samples ran on and begin anew."""
        await self._places.close()
        self._places = await self._opener()

    async def close(self) -> None:
        """End what samples ran on."""
        await self._places.close()

    async def _abandon(self, episode: asyncio.Task[SampleResult]) -> None:
        await _cancel(episode, self._cancel_s)
        await self.replace()


async def _cancel(episode: asyncio.Task[SampleResult], within_s: float) -> None:
    """Cancel and wait a little; an episode that resists is left to the end of what it runs on."""
    episode.cancel()
    await asyncio.wait({episode}, timeout=within_s)
    if episode.done() and not episode.cancelled():
        episode.exception()


def _outcome(episode: asyncio.Task[SampleResult]) -> SampleResult:
    try:
        return episode.result()
    except HarnessError:
        raise
    except Exception as exc:  # one sample is a boundary: what its page or desktop throws must not end the others
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
