"""A desktop for suites without a display: it starts nothing and says what a test tells it to."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.values.desktop import DesktopWindow, DeviceBox

NOWHERE = DeviceBox(x=0, y=0, width=1, height=1)


@dataclass(kw_only=True)
class FakeSuiteDesktop:
    """Keeps what was started, and answers from its fields.

    Attributes:
        home: An empty folder.
        started: What was started, by process id.
        outputs: Where standard output of each process went.
        codes: Exit codes of processes that have ended.
        texts: What each application shows.
        titles: Titles of the open windows.
        awaited: Titles that were waited for.
    """

    home: Path
    started: dict[int, tuple[str, ...]] = field(default_factory=dict)
    outputs: dict[int, Path | None] = field(default_factory=dict)
    codes: dict[int, int] = field(default_factory=dict)
    texts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    titles: list[str] = field(default_factory=list)
    awaited: list[str] = field(default_factory=list)

    @classmethod
    def at(cls, home: Path) -> FakeSuiteDesktop:
        """Return a desktop with an empty home, which is made."""
        home.mkdir()
        return cls(home=home)

    async def spawn(
        self, argv: Sequence[str], *, stdout: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> int:
        process_id = 100 + len(self.started)
        self.started[process_id] = tuple(argv)
        self.outputs[process_id] = stdout
        if stdout is not None:
            await asyncio.to_thread(stdout.touch)
        return process_id

    async def returncode(self, process_id: int) -> int | None:
        return self.codes.get(process_id)

    async def run(self, argv: Sequence[str], *, stdout: Path | None = None) -> int:
        await self.spawn(argv, stdout=stdout)
        return 0

    async def windows(self) -> tuple[DesktopWindow, ...]:
        return tuple(
            DesktopWindow(id=number, title=title, app="app", box=NOWHERE)
            for number, title in enumerate(self.titles, start=1)
        )

    async def wait_for_window(self, title: str) -> DesktopWindow:
        self.awaited.append(title)
        return DesktopWindow(id=1, title=title, app="app", box=NOWHERE)

    async def shown_texts(self, app: str) -> tuple[str, ...]:
        return self.texts.get(app, ())

    def process_of(self, program: str, nth: int = 0) -> int:
        """Return the process id of the nth start of a program."""
        return [number for number, argv in self.started.items() if argv[0] == program][nth]

    def contents(self) -> dict[str, bytes]:
        """Return every file of the home by its path."""
        return {str(path.relative_to(self.home)): path.read_bytes() for path in self.home.rglob("*") if path.is_file()}
