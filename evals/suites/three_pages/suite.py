"""The suite `three-pages`: a value seen on page 1 is typed on page 3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from evals.suites.three_pages.assignment import draw_assignment
from evals.suites.three_pages.site import ThreePagesSite, Visit
from evals.suites.three_pages.solution import solve
from harness.errors import UsageError
from harness.protocols.policies import Solver
from harness.protocols.suites import SUITE_PROTOCOL, Episode, Score, SuitePage, TaskSpec
from harness.values.geometry import Size
from harness.values.run import RunResult

TASK = TaskSpec(id="carry-value", tags=frozenset({"demo", "notes"}), max_steps=20, max_seconds=300.0)


class CarryValueEpisode:
    """A visit whose form decides."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit

    @property
    def instruction(self) -> str:
        """The task text the agent gets."""
        return self._visit.assignment.instruction

    async def is_over(self) -> bool:
        """Return whether the form was submitted."""
        return self._visit.submitted is not None

    async def score(self, run: RunResult) -> Score:
        """Return success when the server holds exactly the wanted value in the wanted input and nothing else."""
        submitted = self._visit.submitted
        if submitted is None:
            return Score(success=False, reward=0.0, reason="the form was not submitted")
        assignment = self._visit.assignment
        wanted = {name: assignment.source.value if name == assignment.target else "" for name in assignment.inputs}
        if submitted == wanted:
            return Score(success=True, reward=1.0, reason="the submitted value is right")
        return Score(success=False, reward=0.0, reason=f"submitted {submitted!r}, wanted {wanted!r}")


class ThreePagesSuite:
    """One task on a bundled one-way site; names and values change with the seed."""

    PROTOCOL: ClassVar[int] = SUITE_PROTOCOL
    device: ClassVar[Literal["web"]] = "web"

    def __init__(self) -> None:
        self._site = ThreePagesSite()

    @property
    def name(self) -> str:
        """The entry-point name."""
        return "three-pages"

    @property
    def viewport(self) -> Size:
        """The viewport the pages are made for."""
        return Size(width_px=800, height_px=600)

    def tasks(self) -> Sequence[TaskSpec]:
        """Return the one task."""
        return (TASK,)

    def solver(self, task_id: str) -> Solver | None:
        """Return the reference solution."""
        return solve if task_id == TASK.id else None

    async def open(self) -> None:
        """Start the site."""
        self._site.open()

    async def start(self, task_id: str, seed: int, page: SuitePage) -> Episode:
        """Start the task on a fresh page.

        Raises:
            UsageError: there is no such task.
        """
        if task_id != TASK.id:
            raise UsageError(f"the suite 'three-pages' has no task {task_id!r}; it has 'carry-value'")
        visit, url = self._site.add_visit(draw_assignment(seed))
        await page.goto(url)
        return CarryValueEpisode(visit)

    async def close(self) -> None:
        """Stop the site."""
        await self._site.close()
