"""Suites: named sets of tasks with their pages and checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from harness.protocols.policies import Solver
from harness.values.geometry import Size

SUITE_PROTOCOL = 1


class SuitePage(Protocol):
    """The little that a suite needs of a browser page to start and to score a task."""

    async def goto(self, url: str) -> object:
        """Open `url`."""
        ...

    async def evaluate(self, expression: str, arg: object = None) -> object:
        """Run the suite's own JavaScript and return its JSON value."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSpec:
    """A task of a suite.

    Attributes:
        id: Unique within the suite.
        tags: For selection, for example `demo`.
        max_steps: Model steps the task may take.
        max_seconds: Seconds the task may take.
        viewport: Viewport of this task in CSS pixels; None for the suite's.
        device_scale: Physical pixels per CSS pixel of its frames; small pages are readable at 2.
    """

    id: str
    tags: frozenset[str] = field(default_factory=frozenset)
    max_steps: int = 20
    max_seconds: float = 120.0
    viewport: Size | None = None
    device_scale: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A scorer's verdict: `reward` is the suite's own number, `success` what counts."""

    success: bool
    reward: float
    reason: str = ""


class Episode(Protocol):
    """One task with one seed on one page."""

    @property
    def instruction(self) -> str:
        """The task text the agent gets."""
        ...

    async def is_over(self) -> bool:
        """Return whether the environment itself has ended the task."""
        ...

    async def score(self) -> Score:
        """Return the verdict; called once, after the run ended."""
        ...


class Suite(Protocol):
    """A named set of tasks with their pages and checks."""

    PROTOCOL: ClassVar[int]

    @property
    def name(self) -> str:
        """The entry-point name."""
        ...

    @property
    def viewport(self) -> Size:
        """The viewport its tasks are made for, in CSS pixels."""
        ...

    def tasks(self) -> Sequence[TaskSpec]:
        """Return all tasks in a fixed order."""
        ...

    def solver(self, task_id: str) -> Solver | None:
        """Return the reference solution, or None."""
        ...

    async def open(self) -> None:
        """Start what all tasks need, for example a loopback server."""
        ...

    async def start(self, task_id: str, seed: int, page: SuitePage) -> Episode:
        """Start one task on a fresh page."""
        ...

    async def close(self) -> None:
        """Stop what `open` started."""
        ...


class SuiteFactory(Protocol):
    """The entry point of the group `transom.suites`."""

    def __call__(self) -> Suite:
        """Return a suite that is not opened yet."""
        ...
