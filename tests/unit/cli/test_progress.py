from __future__ import annotations

import io

import pytest
from rich.console import Console
from run_results import ended

from harness.cli.progress import StepPrinter


@pytest.mark.req("R-CLI-2")
@pytest.mark.parametrize(
    ("is_quiet", "text"),
    [(False, "success (the agent's claim): finished, the agent said so; 1 step in 0.0 s"), (True, "")],
)
def test_the_end_says_what_it_took(is_quiet: bool, text: str) -> None:
    stream = io.StringIO()
    StepPrinter(Console(file=stream, width=200), is_quiet=is_quiet).end(ended())
    assert stream.getvalue().partition("\n")[0] == text
