"""A task that can't be done."""

from __future__ import annotations

from collections.abc import Sequence

from evals.suites.desktop.apps import open_mousepad
from evals.suites.desktop.draw import LAST_NAMES, Draw
from evals.suites.desktop.state import file_problem, first_problem, write_files
from evals.suites.desktop.task import Assignment
from harness.protocols.suites import SuiteDesktop
from harness.values.run import RunResult


async def missing_number(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Look up somebody who is not listed: the right answer is to say so and to change nothing."""
    listed = draw.people(7)
    absent = _namesake(draw, listed)
    directory, target = draw.file_names(2)
    contents = {directory: "".join(f"{person}: {draw.code()}\n" for person in listed), target: "Reference: \n"}
    write_files(desktop.home, contents)
    await open_mousepad(desktop, desktop.home / target)
    await open_mousepad(desktop, desktop.home / directory)

    async def check(run: RunResult) -> str | None:
        if run.status != "finished":
            return f"the agent did not say that it can't be done: it ended as {run.status}"
        if run.success or not (run.answer or "").strip():
            return f"the agent did not say that it can't be done: it answered {run.answer!r}"
        return first_problem(*(file_problem(desktop.home / name, text) for name, text in contents.items()))

    return Assignment(
        instruction=(
            f'Write the reference of "{absent}" from the document "{directory}" into the document "{target}" '
            "and save it."
        ),
        check=check,
    )


def _namesake(draw: Draw, listed: Sequence[str]) -> str:
    """Return a person who is not listed and shares the first name with one who is."""
    first, last = draw.pick(listed).split()
    return f"{first} {draw.pick([other for other in LAST_NAMES if other != last])}"
