"""The desktop part of `transom demo`: real applications, used as any agent has to use them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evals.cli import run_plan
from evals.demo_pages import export_page, next_steps_text, task_text
from evals.plan import EvalPlan
from evals.report import verdict_text
from evals.results import SampleResult

AGENT: Final = "reference"
_WHO: Final = (
    f"The agent {AGENT} follows solutions that come with the suite. They get the task's text and see what any agent "
    "is shown, and they act through its tools; after the run a check looks at files, processes and windows."
)


def show_desktop(seed: int, folder: Path, console: Console, *, is_quiet: bool) -> Sequence[SampleResult]:
    """Run the desktop tasks of the demo, and print what came of them and where to look."""
    plan = EvalPlan(suite="desktop", agent=AGENT, tasks=("tag:demo",), seeds=(seed,), artifacts=folder)
    results = asyncio.run(run_plan(plan, console, is_quiet=is_quiet)).results
    console.print(desktop_table([(item, task_text(item, folder)) for item in results]))
    console.print(_WHO, highlight=False)
    page = export_page(results[-1], folder)
    console.print(next_steps_text(folder, page, has_note=False), soft_wrap=True)
    return results


def desktop_table(told: Sequence[tuple[SampleResult, str]]) -> Table:
    """Return one row a task: what the agent was told and what came of it."""
    table = Table(show_lines=True)
    table.add_column("task", no_wrap=True)
    table.add_column("what it was told", overflow="fold")
    table.add_column("result", no_wrap=True)
    for name in ("steps", "seconds"):
        table.add_column(name, justify="right", no_wrap=True)
    for item, text in told:
        table.add_row(Text(item.task), Text(text), verdict_text(item), str(item.steps), f"{item.seconds:.1f}")
    return table
