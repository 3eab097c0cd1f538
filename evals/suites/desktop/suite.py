"""The suite `desktop`: tasks on Mousepad, FeatherPad, galculator, PCManFM, Gnumeric, xterm and zenity."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import ClassVar, Literal

from evals.suites.desktop.catalog import TASKS
from evals.suites.desktop.draw import Draw
from evals.suites.desktop.task import AssignedEpisode
from harness.controllers.desktop.programs import DESKTOP_PROGRAMS, SUITE_APPLICATIONS, missing, missing_text
from harness.errors import InfrastructureError, UsageError
from harness.protocols.policies import Solver
from harness.protocols.suites import SUITE_PROTOCOL, SuiteDesktop, TaskSpec


class RealApplications:
    """Tasks on real applications; names, numbers and texts change with the seed."""

    PROTOCOL: ClassVar[int] = SUITE_PROTOCOL
    device: ClassVar[Literal["desktop"]] = "desktop"

    def __init__(self) -> None:
        self._tasks = {task.spec.id: task for task in TASKS}

    @property
    def name(self) -> str:
        """The entry-point name."""
        return "desktop"

    def tasks(self) -> Sequence[TaskSpec]:
        """Return all tasks, the simpler ones first."""
        return tuple(task.spec for task in TASKS)

    def solver(self, task_id: str) -> Solver | None:
        """Return the reference solution, or None."""
        task = self._tasks.get(task_id)
        return None if task is None else task.solve

    async def open(self) -> None:
        """Check that everything it needs is installed; nothing is installed at run time.

        Raises:
            InfrastructureError: something is missing; the text says how to install it.
        """
        if not sys.platform.startswith("linux"):
            raise InfrastructureError(
                f"the suite 'desktop' needs Linux, this is {sys.platform!r}; run it in a container"
            )
        absent = missing((*DESKTOP_PROGRAMS, *SUITE_APPLICATIONS), os.environ)
        if absent:
            raise InfrastructureError(missing_text("the suite 'desktop'", absent))

    async def start(self, task_id: str, seed: int, desktop: SuiteDesktop) -> AssignedEpisode:
        """Set a task up on a fresh desktop.

        Raises:
            UsageError: there is no such task.
            InfrastructureError: an application did not open its window.
        """
        task = self._tasks.get(task_id)
        if task is None:
            raise UsageError(f"the suite 'desktop' has no task {task_id!r}; `transom eval desktop --list` names them")
        return AssignedEpisode(await task.set_up(desktop, Draw(task_id, seed)))

    async def close(self) -> None:
        """Nothing is held."""
