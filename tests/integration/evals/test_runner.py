from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, Literal

import pytest

from evals.plan import EvalPlan
from evals.results import Sample, SampleKey, SampleResult
from evals.runner import SuiteResult, run_suite
from harness.errors import InfrastructureError, StorageDamaged, UsageError
from harness.protocols.policies import Solver
from harness.protocols.suites import SUITE_PROTOCOL, Episode, SuitePage, TaskSpec
from harness.values.geometry import Size


class FakeSuite:
    """Two tasks that are never started: the fake engine answers for them."""

    PROTOCOL: ClassVar[int] = SUITE_PROTOCOL
    device: ClassVar[Literal["web"]] = "web"
    name = "fake"
    viewport = Size(width_px=100, height_px=100)

    def tasks(self) -> Sequence[TaskSpec]:
        return (TaskSpec(id="one"), TaskSpec(id="two"))

    def solver(self, task_id: str) -> Solver | None:
        return None

    async def open(self) -> None:
        return None

    async def start(self, task_id: str, seed: int, page: SuitePage) -> Episode:
        raise AssertionError("the fake engine starts no episode")

    async def close(self) -> None:
        return None


Behaviour = Callable[[Sample, int], SampleResult]


class FakeEngine:
    """Workers that answer from a function of the sample and the number of its try."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.tried: list[SampleKey] = []
        self.opened = 0
        self.closed = 0
        self.replaced = 0
        self.running = 0
        self.most_running = 0

    async def open_worker(self) -> FakeWorker:
        self.opened += 1
        return FakeWorker(self)


class FakeWorker:
    def __init__(self, engine: FakeEngine) -> None:
        self.engine = engine

    async def run(self, sample: Sample) -> SampleResult:
        engine = self.engine
        engine.running += 1
        engine.most_running = max(engine.most_running, engine.running)
        try:
            await asyncio.sleep(0)
            engine.tried.append(sample.key)
            return engine.behaviour(sample, engine.tried.count(sample.key))
        finally:
            engine.running -= 1

    async def replace(self) -> None:
        self.engine.replaced += 1

    async def close(self) -> None:
        self.engine.closed += 1


def solved(sample: Sample, attempt: int = 1) -> SampleResult:
    return SampleResult(
        task=sample.task.id, seed=sample.seed, success=True, reward=1.0, status="finished", reason="", steps=1
    )


async def run(engine: FakeEngine, plan: EvalPlan) -> SuiteResult:
    return await run_suite(plan, FakeSuite(), engine)


@pytest.mark.req("R-EVL-2")
async def test_every_sample_runs_once_in_the_plans_order_on_all_workers() -> None:
    engine = FakeEngine(solved)

    result = await run(engine, EvalPlan(suite="fake", seeds=(5, 6), workers=2))

    assert [(item.task, item.seed) for item in result.results] == [("one", 5), ("two", 5), ("one", 6), ("two", 6)]
    assert len(engine.tried) == 4
    assert engine.most_running == 2
    assert (engine.opened, engine.closed) == (2, 2)


@pytest.mark.req("R-EVL-2")
async def test_an_infrastructure_fault_is_retried_once_on_fresh_resources() -> None:
    def fails_first(sample: Sample, attempt: int) -> SampleResult:
        if sample.task.id == "one" and attempt == 1:
            raise InfrastructureError("the browser is gone")
        return solved(sample)

    engine = FakeEngine(fails_first)
    result = await run(engine, EvalPlan(suite="fake", workers=1))

    assert [item.success for item in result.results] == [True, True]
    assert [item.retries for item in result.results] == [1, 0]
    assert engine.replaced == 1


@pytest.mark.req("R-EVL-2")
async def test_a_fault_that_stays_is_a_result_and_the_worker_goes_on() -> None:
    def one_never_works(sample: Sample, attempt: int) -> SampleResult:
        if sample.task.id == "one":
            raise InfrastructureError("the browser is gone")
        return solved(sample)

    engine = FakeEngine(one_never_works)
    result = await run(engine, EvalPlan(suite="fake", workers=1))

    assert [item.status for item in result.results] == ["infrastructure", "finished"]
    assert result.results[0].reason == "the browser is gone"
    assert engine.tried.count(SampleKey(task="one", seed=0)) == 2


@pytest.mark.req("R-EVL-2")
async def test_what_the_agent_does_wrong_is_never_retried() -> None:
    def fails(sample: Sample, attempt: int) -> SampleResult:
        return SampleResult(
            task=sample.task.id, seed=sample.seed, success=False, reward=-1.0, status="step_limit", reason="wrong"
        )

    engine = FakeEngine(fails)
    await run(engine, EvalPlan(suite="fake", workers=1))

    assert len(engine.tried) == 2


@pytest.mark.req("R-EVL-2")
async def test_an_error_of_the_operator_stops_every_worker_and_keeps_what_is_done(tmp_path: Path) -> None:
    def second_is_a_usage_error(sample: Sample, attempt: int) -> SampleResult:
        if sample.task.id == "two":
            raise UsageError("no agent 'x'; write another")
        return solved(sample)

    engine = FakeEngine(second_is_a_usage_error)
    with pytest.raises(UsageError, match="no agent"):
        await run(engine, EvalPlan(suite="fake", workers=1, out=tmp_path))

    assert engine.closed == 1
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 1


@pytest.mark.req("R-EVL-2")
async def test_a_second_run_does_only_what_is_missing(tmp_path: Path) -> None:
    await run(FakeEngine(solved), EvalPlan(suite="fake", seeds=(0,), out=tmp_path, workers=1))

    engine = FakeEngine(solved)
    result = await run(engine, EvalPlan(suite="fake", seeds=(0, 1), out=tmp_path, workers=1))

    assert [key.seed for key in engine.tried] == [1, 1]
    assert result.resumed == 2
    assert len(result.results) == 4


@pytest.mark.req("R-EVL-2")
async def test_infrastructure_results_count_as_missing_and_a_cut_line_is_dropped(tmp_path: Path) -> None:
    def never_works(sample: Sample, attempt: int) -> SampleResult:
        if sample.task.id == "one":
            raise InfrastructureError("no browser")
        return solved(sample)

    await run(FakeEngine(never_works), EvalPlan(suite="fake", out=tmp_path, workers=1))
    with (tmp_path / "results.jsonl").open("a") as stream:
        stream.write('{"task": "tw')

    engine = FakeEngine(solved)
    result = await run(engine, EvalPlan(suite="fake", out=tmp_path, workers=1))

    assert engine.tried == [SampleKey(task="one", seed=0)]
    assert [item.status for item in result.results] == ["finished", "finished"]


@pytest.mark.req("R-EVL-2")
async def test_a_folder_of_another_plan_is_refused(tmp_path: Path) -> None:
    await run(FakeEngine(solved), EvalPlan(suite="fake", agent="heuristic", out=tmp_path))

    with pytest.raises(UsageError, match=r"results of another plan .*'heuristic'.*'random'.*--out"):
        await run(FakeEngine(solved), EvalPlan(suite="fake", agent="random", out=tmp_path))


async def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    await run(FakeEngine(solved), EvalPlan(suite="fake", out=tmp_path))
    results = tmp_path / "results.jsonl"
    results.write_text("{}\n" + results.read_text())

    with pytest.raises(StorageDamaged, match=r"results\.jsonl:1 can't be read"):
        await run(FakeEngine(solved), EvalPlan(suite="fake", out=tmp_path))


@pytest.mark.req("R-CLI-3")
async def test_the_summary_is_whole_json_of_the_promised_shape(tmp_path: Path) -> None:
    await run(FakeEngine(solved), EvalPlan(suite="fake", out=tmp_path))

    summary = json.loads((tmp_path / "summary.json").read_text())

    assert summary["schema"] == "transom/eval/1"
    assert (summary["suite"], summary["agent"]) == ("fake", "heuristic")
    assert {
        "task", "seed", "success", "reward", "status", "answer", "steps", "seconds", "tokens", "cost_usd", "session"
    } <= set(summary["results"][0])  # fmt: skip
    assert set(summary["results"][0]["tokens"]) == {"input", "cached", "output"}
    assert summary["summary"]["successes"] == 2
    assert summary["summary"]["tasks"]["one"]["episodes"] == 1
