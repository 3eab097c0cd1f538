from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from evals.cli import eval_exit_code
from evals.demo import DemoResult, demo_table, totals_text
from evals.demo_pages import next_steps_text
from evals.desktop_demo import desktop_table
from evals.report import episode_table, markdown_table, summary_table, task_table
from evals.results import SampleResult
from evals.summary import build_summary
from harness.protocols.suites import TaskSpec
from harness.values.run import RunStatus


def result(
    task: str, *, success: bool = False, status: RunStatus = "finished", cost: float | None = None
) -> SampleResult:
    return SampleResult(
        task=task,
        seed=1,
        success=success,
        reward=float(success),
        status=status,
        reason="because",
        steps=2,
        cost_usd=cost,
    )


def printed(renderable: object) -> str:
    console = Console(width=120, record=True, file=None, quiet=False)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


@pytest.mark.req("R-CLI-4")
@pytest.mark.parametrize(
    ("results", "min_success", "max_infra", "code"),
    [
        ([result("a", success=True), result("b")], None, 0, 0),
        ([result("a", success=True), result("b")], 0.5, 0, 0),
        ([result("a", success=True), result("b")], 0.51, 0, 1),
        ([result("a", success=True), result("b", status="infrastructure")], 0.1, 0, 3),
        ([result("a", success=True), result("b", status="infrastructure")], 1.0, 1, 0),
        ([result("a", status="infrastructure")], 0.1, 1, 1),
    ],
)
def test_exit_codes(results: list[SampleResult], min_success: float | None, max_infra: int, code: int) -> None:
    assert eval_exit_code(results, min_success=min_success, max_infra=max_infra) == code


@pytest.mark.req("R-MOD-4")
def test_an_unknown_price_is_unknown_and_never_nothing() -> None:
    assert build_summary([result("a", cost=0.5), result("b", cost=0.25)], seconds=1)["cost_usd"] == 0.75
    assert build_summary([result("a", cost=0.5), result("b")], seconds=1)["cost_usd"] is None


def test_the_summary_table_has_a_row_a_task_and_one_over_all() -> None:
    text = printed(summary_table("t", [result("a", success=True), result("a"), result("b", status="infrastructure")]))

    assert "1/2" in text
    assert "50%" in text
    assert "9.5% - 90.5%" in text


def test_page_text_in_results_is_no_markup() -> None:
    text = printed(episode_table("t", [result("[red]x[/red]")]))

    assert "[red]x[/red]" in text


@pytest.mark.req("R-EVL-3")
def test_the_markdown_table_sets_agents_side_by_side() -> None:
    text = markdown_table([("heuristic", [result("a", success=True)]), ("random", [result("a")])])

    assert text.splitlines() == [
        "| task | heuristic | random |",
        "|---|---:|---:|",
        "| a | 1/1 | 0/1 |",
        "| **all episodes** | **1/1 = 100.0% (20.7% - 100.0%)** | **0/1 = 0.0% (0.0% - 79.3%)** |",
    ]


def test_the_demo_says_what_was_solved_and_what_to_type_next() -> None:
    demo = DemoResult(
        solved=(result("a", success=True), result("b")),
        baseline=(result("a"), result("b", status="step_limit")),
        carried=(result("carry-value", success=True),),
    )

    assert printed(demo_table(demo)).count("solved") == 2
    assert totals_text(demo).plain == (
        "heuristic solved 1/2 of the small tasks, random 0/2; the task that needs a note: solved"
    )
    for command in ("transom sessions", "transom show last", "transom notes last", "transom export last"):
        assert command in next_steps_text(Path("artifacts"), None, has_note=True).plain


def test_the_desktop_demo_shows_what_was_asked_and_what_came_of_it() -> None:
    text = printed(desktop_table([(result("fill-form", success=True), "Fill in [red]the form[/red].")]))

    assert "Fill in [red]the form[/red]." in text
    assert "solved" in text
    assert "transom notes" not in next_steps_text(Path("artifacts"), None, has_note=False).plain


@pytest.mark.req("R-CLI-2")
def test_tasks_are_listed_with_tags_and_limits() -> None:
    shown = printed(task_table([TaskSpec(id="click-<b>", tags=frozenset({"demo", "a"}), max_steps=7)]))
    assert shown.splitlines()[1].split() == ["click-<b>", "a,", "demo", "7", "120"]


def test_a_narrow_terminal_cuts_names_and_never_figures() -> None:
    console = Console(width=80, record=True)
    with console.capture() as capture:
        console.print(summary_table("x", [result("a-task-with-a-rather-long-name", success=True)] * 402))
    assert "402/402" in capture.get()
    assert "99.1% - 100.0%" in capture.get()
