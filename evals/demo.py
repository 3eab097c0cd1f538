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
from evals.plan import EvalPlan
from evals.report import episode_table, verdict_text
from evals.results import SampleResult
from harness.cli.export import load_content
from harness.cli.options import ArtifactsOption, QuietOption
from harness.cli.program import program_name
from harness.store.export import export_session
from harness.store.layout import find_session

AGENT: Final = "heuristic"
BASELINE: Final = "random"
DESKTOP_AGENT: Final = "reference"
MAX_STEPS: Final = 15
MAX_SECONDS: Final = 45.0
SEED_LIMIT: Final = 1_000_000
DEFAULT_ARTIFACTS: Final = Path("artifacts")
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
    show = _show_desktop if desktop else _show_web
    results = show(drawn, folder, console, is_quiet=quiet)
    raise typer.Exit(eval_exit_code(results, min_success=None, max_infra=0))


def _show_web(seed: int, folder: Path, console: Console, *, is_quiet: bool) -> Sequence[SampleResult]:
    result = asyncio.run(run_demo(seed, folder, console, is_quiet=is_quiet))
    console.print(demo_table(result))
    console.print(totals_text(result), soft_wrap=True)
    console.print(next_steps_text(folder, export_pages(result.carried, folder)), soft_wrap=True)
    return result.results


def _show_desktop(seed: int, folder: Path, console: Console, *, is_quiet: bool) -> Sequence[SampleResult]:
    results = asyncio.run(run_desktop_demo(seed, folder, console, is_quiet=is_quiet))
    console.print(episode_table("real applications", results))
    console.print(next_steps_text(folder, export_pages(results[-1:], folder)), soft_wrap=True)
    return results


async def run_demo(seed: int, artifacts: Path, progress: Console, *, is_quiet: bool = False) -> DemoResult:
    """Run the twelve tasks with both agents, then the task that needs a note, so that it is the newest session."""

    async def run(suite: str, agent: str) -> tuple[SampleResult, ...]:
        plan = _plan(suite, agent, seed, artifacts, max_steps=MAX_STEPS, max_seconds=MAX_SECONDS)
        return (await run_plan(plan, progress, is_quiet=is_quiet)).results

    solved = await run("miniwob", AGENT)
    baseline = await run("miniwob", BASELINE)
    carried = await run("three-pages", AGENT)
    return DemoResult(solved=solved, baseline=baseline, carried=carried)


async def run_desktop_demo(
    seed: int, artifacts: Path, progress: Console, *, is_quiet: bool = False
) -> tuple[SampleResult, ...]:
    """Run the desktop tasks of the demo with their reference solutions, which know no more than any agent is shown."""
    plan = _plan("desktop", DESKTOP_AGENT, seed, artifacts)
    return (await run_plan(plan, progress, is_quiet=is_quiet)).results


def _plan(
    suite: str,
    agent: str,
    seed: int,
    artifacts: Path,
    *,
    max_steps: int | None = None,
    max_seconds: float | None = None,
) -> EvalPlan:
    return EvalPlan(
        suite=suite,
        agent=agent,
        tasks=("tag:demo",),
        seeds=(seed,),
        max_steps=max_steps,
        max_seconds=max_seconds,
        artifacts=artifacts,
    )


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


def export_pages(results: Sequence[SampleResult], artifacts: Path) -> Path | None:
    """Write the page of the first result's session; None when there is no such session."""
    session = results[0].session if results else ""
    if not session:
        return None
    out = artifacts / f"page-of-{session}"
    return export_session(out, load_content(find_session(artifacts, session))) / "index.html"


def next_steps_text(artifacts: Path, page: Path | None) -> Text:
    """Return where everything is and what to type next."""
    name = program_name()
    commands = (
        ("sessions", "list them"),
        ("show last", "what the newest one did, step by step"),
        ("notes last", "the note it kept"),
        ("export last --out my-run", "its images, requests and records as files"),
    )
    lines = [f"Every step, screenshot and overlay is kept in {artifacts}/, one folder a session."]
    if page is not None:
        lines.append(f"See the last one with its images: {page.resolve().as_uri()}")
    lines += [f"  {name} {command:26}{text}" for command, text in commands]
    return Text("\n".join(lines))


def _count(results: Sequence[SampleResult]) -> str:
    return f"{sum(item.success for item in results)}/{len(results)}"
