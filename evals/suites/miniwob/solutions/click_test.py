"""click-test: press the one button."""

from __future__ import annotations

from evals.suites.miniwob.solutions.reading import find_mark
from harness.protocols.policies import Act, LookAround


async def solve(task: str, act: Act, look: LookAround) -> None:
    """Press the button."""
    await act("click", mark=find_mark(look(), role="button").id)
