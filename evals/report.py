"""Summaries for people: a terminal table and a Markdown table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from evals.results import SampleResult
from evals.statistics import SuccessRow, count_by_task, count_success
from harness.protocols.suites import TaskSpec


def task_table(tasks: Sequence[TaskSpec]) -> Table:
    """Return a table with one row a task: its tags and limits."""
    table = Table(box=None, pad_edge=False)
    table.add_column("task", no_wrap=True)
    table.add_column("tags")
    table.add_column("steps", justify="right")
    table.add_column("seconds", justify="right")
    for task in tasks:
        table.add_row(Text(task.id), Text(", ".join(sorted(task.tags))), str(task.max_steps), f"{task.max_seconds:.0f}")
    return table


def summary_table(title: str, results: Sequence[SampleResult]) -> Table:
    """Return a table with one row a task and one over all episodes."""
    table = Table(title=title, title_justify="left", show_edge=False)
    # Where the terminal is narrow the task's name is cut and never a figure.
    table.add_column("task", no_wrap=True, overflow="ellipsis")
    widths = {"success": 7, "rate": 4, "95 % interval": 14, "steps": 5, "seconds": 7, "infra": 5}
    for name, width in widths.items():
        table.add_column(name, justify="right", no_wrap=True, min_width=width)
    for row in count_by_task(results):
        table.add_row(*_cells(row))
    table.add_section()
    table.add_row(*_cells(count_success("all", results)), style="bold")
    return table


def episode_table(title: str, results: Sequence[SampleResult]) -> Table:
    """Return a table with one row an episode."""
    table = Table(title=title, title_justify="left")
    for name in ("task", "result"):
        table.add_column(name)
    for name in ("seed", "steps", "seconds"):
        table.add_column(name, justify="right")
    table.add_column("session")
    for item in results:
        verdict = verdict_text(item)
        table.add_row(
            Text(item.task), verdict, str(item.seed), str(item.steps), f"{item.seconds:.1f}", Text(item.session)
        )
    return table


def markdown_table(columns: Sequence[tuple[str, Sequence[SampleResult]]]) -> str:
    """Return successes by task for several agents side by side, with Wilson's 95 % interval over all episodes.

    Args:
        columns: Agent names and their results; tasks are listed as the first has them.
    """
    by_agent = [{row.task: row for row in count_by_task(results)} for _, results in columns]
    tasks = list(by_agent[0]) if by_agent else []
    lines = ["| task | " + " | ".join(agent for agent, _ in columns) + " |"]
    lines.append("|---|" + "---:|" * len(columns))
    lines.extend(
        f"| {task} | " + " | ".join(_markdown_count(rows.get(task)) for rows in by_agent) + " |" for task in tasks
    )
    total = [count_success("all", results) for _, results in columns]
    lines.append("| **all episodes** | " + " | ".join(f"**{_markdown_total(row)}**" for row in total) + " |")
    return "\n".join(lines) + "\n"


def verdict_text(result: SampleResult) -> Text:
    """Return `solved`, `failed` or the status that ended the run, coloured."""
    if result.success:
        return Text("solved", style="green")
    if result.is_infrastructure:
        return Text("infrastructure", style="magenta")
    return Text("failed" if result.status == "finished" else f"failed ({result.status})", style="red")


def format_interval(row: SuccessRow) -> str:
    """Return a row's interval in per cent."""
    return f"{row.interval.low:.1%} - {row.interval.high:.1%}"


def _cells(row: SuccessRow) -> tuple[str, ...]:
    return (
        row.task,
        f"{row.successes}/{row.episodes}",
        f"{row.rate:.0%}",
        format_interval(row),
        f"{row.steps:.1f}",
        f"{row.seconds:.1f}",
        str(row.infrastructure or "-"),
    )


def _markdown_count(row: SuccessRow | None) -> str:
    return "-" if row is None else f"{row.successes}/{row.episodes}"


def _markdown_total(row: SuccessRow) -> str:
    return f"{row.successes}/{row.episodes} = {row.rate:.1%} ({format_interval(row)})"
