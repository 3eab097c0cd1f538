from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import ClassVar, Literal, Self

import pytest

from evals.engine_local import LocalEngine
from evals.episode import SessionRequest
from evals.pages import Pages
from evals.plan import EvalPlan
from evals.results import Sample
from harness.errors import InfrastructureError, UsageError
from harness.protocols.policies import Solver
from harness.protocols.suites import SUITE_PROTOCOL, Score, SuitePage, TaskSpec
from harness.values.geometry import Size
from harness.values.run import RunResult, RunStatus

TASK = TaskSpec(id="one", viewport=Size(width_px=50, height_px=60), device_scale=2.0)
PLAN = EvalPlan(suite="fake", agent="a")


class FakePage:
    async def goto(self, url: str) -> object:
        return None

    async def evaluate(self, expression: str, arg: object = None) -> object:
        return None


class FakeBrowser:
    def __init__(self) -> None:
        self.pages: list[tuple[Size, float]] = []
        self.open_pages = 0
        self.is_closed = False

    async def new_page(self, *, viewport: Size, device_scale: float) -> SuitePage:
        self.pages.append((viewport, device_scale))
        self.open_pages += 1
        return FakePage()

    async def close_page(self, page: SuitePage) -> None:
        self.open_pages -= 1

    async def close(self) -> None:
        self.is_closed = True


class FakeEpisode:
    instruction = "do it"

    def __init__(self, *, over_after: int = 99, success: bool = True) -> None:
        self.over_after = over_after
        self.success = success
        self.asked = 0
        self.scored = 0

    async def is_over(self) -> bool:
        self.asked += 1
        return self.asked >= self.over_after

    async def score(self, run: RunResult) -> Score:
        self.scored += 1
        return Score(success=self.success, reward=float(self.success), reason="as drawn")


class FakeSuite:
    PROTOCOL: ClassVar[int] = SUITE_PROTOCOL
    device: ClassVar[Literal["web"]] = "web"
    name = "fake"
    viewport = Size(width_px=1, height_px=1)

    def __init__(self, episode: FakeEpisode, error: Exception | None = None) -> None:
        self.episode = episode
        self.error = error

    def tasks(self) -> Sequence[TaskSpec]:
        return (TASK,)

    def solver(self, task_id: str) -> Solver | None:
        return None

    async def open(self) -> None:
        return None

    async def start(self, task_id: str, seed: int, page: SuitePage) -> FakeEpisode:
        if self.error is not None:
            raise self.error
        return self.episode

    async def close(self) -> None:
        return None


class FakeSession:
    """Takes `steps` steps, then ends with `status`; hangs instead when told so."""

    def __init__(self, request: SessionRequest, *, steps: int, status: RunStatus = "finished", hangs: bool = False):
        self.request = request
        self.steps = steps
        self.status = status
        self.hangs = hangs
        self.taken = 0
        self.ended: tuple[str, bool, bool] | None = None
        self.interrupted: type[BaseException] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.interrupted = kind

    async def __aiter__(self) -> AsyncIterator[object]:
        while self.taken < self.steps and self.ended is None:
            if self.hangs:
                await asyncio.Event().wait()
            self.taken += 1
            yield self.taken
        if self.ended is None:
            await self.request.check(self.result)

    async def end(self, *, reason: str, success: bool, is_verified: bool) -> None:
        self.ended = (reason, success, is_verified)

    @property
    def result(self) -> RunResult:
        return RunResult(
            session="s1",
            directory="d",
            status=self.status,
            reason="the agent said so",
            answer="42",
            success=True,
            is_verified=False,
            steps=self.taken,
            seconds=0.0,
            input_tokens=3,
            cached_tokens=2,
            output_tokens=1,
            cost_usd=None,
        )


