"""The desktop suite on real applications: false before, true after the reference solution, false for anything else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from desktop_needs import require_programs
from rich.console import Console
from run_results import ended

from evals.cli import run_plan
from evals.desktops import Desktops
from evals.places import Place
from evals.plan import EvalPlan
from evals.results import Sample, SampleResult
from evals.suites.desktop import create
from harness.controllers.desktop.programs import DESKTOP_PROGRAMS, SUITE_APPLICATIONS
from harness.protocols.suites import TaskSpec

pytestmark = pytest.mark.desktop

TASKS = create().tasks()
# One for each way of checking; the soak run takes all of them.
SUBSET = ("fill-form", "calculate", "edit-text", "close-windows", "missing-number")
WORKERS = 2


@pytest.fixture(autouse=True)
def _needs_applications() -> None:
    require_programs((*DESKTOP_PROGRAMS, *SUITE_APPLICATIONS))


@asynccontextmanager
async def place(task: TaskSpec, seed: int) -> AsyncIterator[Place]:
    desktops = Desktops(create())
    sample = Sample(task=task, seed=seed, max_steps=task.max_steps, max_seconds=task.max_seconds)
    async with desktops.fresh(sample) as fresh:
        yield fresh


async def run(
    agent: str, artifacts: Path, *, tasks: Sequence[str] = (), seeds: Sequence[int] = (0,), max_steps: int | None = None
) -> Sequence[SampleResult]:
    plan = EvalPlan(
        suite="desktop",
        agent=agent,
        tasks=tuple(tasks),
        seeds=tuple(seeds),
        workers=WORKERS,
        max_steps=max_steps,
        artifacts=artifacts,
    )
    return (await run_plan(plan, Console(stderr=True), is_quiet=True)).results


def lines(results: Sequence[SampleResult], *, success: bool) -> list[str]:
    """Return a line for each result that did not end so; infrastructure faults are never what was asked for."""
    return [
        f"{item.task} seed {item.seed}: {item.status}, {item.reason}"
        for item in results
        if item.success is not success or item.is_infrastructure
    ]


@pytest.mark.req("R-EVL-1")
async def test_every_task_is_set_up_and_false_before_anybody_acted() -> None:
    turns = asyncio.Semaphore(WORKERS)

    async def verdict(task: TaskSpec) -> tuple[str, bool]:
        async with turns, place(task, seed=3) as fresh:
            return task.id, (await fresh.episode.score(ended())).success

    verdicts = await asyncio.gather(*(verdict(task) for task in TASKS))

    assert [task_id for task_id, success in verdicts if success] == []


@pytest.mark.req("R-EVL-1")
@pytest.mark.req("R-CLI-5")
async def test_reference_solutions_do_what_their_checks_want(tmp_path: Path) -> None:
    results = await run("reference", tmp_path)

    assert len(results) == len(TASKS) >= 20
    assert lines(results, success=True) == []


@pytest.mark.req("R-EVL-1")
async def test_doing_nothing_solves_nothing(tmp_path: Path) -> None:
    results = await run("idle", tmp_path, tasks=SUBSET, max_steps=2)

    assert lines(results, success=False) == []
    assert {item.status for item in results} == {"step_limit"}


@pytest.mark.req("R-EVL-1")
async def test_acting_at_random_solves_nothing(tmp_path: Path) -> None:
    results = await run("random", tmp_path, tasks=SUBSET, max_steps=12)

    assert lines(results, success=False) == []


@pytest.mark.soak
@pytest.mark.req("R-EVL-1")
async def test_reference_solutions_work_for_other_seeds(tmp_path: Path) -> None:
    results = await run("reference", tmp_path, seeds=range(1, 6))

    assert lines(results, success=True) == []


@pytest.mark.soak
@pytest.mark.req("R-EVL-1")
@pytest.mark.parametrize(("agent", "max_steps"), [("idle", 3), ("random", 40)])
async def test_no_task_is_solved_without_understanding(agent: str, max_steps: int, tmp_path: Path) -> None:
    results = await run(agent, tmp_path, max_steps=max_steps)

    assert lines(results, success=False) == []
