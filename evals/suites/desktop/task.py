"""Tasks on a desktop: how one is set up, what the agent is told, and what decides afterwards."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from evals.suites.desktop.draw import Draw
from harness.protocols.policies import Solver
from harness.protocols.suites import Score, SuiteDesktop, TaskSpec
from harness.values.run import RunResult

Check = Callable[[RunResult], Awaitable[str | None]]
"""Returns None when the task was done, else in one sentence what is not as it should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A task that was set up on a desktop.

    Attributes:
        instruction: What the agent is told; drawn names and texts stand in double quotes.
        check: What decides, after the run, from files, processes, windows or the accessibility tree.
    """

    instruction: str
    check: Check


class SetUp(Protocol):
    """Sets a task up; its applications are on the screen when it returns."""

    def __call__(self, desktop: SuiteDesktop, draw: Draw) -> Awaitable[Assignment]:
        """Set the task up with what `draw` draws."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopTask:
    """A task of the suite: its listing, its set-up, its reference solution."""

    spec: TaskSpec
    set_up: SetUp
    solve: Solver


class AssignedEpisode:
    """An assignment as an episode; nothing but the agent or a limit ends it."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment

    @property
    def instruction(self) -> str:
        """The task text the agent gets."""
        return self._assignment.instruction

    async def is_over(self) -> bool:
        """Return False: what is on a desktop can always be undone."""
        return False

    async def score(self, run: RunResult) -> Score:
        """Return success when nothing is other than it should be."""
        problem = await self._assignment.check(run)
        if problem is None:
            return Score(success=True, reward=1.0, reason="everything is as it should be")
        return Score(success=False, reward=0.0, reason=problem)
