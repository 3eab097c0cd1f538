"""The suite `miniwob`: every page of the installed package, served on loopback."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal

from evals.suites.loopback import LoopbackServer, static_handler
from evals.suites.miniwob.catalog import VIEWPORT, build_catalog
from evals.suites.miniwob.episode import start_episode
from evals.suites.miniwob.pages import list_task_ids, page_path
from evals.suites.miniwob.solutions import SOLUTIONS
from harness.errors import UsageError
from harness.protocols.policies import Solver
from harness.protocols.suites import SUITE_PROTOCOL, Episode, SuitePage, TaskSpec
from harness.values.geometry import Size


class MiniWobSuite:
    """MiniWoB++ from the Farama package's own pages; success is raw reward 1."""

    PROTOCOL: ClassVar[int] = SUITE_PROTOCOL
    device: ClassVar[Literal["web"]] = "web"

    def __init__(self, folder: Path) -> None:
        self._tasks = build_catalog(list_task_ids(folder))
        self._ids = frozenset(task.id for task in self._tasks)
        self._server = LoopbackServer(static_handler(folder))

    @property
    def name(self) -> str:
        """The entry-point name."""
        return "miniwob"

    @property
    def viewport(self) -> Size:
        """The viewport of all but the flight tasks, in CSS pixels."""
        return VIEWPORT

    def tasks(self) -> Sequence[TaskSpec]:
        """Return all tasks: pages by name, then the flight pages."""
        return self._tasks

    def solver(self, task_id: str) -> Solver | None:
        """Return the reference solution, or None."""
        return SOLUTIONS.get(task_id)

    async def open(self) -> None:
        """Start the server."""
        self._server.open()

    async def start(self, task_id: str, seed: int, page: SuitePage) -> Episode:
        """Start one task on a fresh page.

        Raises:
            UsageError: there is no such task.
            InfrastructureError: the page did not become ready.
        """
        if task_id not in self._ids:
            raise UsageError(
                f"the suite 'miniwob' has no task {task_id!r}; its tasks are its pages, such as click-test"
            )
        return await start_episode(page, f"{self._server.url}/{page_path(task_id)}", seed)

    async def close(self) -> None:
        """Stop the server."""
        await self._server.close()
