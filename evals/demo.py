"""`transom demo`: an agent without a model works through real tasks, on the web or on a desktop."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from evals.cli import eval_exit_code, run_plan
from evals.demo_pages import export_page, next_steps_text
from evals.desktop_demo import show_desktop
from evals.plan import EvalPlan
from evals.report import verdict_text
from evals.results import SampleResult
from harness.api import DEFAULT_ARTIFACTS
from harness.cli.options import ArtifactsOption, QuietOption
from harness.cli.program import program_name

AGENT: Final = "heuristic"
BASELINE: Final = "random"
MAX_STEPS: Final = 15
MAX_SECONDS: Final = 45.0
SEED_LIMIT: Final = 1_000_000
SeedOption = Annotated[
    int | None, typer.Option("--seed", min=0, metavar="N", help="Repeat the demo of that seed; drawn when left out.")
]
DesktopOption = Annotated[
    bool, typer.Option("--desktop", help="Show real applications on a virtual desktop instead of web pages.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoResult:
    """What the demo ran.

    Attributes:
        solved: The small tasks by the demo's agent.
        baseline: The same tasks and seed by the agent that acts at random.
        carried: The task that needs a note.
    """

    solved: tuple[SampleResult, ...]
    baseline: tuple[SampleResult, ...]
    carried: tuple[SampleResult, ...]

    @property
    def results(self) -> tuple[SampleResult, ...]:
        """All results."""
        return (*self.solved, *self.baseline, *self.carried)


def demo_command(
    desktop: DesktopOption = False,
    seed: SeedOption = None,
    artifacts: ArtifactsOption = None,
    quiet: QuietOption = False,
) -> None:
    """Watch an agent work through twelve small web tasks and one that needs a note; no key, no network.

    With --desktop: real applications, on a desktop that needs no screen.

    Example: transom demo --desktop
    """
    drawn = secrets.randbelow(SEED_LIMIT) if seed is None else seed
    console = Console()
    mode = " --desktop" if desktop else ""
    console.print(f"seed {drawn} (repeat this run with: {program_name()} demo{mode} --seed {drawn})", highlight=False)
    folder = artifacts or DEFAULT_ARTIFACTS
    show = show_desktop if desktop else show_web
    raise typer.Exit(eval_exit_code(show(drawn, folder, console, is_quiet=quiet), min_success=None, max_infra=0))


def show_web(seed: int, folder: Path, console: Console, *, is_quiet: bool) -> Sequence[SampleResult]:
    """Run the web tasks of the demo, and print what came of them and where to look."""
    result = asyncio.run(run_demo(seed, folder, console, is_quiet=is_quiet))
    console.print(demo_table(result))
    console.print(totals_text(result), soft_wrap=True)
    page = export_page(result.carried[0], folder)
    console.print(next_steps_text(folder, page, has_note=True), soft_wrap=True)
    return result.results


async def run_demo(seed: int, artifacts: Path, progress: Console, *, is_quiet: bool = False) -> DemoResult:
    """Run the twelve tasks with both agents, then the task that needs a note, so that it is the newest session."""

    async def run(suite: str, agent: str) -> tuple[SampleResult, ...]:
        plan = EvalPlan(
            suite=suite,
            agent=agent,
            tasks=("tag:demo",),
            seeds=(seed,),
            max_steps=MAX_STEPS,
            max_seconds=MAX_SECONDS,
            artifacts=artifacts,
        )
        return (await run_plan(plan, progress, is_quiet=is_quiet)).results

    solved = await run("miniwob", AGENT)
    baseline = await run("miniwob", BASELINE)
    carried = await run("three-pages", AGENT)
    return DemoResult(solved=solved, baseline=baseline, carried=carried)


def demo_table(result: DemoResult) -> Table:
    """Return one row a task: what the agent did, and whether acting at random does it too."""
    by_key = {item.key: item for item in result.baseline}
    table = Table()
    for name in ("task", "result", BASELINE):
        table.add_column(name)
    for name in ("steps", "seconds"):
        table.add_column(name, justify="right")
    for item in (*result.solved, *result.carried):
        other = by_key.get(item.key)
        beside = Text("-", style="dim") if other is None else verdict_text(other)
        table.add_row(Text(item.task), verdict_text(item), beside, str(item.steps), f"{item.seconds:.1f}")
    return table


def totals_text(result: DemoResult) -> Text:
    """Return what both agents solved, in one line."""
    return Text.assemble(
        (f"{AGENT} solved {_count(result.solved)} of the small tasks, {BASELINE} {_count(result.baseline)}", "bold"),
        f"; the task that needs a note: {verdict_text(result.carried[0]).plain}",
    )


def _count(results: Sequence[SampleResult]) -> str:
    return f"{sum(item.success for item in results)}/{len(results)}"
