"""Runs the samples of a plan on workers, keeps each result as it comes, and runs only what is missing."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evals.engine import Engine, Listener, SilentListener, Worker
from evals.plan import EvalPlan, build_samples, select_tasks
from evals.result_files import PlanModel, ResultFolder, newest_by_sample
from evals.results import Sample, SampleResult
from evals.summary import build_summary, suite_json
from harness.errors import HarnessError, InfrastructureError, UsageError
from harness.protocols.suites import Suite, TaskSpec

REFERENCE = "reference"
RETRIES = 1
"""Times a sample is run again after an infrastructure fault; what an agent does wrong is never run again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteResult:
    """What came of an evaluation.

    Attributes:
        plan: What was run.
        results: One result for each sample, in the plan's order; earlier results of a resumed folder included.
        seconds: Wall time of this run.
        resumed: Results that stood already.
    """

    plan: EvalPlan
    results: tuple[SampleResult, ...]
    seconds: float
    resumed: int = 0


async def run_suite(plan: EvalPlan, suite: Suite, engine: Engine, *, listener: Listener | None = None) -> SuiteResult:
    """Run every sample of the plan that has no result yet.

    Args:
        plan: What to run.
        suite: The opened suite.
        engine: Opens the workers.
        listener: Hears about progress.

    Raises:
        UsageError: the selection is empty, or the folder holds results of another plan.
        InfrastructureError: no worker could start.
        StorageError: a result can't be kept.
    """
    begun_s = time.monotonic()
    samples = build_samples(plan, _choose_tasks(plan, suite))
    folder = None if plan.out is None else ResultFolder(plan.out)
    earlier = () if folder is None else _load_earlier(folder, plan, samples)
    listener = listener or SilentListener()
    listener.planned(len(samples), len(earlier))
    known = {result.key for result in earlier}
    run = _Run(deque(sample for sample in samples if sample.key not in known), folder, listener)
    fresh = await run.finish(engine, plan.worker_count)
    by_key = {result.key: result for result in (*earlier, *fresh)}
    ordered = tuple(by_key[sample.key] for sample in samples)
    result = SuiteResult(plan=plan, results=ordered, seconds=time.monotonic() - begun_s, resumed=len(earlier))
    if folder is not None:
        folder.save_summary(suite_json(plan.suite, plan.agent, ordered, build_summary(ordered, seconds=result.seconds)))
    return result


def _choose_tasks(plan: EvalPlan, suite: Suite) -> tuple[TaskSpec, ...]:
    """Return the plan's tasks; `reference` without a selection takes those that have a solution."""
    chosen = select_tasks(suite.tasks(), plan.tasks)
    if plan.agent != REFERENCE:
        return chosen
    solvable = tuple(task for task in chosen if suite.solver(task.id) is not None)
    missing = [task.id for task in chosen if task not in solvable]
    if not solvable or (missing and plan.tasks):
        raise UsageError(
            f"the suite {plan.suite!r} has no reference solution for {', '.join(missing)}; "
            "leave --tasks out to run every task that has one"
        )
    return solvable


def _load_earlier(folder: ResultFolder, plan: EvalPlan, samples: Sequence[Sample]) -> tuple[SampleResult, ...]:
    wanted = {sample.key for sample in samples}
    stored = folder.load(PlanModel(suite=plan.suite, agent=plan.agent, fingerprint=plan.fingerprint()))
    return tuple(item for item in newest_by_sample(stored) if item.key in wanted and not item.is_infrastructure)


class _Run:
    """The samples still to run, shared by the workers of one loop."""

    def __init__(self, waiting: deque[Sample], folder: ResultFolder | None, listener: Listener) -> None:
        self._waiting = waiting
        self._folder = folder
        self._listener = listener
        self._results: list[SampleResult] = []

    async def finish(self, engine: Engine, workers: int) -> list[SampleResult]:
        """Run all waiting samples; an error that no sample can survive stops every worker."""
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(min(workers, len(self._waiting))):
                    group.create_task(self._work(number, engine))
        except* HarnessError as errors:
            raise errors.exceptions[0] from None
        return self._results

    async def _work(self, number: int, engine: Engine) -> None:
        worker = await engine.open_worker()
        try:
            while self._waiting:
                sample = self._waiting.popleft()
                self._listener.started(number, sample)
                result = await self._run_sample(worker, sample)
                if self._folder is not None:
                    await asyncio.to_thread(self._folder.append, result)
                self._results.append(result)
                self._listener.ended(number, result)
        finally:
            await worker.close()

    async def _run_sample(self, worker: Worker, sample: Sample) -> SampleResult:
        begun_s = time.monotonic()
        fault = ""
        for attempt in range(RETRIES + 1):
            if attempt:
                self._listener.retried(sample, fault)
            try:
                result = await worker.run(sample)
            except InfrastructureError as exc:
                fault = str(exc)
            else:
                if not result.is_infrastructure:
                    return replace(result, retries=attempt)
                fault = result.reason
            await worker.replace()
        return SampleResult(
            task=sample.task.id,
            seed=sample.seed,
            success=False,
            reward=0.0,
            status="infrastructure",
            reason=fault,
            seconds=time.monotonic() - begun_s,
            retries=RETRIES,
        )
