"""login-user: type user name and password and log in."""

from __future__ import annotations

from evals.suites.miniwob.solutions.reading import find_mark, quoted
from harness.protocols.policies import Act, LookAround


async def solve(task: str, act: Act, look: LookAround) -> None:
    """Fill the two fields in the order in which the task names their values, then press Login."""
    view = look()
    for number, value in enumerate(quoted(task)[:2]):
        field = [mark for mark in view.marks if mark.role == "textbox"][number]
        view = await act("type_text", mark=field.id, text=value)
    await act("click", mark=find_mark(view, role="button", name="Login").id)
