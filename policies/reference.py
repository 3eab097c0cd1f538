"""The policy `reference` runs a suite's reference solution: `async def solve(task, act, look)`.

The solution is a task of its own. `act` hands a call over and waits for the view of the next request; `send` hands the
view over and waits for the next call. So each call is one step, and the solution sees only what requests show.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import ClassVar

from harness.errors import PolicyError, UsageError
from harness.protocols import PolicySpec, SeenMark, Solver, TokenCounter, View
from harness.values.message import Reply
from harness.values.profile import PLAIN, ModelProfile
from harness.values.projection import Projection, Request
from policies import neutral
from policies.keyless import Decision, call_reply, finish
from policies.view import read_view


def create(spec: PolicySpec) -> ReferencePolicy:
    """Return the policy for the spec's solution.

    Raises:
        UsageError: the task has no reference solution.
    """
    if spec.solve is None:
        raise UsageError("this task has no reference solution; choose another agent or a task that has one")
    return ReferencePolicy(spec.solve)


class ReferencePolicy:
    """Runs one solution, once."""

    PROTOCOL: ClassVar[int] = 1

    def __init__(self, solve: Solver) -> None:
        self._solve = solve
        self._task: asyncio.Task[None] | None = None
        self._call: asyncio.Future[Decision] | None = None
        self._view: asyncio.Future[View] | None = None
        self._current = View(marks=(), lines=())

    @property
    def name(self) -> str:
        """The entry-point name."""
        return "reference"

    @property
    def profile(self) -> ModelProfile:
        """The profile `plain`."""
        return PLAIN

    @property
    def counter(self) -> TokenCounter | None:
        """None: the harness's own estimate."""
        return None

    def render(self, projection: Projection) -> Request:
        """Return the request in the dialect `neutral`."""
        return neutral.render(projection)

    async def send(self, request: Request, *, deadline_s: float) -> Reply:
        """Give the solution the new view and return its next call.

        A solution that returns ends the run as a success, one that raises as a failure with the error's text.

        Raises:
            PolicyError: the solution made no call within `deadline_s` seconds.
        """
        seen = read_view(request)
        self._current = seen.view
        call: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._call = call
        if self._task is None:
            self._task = asyncio.create_task(self._run(seen.task))
        elif self._view is not None and not self._view.done():
            self._view.set_result(seen.view)
        both: tuple[asyncio.Future[None], asyncio.Future[Decision]] = (self._task, call)
        await asyncio.wait(both, timeout=deadline_s, return_when=asyncio.FIRST_COMPLETED)
        return call_reply(self._decision(self._task, call, deadline_s), number=seen.next_number, model=self.name)

    async def close(self) -> None:
        """Cancel the solution if it still runs, and wait until it has ended."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self, task: str) -> None:
        await self._solve(task, self._act, self._look)

    async def _act(self, tool: str, /, **arguments: object) -> View:
        assert self._call is not None
        self._view = asyncio.get_running_loop().create_future()
        self._call.set_result(Decision(tool=tool, arguments=_with_mark_ids(arguments)))
        return await self._view

    def _look(self) -> View:
        return self._current

    @staticmethod
    def _decision(task: asyncio.Task[None], call: asyncio.Future[Decision], deadline_s: float) -> Decision:
        if call.done():
            return call.result()
        if not task.done():
            raise PolicyError(f"the reference solution made no call within {deadline_s:g} s; it must act or return")
        if task.cancelled():
            return finish(success=False, answer="the reference solution was cancelled")
        error = task.exception()
        if error is None:
            return finish(success=True, answer="the reference solution is done")
        return finish(success=False, answer=f"the reference solution failed: {type(error).__name__}: {error}")


def _with_mark_ids(arguments: Mapping[str, object]) -> dict[str, object]:
    """Return arguments in which a mark of the view stands as its number."""
    return {key: value.id if isinstance(value, SeenMark) else value for key, value in arguments.items()}
