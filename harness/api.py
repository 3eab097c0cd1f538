"""The door for programs: `run` a task, or open a `Session` and iterate its steps. The command line uses nothing else.

result = await run("web-scripted", "Log in", url="http://127.0.0.1:8000/", script=Path("login.yaml"))

async with await Session.open("demo", "Press OK", url=url) as session:
async for step in session:
print(step.step, step.calls)
print(session.result.success)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self, TypedDict, Unpack

from harness.protocols import Display, Solver
from harness.session.answers import command_check, load_answer_schema
from harness.session.building import DEFAULT_ARTIFACTS, SessionRequest, build_session
from harness.session.loop import SessionLoop
from harness.session.parts import Ask, Check
from harness.session.report import CallReport, StepReport
from harness.session.state import SessionState
from harness.values.message import Reply
from harness.values.run import RunResult, RunStatus, exit_code

__all__ = [
    "DEFAULT_ARTIFACTS",
    "CallReport",
    "RunOptions",
    "RunResult",
    "RunStatus",
    "Session",
    "StepReport",
    "exit_code",
    "run",
    "run_blocking",
]


class RunOptions(TypedDict, total=False):
    """Options of `run` and `Session.open`; each has a default.

    Attributes:
        url: Where the browser starts; a desktop has none.
        page: A Playwright page that the caller opened and keeps.
        config: The configuration file; by default ./agents.yaml, else the shipped one.
        model: Takes the place of the agent's model.
        overrides: `path=value` settings, over everything else.
        script: A script file, for the policy `scripted`.
        answer_schema: A JSON Schema file that the answer of `finish` must fit.
        check: The verdict after the round: a command (exit code 0 is success) or an async function.
        ask: Answers the agent's questions; without it a question ends the round as `needs_user`.
        tell: Told before the device opens what a person should know, for example how to stop an agent on their screen.
        artifacts: Where the session directory is made; by default ./artifacts.
        solve: A reference solution, for the policy `reference`.
        recording: The replies of a recorded session, for the policy `replay`.
        seed: For policies that draw.
        is_headed: Whether the browser's window is shown.
        desktop: `real` or `virtual` turns the agent's device into this machine's desktop, or one started for the run.
        environment: Variables of a running virtual desktop (DISPLAY and so on) that takes the place of the agent's
            device.
    """

    url: str | None
    page: object | None
    config: Path | None
    model: str | None
    overrides: Sequence[str]
    script: Path | None
    answer_schema: Path | None
    check: str | Check | None
    ask: Ask | None
    tell: Callable[[str], None] | None
    artifacts: Path | None
    solve: Solver | None
    recording: Sequence[Reply]
    seed: int
    is_headed: bool
    desktop: Display | None
    environment: Mapping[str, str] | None


class Session:
    """One session: iterate it for its steps, then read `result`; use it as an async context manager."""

    def __init__(self, loop: SessionLoop, stack: ExitStack, warnings: tuple[str, ...] = ()) -> None:
        self._loop = loop
        self._stack = stack
        self.warnings = warnings

    @classmethod
    async def open(cls, agent: str, task: str, **options: Unpack[RunOptions]) -> Self:
        """Build the session, lock its directory, open the device and take the first look.

        Args:
            agent: An agent of the configuration, or the name of a keyless policy.
            task: What to do, in the user's words.
            options: See `RunOptions`.

        Raises:
            UsageError: the configuration or an argument is wrong; nothing was started.
            InfrastructureError: the device can't be opened or the session can't be written.
        """
        parts, plan = build_session(_request(agent, task, options))
        tell = options.get("tell") or _say_nothing
        for notice in plan.notices:
            tell(notice)
        with ExitStack() as stack:
            stack.enter_context(parts.directory.lock())
            loop = SessionLoop(parts, plan)
            try:
                await loop.open()
            except BaseException:
                await loop.close()
                raise
            return cls(loop, stack.pop_all(), plan.warnings)

    async def __aenter__(self) -> Self:
        """Return the session."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Record an interruption where there was one, then close everything."""
        is_stopped = isinstance(exc, asyncio.CancelledError | KeyboardInterrupt)
        reason = "stopped from outside" if is_stopped else f"{type(exc).__name__}: {exc}"
        await self.close(reason=None if exc is None else reason)

    async def __aiter__(self) -> AsyncIterator[StepReport]:
        """Take one step after another until the round ends."""
        async for report in self._loop.steps():
            yield report

    @property
    def state(self) -> SessionState:
        """The fold of everything recorded so far."""
        return self._loop.state

    @property
    def directory(self) -> Path:
        """The session directory."""
        return Path(self._loop.result().directory)

    @property
    def result(self) -> RunResult:
        """How the round ended; `interrupted` while it runs."""
        return self._loop.result()

    async def instruct(self, text: str) -> None:
        """Add a user instruction to the running round; it stands in the next request."""
        await self._loop.instruct(text)

    async def end(self, *, reason: str, success: bool, is_verified: bool) -> None:
        """End the round from outside, as `finished`; for environments that end a task by themselves."""
        await self._loop.end(reason=reason, success=success, is_verified=is_verified)

    async def close(self, *, reason: str | None = None) -> None:
        """Close device, policy, stores and lock; a running round is recorded as interrupted for `reason`."""
        try:
            if reason is not None:
                await self._loop.interrupt(reason)
        finally:
            try:
                await self._loop.close()
            finally:
                self._stack.close()


async def run(agent: str, task: str, **options: Unpack[RunOptions]) -> RunResult:
    """Run one task to its end and return how it ended.

    Args:
        agent: An agent of the configuration, or the name of a keyless policy.
        task: What to do, in the user's words.
        options: See `RunOptions`.

    Raises:
        UsageError: the configuration or an argument is wrong; nothing was started.
        InfrastructureError: the device can't be opened or a store failed.
    """
    session = await Session.open(agent, task, **options)
    async with session:
        async for _ in session:
            pass
    return session.result


def run_blocking(agent: str, task: str, **options: Unpack[RunOptions]) -> RunResult:
    """Do what `run` does, for callers without an event loop."""
    return asyncio.run(run(agent, task, **options))


def _say_nothing(text: str) -> None:
    """Keep a notice from a caller that has nobody to tell it."""


def _request(agent: str, task: str, options: RunOptions) -> SessionRequest:
    schema = options.get("answer_schema")
    check = options.get("check")
    return SessionRequest(
        agent=agent,
        task=task,
        url=options.get("url"),
        page=options.get("page"),
        config=options.get("config"),
        model=options.get("model"),
        overrides=options.get("overrides", ()),
        script=options.get("script"),
        solve=options.get("solve"),
        recording=options.get("recording", ()),
        seed=options.get("seed", 0),
        artifacts=options.get("artifacts") or DEFAULT_ARTIFACTS,
        ask=options.get("ask"),
        check=command_check(check) if isinstance(check, str) else check,
        answer_problem=None if schema is None else load_answer_schema(schema),
        is_headed=options.get("is_headed", False),
        desktop=options.get("desktop"),
        environment=options.get("environment"),
    )
