"""The engine with real desktops: a sample has one of its own, and it ends with its sample however that goes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Literal, Self

import pytest
from desktop_needs import require_programs
from run_results import ended

from evals.desktop_watch import DesktopWatch
from evals.desktops import Desktops, open_desktops
from evals.engine_local import LocalEngine
from evals.episode import RunningSession, SessionRequest
from evals.plan import EvalPlan
from evals.results import Sample
from evals.suites.desktop import create
from evals.task_desktop import TaskDesktop
from harness.controllers.desktop.virtual import VirtualDesktop
from harness.errors import InfrastructureError
from harness.protocols.policies import Solver
from harness.protocols.suites import SUITE_PROTOCOL, DesktopNeeds, Score, SuiteDesktop, TaskSpec
from harness.values.geometry import Size
from harness.values.run import RunResult

pytestmark = pytest.mark.desktop

SLEEPER = ("sleep", "600")
TASK = TaskSpec(id="one", desktop=DesktopNeeds(size=Size(width_px=320, height_px=240)))
PLAN = EvalPlan(suite="fake", agent="a")


@pytest.fixture(autouse=True)
def _needs_programs() -> None:
    require_programs()


class SleepingEpisode:
    """Counts on a program that it started on its desktop."""

    instruction = "wake it"

    def __init__(self, desktop: SuiteDesktop, process_id: int) -> None:
        self.desktop = desktop
        self.process_id = process_id

    async def is_over(self) -> bool:
        return False

    async def score(self, run: RunResult) -> Score:
        is_asleep = await self.desktop.returncode(self.process_id) is None
        return Score(success=is_asleep, reward=float(is_asleep))


class SleepingSuite:
    PROTOCOL: ClassVar[int] = SUITE_PROTOCOL
    device: ClassVar[Literal["desktop"]] = "desktop"
    name = "fake"

    def __init__(self) -> None:
        self.episodes: list[SleepingEpisode] = []

    def tasks(self) -> Sequence[TaskSpec]:
        return (TASK,)

    def solver(self, task_id: str) -> Solver | None:
        return None

    async def open(self) -> None:
        return None

    async def close(self) -> None:
        return None

    async def start(self, task_id: str, seed: int, desktop: SuiteDesktop) -> SleepingEpisode:
        self.episodes.append(SleepingEpisode(desktop, await desktop.spawn(SLEEPER)))
        return self.episodes[-1]


class OneStep:
    """A session of one step, which may hang, and may take no notice of being cancelled until it is let go."""

    def __init__(self, request: SessionRequest, *, hangs: bool, let_go: asyncio.Event | None = None) -> None:
        self.request = request
        self.hangs = hangs
        self.let_go = let_go

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    async def __aiter__(self) -> AsyncIterator[object]:
        if self.hangs:
            await self.hang()
        yield 1
        await self.request.check(self.result)

    async def hang(self) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if self.let_go is not None:
                await self.let_go.wait()
            raise

    async def end(self, *, reason: str, success: bool, is_verified: bool) -> None:
        return None

    @property
    def result(self) -> RunResult:
        return ended()


class Bench:
    def __init__(self, *, hangs: bool = False, let_go: asyncio.Event | None = None) -> None:
        self.suite = SleepingSuite()
        self.environments: list[dict[str, str]] = []
        self.hangs = hangs
        self.let_go = let_go
        self.engine = LocalEngine(
            PLAN, self.suite, places=self.open_places, sessions=self.open_session, grace_s=0.2, cancel_s=0.5
        )

    async def open_places(self) -> Desktops:
        return await open_desktops(self.suite)

    async def open_session(self, request: SessionRequest) -> RunningSession:
        assert request.place.environment is not None
        self.environments.append(dict(request.place.environment))
        return OneStep(request, hangs=self.hangs, let_go=self.let_go)


def sample(seconds: float = 30.0) -> Sample:
    return Sample(task=TASK, seed=0, max_steps=1, max_seconds=seconds)


def is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def has_home(environment: dict[str, str]) -> bool:
    return Path(environment["HOME"]).exists()


@pytest.mark.req("R-EVL-2")
async def test_samples_side_by_side_have_desktops_of_their_own_that_end_with_them() -> None:
    bench = Bench()
    workers = [await bench.engine.open_worker() for _ in range(2)]
    results = await asyncio.gather(*(worker.run(sample()) for worker in workers))
    for worker in workers:
        await worker.close()

    assert [result.success for result in results] == [True, True]
    assert len({environment["DISPLAY"] for environment in bench.environments}) == 2
    assert not any(is_running(episode.process_id) for episode in bench.suite.episodes)
    assert not any(has_home(environment) for environment in bench.environments)


@pytest.mark.req("R-EVL-2")
async def test_a_hung_sample_ends_with_its_whole_desktop_and_the_worker_goes_on() -> None:
    bench = Bench(hangs=True)
    worker = await bench.engine.open_worker()
    result = await worker.run(sample(seconds=2.0))
    bench.hangs = False
    after = await worker.run(sample())
    await worker.close()

    assert result.status == "time_limit"
    assert after.success
    assert not is_running(bench.suite.episodes[0].process_id)
    assert not has_home(bench.environments[0])


@pytest.mark.req("R-EVL-2")
async def test_a_sample_that_takes_no_notice_of_its_end_loses_its_desktop_all_the_same() -> None:
    let_go = asyncio.Event()
    bench = Bench(hangs=True, let_go=let_go)
    worker = await bench.engine.open_worker()
    result = await worker.run(sample(seconds=2.0))
    is_asleep = is_running(bench.suite.episodes[0].process_id)
    let_go.set()
    await worker.close()

    assert result.status == "time_limit"
    assert not is_asleep


@pytest.mark.req("R-EVL-2")
async def test_a_desktop_that_dies_is_an_infrastructure_fault_and_not_the_agents() -> None:
    bench = Bench()

    async def kill_first(request: SessionRequest) -> RunningSession:
        desktop = bench.suite.episodes[-1].desktop
        assert isinstance(desktop, TaskDesktop)
        await desktop.close()
        return OneStep(request, hangs=False)

    engine = LocalEngine(PLAN, bench.suite, places=bench.open_places, sessions=kill_first)
    worker = await engine.open_worker()

    with pytest.raises(InfrastructureError):
        await worker.run(sample())
    await worker.replace()
    await worker.close()


class HangingWatch(DesktopWatch):
    """Closes only when it is cut off."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        super().__init__(environment)
        self.is_closing = asyncio.Event()

    async def close(self) -> None:
        self.is_closing.set()
        await asyncio.Event().wait()


