"""Suites: named sets of tasks with the pages or desktops they run on, and their checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal, Protocol

from harness.protocols.policies import Solver
from harness.values.desktop import DesktopWindow, DeviceBox
from harness.values.geometry import Size
from harness.values.run import RunResult

SUITE_PROTOCOL = 1


class SuitePage(Protocol):
    """The little that a suite needs of a browser page to start and to score a task."""

    async def goto(self, url: str) -> object:
        """Open `url`."""
        ...

    async def evaluate(self, expression: str, arg: object = None) -> object:
        """Run the suite's own JavaScript and return its JSON value."""
        ...


class SuiteDesktop(Protocol):
    """The little that a suite needs of a desktop to start and to score a task.

    The desktop is made for one task and thrown away with its home and everything that runs on it.
    """

    @property
    def home(self) -> Path:
        """The home folder of its programs, empty at first; the only place where a suite may leave anything."""
        ...

    async def spawn(
        self, argv: Sequence[str], *, stdout: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> int:
        """Start a program in the home folder and return its process id.

        Args:
            argv: Program and arguments; no shell reads them.
            stdout: File that takes its standard output; None drops it.
            environment: Variables that are set for this program besides the desktop's own.

        Raises:
            InfrastructureError: it can't be started.
        """
        ...

    async def returncode(self, process_id: int) -> int | None:
        """Return the exit code of a program that `spawn` started, None while it runs."""
        ...

    async def run(self, argv: Sequence[str], *, stdout: Path | None = None) -> int:
        """Run a program in the home folder to its end and return its exit code; arguments are those of `spawn`.

        Raises:
            InfrastructureError: it can't be started, or does not end in time.
        """
        ...

    async def windows(self) -> tuple[DesktopWindow, ...]:
        """Return the open windows, front to back.

        Raises:
            InfrastructureError: the display is gone.
        """
        ...

    async def wait_for_window(self, title: str) -> DesktopWindow:
        """Wait until a window whose title holds `title` is open.

        Raises:
            InfrastructureError: it did not open in time; the text names the windows that are open.
        """
        ...

    async def shown_texts(self, app: str) -> tuple[str, ...]:
        """Return the texts of an application's open windows as its accessibility tree tells them, field contents too.

        Args:
            app: Name of the application in that tree, for example `galculator`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopNeeds:
    """The desktop that a task is made for.

    Attributes:
        size: Size of the whole desktop in device units.
        monitors: Where its monitors stand, in device units; empty for one that fills it.
        monitor: The monitor that the agent sees and acts on; 1 is the first.
        keyboard: Layout of the keyboard, for example `us` or `de`.
        environment: Variables of its programs besides the usual ones, for example `GDK_SCALE`.
        apps: What the agent may launch: name to program and arguments.
    """

    size: Size = Size(width_px=1280, height_px=800)
    monitors: tuple[DeviceBox, ...] = ()
    monitor: int = 1
    keyboard: str = "us"
    environment: Mapping[str, str] = field(default_factory=dict)
    apps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSpec:
    """A task of a suite.

    Attributes:
        id: Unique within the suite.
        tags: For selection, for example `demo`.
        max_steps: Model steps the task may take.
        max_seconds: Seconds the task may take.
        viewport: Viewport of this task in CSS pixels; None for the suite's. Of a web task only.
        device_scale: Physical pixels per CSS pixel of its frames; small pages are readable at 2. Of a web task only.
        desktop: The desktop it is made for. Of a desktop task only.
    """

    id: str
    tags: frozenset[str] = field(default_factory=frozenset)
    max_steps: int = 20
    max_seconds: float = 120.0
    viewport: Size | None = None
    device_scale: float = 1.0
    desktop: DesktopNeeds = field(default_factory=DesktopNeeds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A scorer's verdict: `reward` is the suite's own number, `success` what counts."""

    success: bool
    reward: float
    reason: str = ""


class Episode(Protocol):
    """One task with one seed on one page or desktop."""

    @property
    def instruction(self) -> str:
        """The task text the agent gets."""
        ...

    async def is_over(self) -> bool:
        """Return whether the environment itself has ended the task."""
        ...

    async def score(self, run: RunResult) -> Score:
        """Return the verdict; called once, after the run ended.

        Args:
            run: How the agent ended it. Its `success` is the agent's claim, which decides only where giving up is the
                right answer.
        """
        ...


class Suite(Protocol):
    """A named set of tasks: what web and desktop suites have in common."""

    PROTOCOL: ClassVar[int]

    @property
    def name(self) -> str:
        """The entry-point name."""
        ...

    def tasks(self) -> Sequence[TaskSpec]:
        """Return all tasks in a fixed order."""
        ...

    def solver(self, task_id: str) -> Solver | None:
        """Return the reference solution, or None."""
        ...

    async def open(self) -> None:
        """Start what all tasks need, for example a loopback server.

        Raises:
            InfrastructureError: something is missing on this machine; the text says how to get it.
        """
        ...

    async def close(self) -> None:
        """Stop what `open` started."""
        ...


class WebSuite(Suite, Protocol):
    """A suite whose tasks run on a page."""

    device: ClassVar[Literal["web"]]

    @property
    def viewport(self) -> Size:
        """The viewport its tasks are made for, in CSS pixels."""
        ...

    async def start(self, task_id: str, seed: int, page: SuitePage) -> Episode:
        """Start one task on a fresh page."""
        ...


class DesktopSuite(Suite, Protocol):
    """A suite whose tasks run on a desktop."""

    device: ClassVar[Literal["desktop"]]

    async def start(self, task_id: str, seed: int, desktop: SuiteDesktop) -> Episode:
        """Start one task on a fresh desktop; return when its applications are ready to be used."""
        ...


AnySuite = WebSuite | DesktopSuite


class SuiteFactory(Protocol):
    """The entry point of the group `transom.suites`."""

    def __call__(self) -> AnySuite:
        """Return a suite that is not opened yet."""
        ...
