from __future__ import annotations

import io

import pytest
from rich.console import Console

from evals.engine import Listener
from evals.progress import open_listener
from evals.results import Sample, SampleResult
from harness.protocols.suites import TaskSpec

SAMPLE = Sample(task=TaskSpec(id="click-test"), seed=7, max_steps=5, max_seconds=9.0)
FAILED = SampleResult(
    task="click-test",
    seed=7,
    success=False,
    reward=-1.0,
    status="step_limit",
    reason="a [red]long[/red] reason " * 20,
    steps=1,
    seconds=2.0,
)


def heard(*, is_terminal: bool, is_quiet: bool) -> str:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=is_terminal, width=100, color_system=None)
    with open_listener(console, "miniwob, random", is_quiet=is_quiet) as listener:
        tell(listener)
    return stream.getvalue()


def tell(listener: Listener) -> None:
    listener.planned(3, 1)
    listener.started(0, SAMPLE)
    listener.retried(SAMPLE, "the browser is gone")
    listener.ended(0, FAILED)


@pytest.mark.req("R-VIEW-3")
def test_without_a_terminal_each_result_is_one_whole_line() -> None:
    lines = heard(is_terminal=False, is_quiet=False).splitlines()

    assert lines[0] == "miniwob, random: 3 episodes, 1 of them have a result already"
    assert lines[1] == "click-test seed 7 runs again: the browser is gone"
    assert lines[2].startswith("   2/3  click-test")
    assert "failed (step_limit)  1 step, 2.0 s  a [red]long[/red] reason" in lines[2]
    assert len(lines) == 3


@pytest.mark.req("R-VIEW-3")
def test_a_terminal_shows_a_live_bar_and_the_result_above_it() -> None:
    text = heard(is_terminal=True, is_quiet=False)

    assert "click-test, seed 7" in text
    assert "2/3" in text
    assert "failed (step_limit)" in text


@pytest.mark.req("R-CLI-2")
def test_quiet_prints_nothing() -> None:
    assert heard(is_terminal=True, is_quiet=True) == ""
    assert heard(is_terminal=False, is_quiet=True) == ""