class Bench:
    """An engine over fakes that keeps what it opened."""

    def __init__(self, episode: FakeEpisode, *, error: Exception | None = None, **session: object) -> None:
        self.browsers: list[FakeBrowser] = []
        self.sessions: list[FakeSession] = []
        self.session = session
        self.has_session = asyncio.Event()
        self.suite = FakeSuite(episode, error)
        self.engine = LocalEngine(PLAN, self.suite, places=self.open_pages, sessions=self.open_session, grace_s=0.05)

    async def open_pages(self) -> Pages:
        self.browsers.append(FakeBrowser())
        return Pages(self.suite, self.browsers[-1])

    async def open_session(self, request: SessionRequest) -> FakeSession:
        self.has_session.set()
        self.sessions.append(FakeSession(request, **self.session))  # type: ignore[arg-type]  # keywords of the test
        return self.sessions[-1]


def sample(seconds: float = 5.0) -> Sample:
    return Sample(task=TASK, seed=3, max_steps=4, max_seconds=seconds)


@pytest.mark.req("R-EVL-2")
async def test_an_episode_gets_a_fresh_page_of_its_own_size_and_gives_it_back() -> None:
    bench = Bench(FakeEpisode(), steps=2)
    worker = await bench.engine.open_worker()
    await worker.run(sample())
    result = await worker.run(sample())
    await worker.close()

    (browser,) = bench.browsers
    assert browser.pages == [(Size(width_px=50, height_px=60), 2.0)] * 2
    assert browser.open_pages == 0
    assert browser.is_closed
    assert (result.session, result.steps, result.answer, result.input_tokens) == ("s1", 2, "42", 3)


@pytest.mark.req("R-EVL-2")
async def test_the_scorer_runs_once_when_the_agent_ends_the_run() -> None:
    episode = FakeEpisode(success=False)
    result = await (await Bench(episode, steps=2).engine.open_worker()).run(sample())

    assert episode.scored == 1
    assert not result.success
    assert result.reason == "the agent said so: as drawn"


@pytest.mark.req("R-EVL-2")
async def test_an_environment_that_is_over_ends_the_session_with_its_verdict() -> None:
    episode = FakeEpisode(over_after=2)
    bench = Bench(episode, steps=9)
    result = await (await bench.engine.open_worker()).run(sample())

    assert bench.sessions[0].ended == ("the environment ended the task", True, True)
    assert bench.sessions[0].taken == 2
    assert episode.scored == 1
    assert result.success


@pytest.mark.req("R-EVL-2")
async def test_a_hung_episode_is_cancelled_and_the_worker_goes_on_with_a_new_browser() -> None:
    bench = Bench(FakeEpisode(), steps=1, hangs=True)
    worker = await bench.engine.open_worker()
    result = await worker.run(sample(seconds=0.05))
    bench.session["hangs"] = False
    after = await worker.run(sample())

    assert result.status == "time_limit"
    assert not result.success
    assert bench.sessions[0].interrupted is asyncio.CancelledError
    assert [browser.is_closed for browser in bench.browsers] == [True, False]
    assert after.success


@pytest.mark.req("R-EVL-2")
async def test_what_a_page_throws_is_an_infrastructure_fault() -> None:
    bench = Bench(FakeEpisode(), error=RuntimeError("Target closed"), steps=1)
    worker = await bench.engine.open_worker()

    with pytest.raises(InfrastructureError, match="RuntimeError: Target closed"):
        await worker.run(sample())
    assert bench.browsers[0].open_pages == 0


async def test_an_operators_error_keeps_its_kind() -> None:
    worker = await Bench(FakeEpisode(), error=UsageError("no such agent"), steps=1).engine.open_worker()

    with pytest.raises(UsageError, match="no such agent"):
        await worker.run(sample())


async def test_a_cancelled_worker_cancels_its_episode() -> None:
    bench = Bench(FakeEpisode(), steps=1, hangs=True)
    worker = await bench.engine.open_worker()
    running = asyncio.create_task(worker.run(sample()))
    await bench.has_session.wait()
    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running
    assert bench.sessions[0].interrupted is asyncio.CancelledError
    assert bench.browsers[0].open_pages == 0
