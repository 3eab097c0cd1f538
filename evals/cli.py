"""`transom eval`: run an agent on a suite."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from evals.engine_local import LocalEngine
from evals.loading import load_suite, open_suite
from evals.plan import EvalPlan, parse_seeds, select_tasks
from evals.progress import open_listener
from evals.report import summary_table, task_table
from evals.results import SampleResult
from evals.runner import SuiteResult, run_suite
from evals.statistics import count_success
from evals.summary import build_summary, suite_json
from harness.cli.options import (
    ArtifactsOption,
    ConfigOption,
    JsonOption,
    MaxCostOption,
    MaxStepsOption,
    ModelOption,
    QuietOption,
    SetOption,
)

EXIT_OK: Final = 0
EXIT_THRESHOLD: Final = 1
EXIT_INFRASTRUCTURE: Final = 3
SuiteArgument = Annotated[str, typer.Argument(metavar="SUITE", help="A suite: miniwob, three-pages or desktop.")]
AgentOption = Annotated[
    str,
    typer.Option("--agent", metavar="NAME", help="An agent of agents.yaml, or heuristic, random, idle or reference."),
]
TasksOption = Annotated[
    str, typer.Option("--tasks", metavar="LIST", help="Task ids, globs or tag:NAME, by comma; all when left out.")
]
SeedsOption = Annotated[str, typer.Option("--seeds", metavar="LIST", help="Numbers and ranges, for example 0-4.")]
WorkersOption = Annotated[
    int, typer.Option("--workers", min=0, metavar="N", help="Episodes at a time; 0 is the smaller of 2 and the cores.")
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Keep results here; run again, it does only what is missing."),
]
MinSuccessOption = Annotated[
    float | None,
    typer.Option("--min-success", min=0.0, max=1.0, metavar="X", help="Exit with 1 when the success rate is below X."),
]
MaxInfraOption = Annotated[
    int,
    typer.Option("--max-infra", min=0, metavar="N", help="Exit with 3 when more than N episodes failed outside it."),
]
ListOption = Annotated[bool, typer.Option("--list", help="List the tasks that --tasks selects and run nothing.")]


def eval_command(
    suite: SuiteArgument,
    agent: AgentOption = "heuristic",
    tasks: TasksOption = "",
    list_only: ListOption = False,
    seeds: SeedsOption = "0",
    workers: WorkersOption = 0,
    out: OutOption = None,
    as_json: JsonOption = False,
    min_success: MinSuccessOption = None,
    max_infra: MaxInfraOption = 0,
    config: ConfigOption = None,
    model: ModelOption = None,
    settings: SetOption = None,
    max_steps: MaxStepsOption = None,
    max_cost: MaxCostOption = None,
    artifacts: ArtifactsOption = None,
    quiet: QuietOption = False,
) -> None:
    """Run an agent on the tasks of a suite and count what it solves.

    The exit code is 0 when it ran and thresholds hold, 1 when one failed, 2 for a wrong command or configuration, 3
    when browser, display, provider or storage failed.

    Example: transom eval miniwob --agent heuristic --tasks 'click-*' --seeds 0-4 --out results
    """
    wanted = tuple(item.strip() for item in tasks.split(",") if item.strip())
    if list_only:
        Console().print(task_table(select_tasks(load_suite(suite).tasks(), wanted)))
        return
    cost = () if max_cost is None else (f"limits.cost_usd={max_cost!r}",)
    plan = EvalPlan(
        suite=suite,
        agent=agent,
        tasks=wanted,
        seeds=parse_seeds(seeds),
        workers=workers,
        out=out,
        config=config,
        model=model,
        overrides=(*(settings or ()), *cost),
        max_steps=max_steps,
        artifacts=artifacts,
    )
    progress = Console(stderr=True)
    result = asyncio.run(run_plan(plan, progress, is_quiet=quiet))
    if as_json:
        typer.echo(json.dumps(result_document(result), ensure_ascii=False))
    else:
        Console().print(summary_table(f"{plan.suite} by {plan.agent}", result.results))
    raise typer.Exit(eval_exit_code(result.results, min_success=min_success, max_infra=max_infra))


async def run_plan(plan: EvalPlan, progress: Console, *, is_quiet: bool) -> SuiteResult:
    """Open the plan's suite and run the plan on this machine."""
    async with open_suite(plan.suite) as suite:
        with open_listener(progress, f"{plan.suite}, {plan.agent}", is_quiet=is_quiet) as listener:
            return await run_suite(plan, suite, LocalEngine(plan, suite), listener=listener)


def result_document(result: SuiteResult) -> dict[str, object]:
    """Return the JSON of a finished evaluation."""
    summary = build_summary(result.results, seconds=result.seconds)
    return suite_json(result.plan.suite, result.plan.agent, result.results, summary)


def eval_exit_code(results: Sequence[SampleResult], *, min_success: float | None, max_infra: int) -> int:
    """Return the exit code; an evaluation that could not measure enough says nothing about its threshold."""
    row = count_success("all", results)
    if row.infrastructure > max_infra:
        return EXIT_INFRASTRUCTURE
    if min_success is not None and row.rate < min_success:
        return EXIT_THRESHOLD
    return EXIT_OK