class WatchHangs(TaskDesktop):
    """A desktop whose watch hangs when it is closed."""

    def __init__(self, desktop: VirtualDesktop) -> None:
        super().__init__(desktop)
        self.watch = self._watch = HangingWatch(desktop.environment)


class EndHangs(TaskDesktop):
    """A desktop whose first end hangs before anything of it is gone."""

    def __init__(self, desktop: VirtualDesktop) -> None:
        super().__init__(desktop)
        self.is_closing = asyncio.Event()

    async def close(self) -> None:
        if not self.is_closing.is_set():
            self.is_closing.set()
            await asyncio.Event().wait()
        await super().close()


async def cut_off(ending: Coroutine[object, object, object], begun: asyncio.Event) -> None:
    """Cancel an end once it has begun."""
    task = asyncio.ensure_future(ending)
    await asyncio.wait_for(begun.wait(), timeout=30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.req("R-EVL-2")
async def test_a_desktop_is_gone_though_its_end_is_cut_off_while_its_watch_closes() -> None:
    desktop = await WatchHangs.start(TASK.desktop)
    process_id = await desktop.spawn(SLEEPER)
    await cut_off(desktop.close(), desktop.watch.is_closing)

    assert not is_running(process_id)
    assert not has_home(dict(desktop.environment))


@pytest.mark.req("R-EVL-2")
async def test_a_desktop_whose_end_was_cut_off_is_ended_with_its_worker() -> None:
    suite = SleepingSuite()
    desktops = Desktops(suite, start=EndHangs.start)
    fresh = desktops.fresh(sample())
    await fresh.__aenter__()
    episode = suite.episodes[0]
    assert isinstance(episode.desktop, EndHangs)
    await cut_off(fresh.__aexit__(None, None, None), episode.desktop.is_closing)
    assert is_running(episode.process_id), "nothing of it has ended yet"

    await desktops.close()
    assert not is_running(episode.process_id)
    assert not has_home(dict(episode.desktop.environment))


async def printed(needs: DesktopNeeds, *argv: str) -> str:
    """Return what a program prints on a desktop that was made for these needs."""
    desktop = await TaskDesktop.start(needs)
    try:
        output = desktop.home / "output"
        assert await desktop.run(argv, stdout=output) == 0
        return await asyncio.to_thread(output.read_text)
    finally:
        await desktop.close()


async def test_a_task_finds_its_keyboard_and_monitors() -> None:
    needs = {task.id: task.desktop for task in create().tasks()}
    monitors = await printed(needs["second-monitor"], "xrandr", "--listmonitors")

    assert "Monitors: 2" in monitors
    assert "+800+0" in monitors
    assert "de" in (await printed(needs["german-keyboard"], "setxkbmap", "-query")).split()
    assert "GDK_SCALE=2" in (await printed(needs["double-scale"], "env")).split()
