"""One sample from a fresh page or desktop to its score."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from evals.places import Place, Places
from evals.plan import EvalPlan
from evals.results import Sample, SampleResult
from harness.api import Session
from harness.protocols.policies import Solver
from harness.protocols.suites import Episode, Score, Suite
from harness.values.run import RunResult

Check = Callable[[RunResult], Awaitable[bool]]


class RunningSession(Protocol):
    """A session that is iterated step by step inside its own context."""

    async def __aenter__(self) -> Self:
        """Return the session."""
        ...

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Record an interruption where there was one, then close everything but the place."""
        ...

    def __aiter__(self) -> AsyncIterator[object]:
        """Yield a report after each step until the round has ended."""
        ...

    async def end(self, *, reason: str, success: bool, is_verified: bool) -> None:
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
        place: The page or desktop on which the episode was started.
        solve: The reference solution, or None.
        check: The verdict, taken when the agent has ended the round.
    """

    plan: EvalPlan
    sample: Sample
    place: Place
    solve: Solver | None
    check: Check


SessionOpener = Callable[[SessionRequest], Awaitable[RunningSession]]


async def open_agent_session(request: SessionRequest) -> RunningSession:
    """Open a session of the plan's agent on the sample's page or desktop.

    Raises:
        UsageError: the agent or its configuration is wrong.
        InfrastructureError: the session can't be opened.
    """
    plan, sample, place = request.plan, request.sample, request.place
    limits = (f"limits.steps={sample.max_steps}", f"limits.seconds={sample.max_seconds:g}")
    return await Session.open(
        plan.agent,
        place.episode.instruction,
        page=place.page,
        environment=place.environment,
        config=plan.config,
        model=plan.model,
        overrides=(*limits, *place.settings, *plan.overrides),
        artifacts=plan.artifacts,
        check=request.check,
        solve=request.solve,
        seed=sample.seed,
    )


class EpisodeRunner:
    """Runs one sample on one fresh page or desktop."""

    def __init__(self, plan: EvalPlan, suite: Suite, sessions: SessionOpener) -> None:
        self._plan = plan
        self._suite = suite
        self._sessions = sessions

    async def run(self, sample: Sample, places: Places) -> SampleResult:
        """Start the episode, let the agent work, score what it left behind."""
        begun_s = time.monotonic()
        async with places.fresh(sample) as place:
            verdict = Verdict(place.episode)
            request = SessionRequest(
                plan=self._plan,
                sample=sample,
                place=place,
                solve=self._suite.solver(sample.task.id),
                check=verdict.check,
            )
            async with await self._sessions(request) as session:
                run = await _work(session, place.episode, verdict)
            score = await verdict.take(run)
            return _result(sample, run, score, seconds=time.monotonic() - begun_s)


class Verdict:
    """The score of one episode, taken once."""

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self._score: Score | None = None

    async def take(self, run: RunResult) -> Score:
        """Return the score of a run that ended so; the scorer runs at the first call only."""
        if self._score is None:
            self._score = await self._episode.score(run)
        return self._score

    async def check(self, run: RunResult) -> bool:
        """Return whether the run succeeded, for the session's record."""
        return (await self.take(run)).success


async def _work(session: RunningSession, episode: Episode, verdict: Verdict) -> RunResult:
    """Iterate the session until the agent, a limit or the environment ends the task."""
    async for _ in session:
        if await episode.is_over():
            score = await verdict.take(session.result)
            await session.end(reason="the environment ended the task", success=score.success, is_verified=True)
    return session.result


def _result(sample: Sample, run: RunResult, score: Score, *, seconds: float) -> SampleResult:
    return SampleResult(
        task=sample.task.id,
        seed=sample.seed,
        success=score.success,
        reward=score.reward,
        status=run.status,
        reason=score.reason if score.success else f"{run.reason}: {score.reason}",
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
