"""enter-text: type the quoted text and submit."""

from __future__ import annotations

from evals.suites.miniwob.solutions.reading import find_mark, quoted
from harness.protocols.policies import Act, LookAround


async def solve(task: str, act: Act, look: LookAround) -> None:
    """Type the text into the only field and press Submit."""
    field = find_mark(look(), role="textbox")
    view = await act("type_text", mark=field.id, text=quoted(task)[0])
    await act("click", mark=find_mark(view, role="button", name="Submit").id)
