from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

from evals.cli import run_plan
from evals.plan import EvalPlan
from evals.runner import SuiteResult
from harness.errors import UsageError

pytestmark = pytest.mark.browser

REFERENCE_TASKS = ("click-test", "login-user", "enter-text", "email-inbox", "book-flight")


async def run(plan: EvalPlan) -> SuiteResult:
    return await run_plan(plan, Console(stderr=True), is_quiet=True)


def failures(result: SuiteResult) -> Sequence[str]:
    return [f"{item.task} seed {item.seed}: {item.reason}" for item in result.results if not item.success]


@pytest.mark.req("R-CLI-5")
async def test_reference_solutions_reach_reward_one_through_tools_and_marks(tmp_path: Path) -> None:
    plan = EvalPlan(
        suite="miniwob", agent="reference", tasks=REFERENCE_TASKS, seeds=(0,), artifacts=tmp_path, out=tmp_path / "out"
    )
    result = await run(plan)

    assert failures(result) == []
    assert [item.reward for item in result.results] == [1.0] * 5
    assert all(item.status == "finished" for item in result.results)
    assert all(Path(item.directory).is_relative_to(tmp_path) for item in result.results)
    lines = (tmp_path / "out" / "results.jsonl").read_text().splitlines()
    assert len(lines) == 5
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["summary"]["successes"] == 5


@pytest.mark.soak
@pytest.mark.req("R-EVL-1")
async def test_reference_solutions_reach_reward_one_on_twenty_seeds_each(tmp_path: Path) -> None:
    plan = EvalPlan(
        suite="miniwob", agent="reference", tasks=REFERENCE_TASKS, seeds=tuple(range(20)), artifacts=tmp_path
    )

    assert failures(await run(plan)) == []


@pytest.mark.req("R-EVL-1")
async def test_a_value_is_carried_over_three_pages_by_a_note(tmp_path: Path) -> None:
    result = await run(EvalPlan(suite="three-pages", agent="heuristic", seeds=(8,), artifacts=tmp_path))

    assert failures(result) == []


@pytest.mark.req("R-CFG-5")
async def test_without_notes_the_value_is_lost_on_the_way(tmp_path: Path) -> None:
    plan = EvalPlan(
        suite="three-pages",
        agent="heuristic",
        seeds=(8,),
        overrides=("prompt.note_view_chars=0",),
        artifacts=tmp_path,
    )
    (result,) = (await run(plan)).results

    assert not result.success
    assert not result.is_infrastructure


@pytest.mark.req("R-EVL-2")
async def test_an_agent_that_does_nothing_ends_at_its_own_limit(tmp_path: Path) -> None:
    plan = EvalPlan(suite="miniwob", agent="idle", tasks=("click-test",), seeds=(0,), max_steps=2, artifacts=tmp_path)
    (result,) = (await run(plan)).results

    assert not result.success
    assert result.status == "step_limit"


async def test_an_unknown_agent_stops_the_evaluation(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nobody"):
        await run(EvalPlan(suite="miniwob", agent="nobody", tasks=("click-test",), artifacts=tmp_path))
