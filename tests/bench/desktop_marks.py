"""`python -m tests.bench.desktop_marks`: what the marks of a window cost, beside gi's walk, in one run.

gi is the system's own (python3-gi and gir1.2-atspi-2.0). Both read the same window, turn about, and what counts is
the ratio: each figure is larger on a busy machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

from atspi_desk import Look, frame_of

from harness.controllers.desktop.virtual import BlockingDesktop
from harness.controllers.desktop.x11.connection import open_display
from harness.controllers.desktop.x11.windows import X11Windows
from harness.values.desktop import DeviceBox
from observers.atspi import AtspiMarks

RUNS = 9
ROUNDS = 6
OPEN_S = 20.0
GI_S = 120.0
DEADLINE_S = 10.0
GTK3_TIMES, QT_TIMES = 8.0, 4.0
GI_FOLDER = "/usr/lib/python3/dist-packages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is opened. `target` is how many times faster than gi its marks have to be, None where it is reported."""

    name: str
    toolkit: str
    target: float | None
    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarksRow:
    """What reading one application's window cost, in medians; `problem` says why there is nothing beside it."""

    application: str
    toolkit: str
    nodes: int
    marks: int
    ours_ms: float
    gi_ms: float | None
    target: float | None
    problem: str = ""

    @property
    def times(self) -> float | None:
        """How many times faster we are."""
        return None if self.gi_ms is None else self.gi_ms / self.ours_ms

    @property
    def is_held(self) -> bool:
        """Whether the target is met; one that can't be measured is."""
        return self.target is None or self.times is None or self.times >= self.target


SUBJECTS = (
    Subject(name="mousepad", toolkit="GTK 3", target=GTK3_TIMES, argv=("mousepad",)),
    Subject(name="gnumeric", toolkit="GTK 3", target=GTK3_TIMES, argv=("gnumeric",)),
    Subject(name="featherpad", toolkit="Qt 5", target=QT_TIMES, argv=("featherpad",)),
    # Of its eighty nodes half show: asking where windows are and placing marks costs as much as reading them.
    Subject(name="galculator", toolkit="GTK 3", target=GTK3_TIMES, argv=("galculator",)),
    Subject(name="pcmanfm", toolkit="GTK 2", target=None, argv=("pcmanfm", "/usr")),
)


def main() -> int:
    """Measure, print the table, and return 0 when every target is met."""
    with BlockingDesktop.start() as desktop:
        rows = compare_marks(desktop)
    print_rows(Console(), rows)
    return 0 if all(row.is_held for row in rows) else 1


def compare_marks(desktop: BlockingDesktop) -> list[MarksRow]:
    """Return a row for each application, opened alone on an empty desktop."""
    return [_compare(desktop, subject) for subject in SUBJECTS]


def _compare(desktop: BlockingDesktop, subject: Subject) -> MarksRow:
    process_id = desktop.spawn(subject.argv)
    ours_ms: list[float] = []
    gi_ms: list[float] = []
    marks = nodes = 0
    try:
        with closing(X11Windows(open_display(desktop.environment))) as windows:
            area = DeviceBox(x=0, y=0, width=desktop.size.width_px, height=desktop.size.height_px)
            view = Look(windows, desktop.environment, area)
            asyncio.run(_wait_until_settled(view))
            for _ in range(ROUNDS):
                times_ms, marks = asyncio.run(_read(view))
                ours_ms += times_ms
                found = _read_by_gi(desktop.environment, process_id)
                gi_ms += found["times_ms"]
                nodes = found["nodes"]
    finally:
        desktop.end(process_id)
    return MarksRow(
        application=subject.name,
        toolkit=subject.toolkit,
        nodes=nodes,
        marks=marks,
        ours_ms=statistics.median(ours_ms),
        gi_ms=statistics.median(gi_ms) if gi_ms else None,
        target=subject.target,
        problem="" if gi_ms else "no gi: install python3-gi and gir1.2-atspi-2.0",
    )


async def _wait_until_settled(view: Look) -> None:
    """Return once the same marks came three times running; an application is still at work before."""
    observer = AtspiMarks()
    seen: list[object] = []
    end_s = time.monotonic() + OPEN_S
    while len(seen) < 3 or not seen[-1] or len(set(map(str, seen[-3:]))) > 1:
        if time.monotonic() > end_s:
            raise TimeoutError(f"no window came to rest within {OPEN_S:.0f} s")
        made = await observer.observe(view, frame_of(view), text_chars=2000, deadline_s=DEADLINE_S)
        seen.append([mark for mark in made.marks if mark.role != "window"])
        await asyncio.sleep(0.3)


async def _read(view: Look) -> tuple[list[float], int]:
    """Return how long each of some readings took, and how many marks it gave."""
    observer, frame = AtspiMarks(), frame_of(view)
    made = await observer.observe(view, frame, text_chars=2000, deadline_s=DEADLINE_S)
    times_ms = []
    for _ in range(RUNS):
        started_s = time.perf_counter()
        made = await observer.observe(view, frame, text_chars=2000, deadline_s=DEADLINE_S)
        times_ms.append((time.perf_counter() - started_s) * 1000)
    return times_ms, len(made.marks)


def _read_by_gi(environment: Mapping[str, str], process_id: int) -> dict:
    """Return the number of nodes and the times that gi took; none where there is no gi."""
    command = [sys.executable, str(Path(__file__).with_name("gi_walk.py")), str(process_id), str(RUNS // 3)]
    settings = {**environment, "PYTHONPATH": GI_FOLDER}
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False, timeout=GI_S)
    return json.loads(done.stdout) if done.returncode == 0 else {"nodes": 0, "times_ms": []}


def print_rows(console: Console, rows: Sequence[MarksRow]) -> None:
    """Print one line an application."""
    table = Table(title=f"Marks of one window, beside gi's walk from node to node (load {os.getloadavg()[0]:.1f})")
    for column in ("application", "toolkit", "nodes", "marks", "ours ms", "gi ms", "times", "target"):
        table.add_column(column, justify="left" if column in {"application", "toolkit"} else "right")
    for row in rows:
        target = "reported" if row.target is None else f">= {row.target:g}"
        table.add_row(
            row.application,
            row.toolkit,
            str(row.nodes or "-"),
            str(row.marks),
            f"{row.ours_ms:.1f}",
            row.problem if row.gi_ms is None else f"{row.gi_ms:.1f}",
            "-" if row.times is None else f"{row.times:.1f}",
            target if row.is_held else f"{target} MISSED",
        )
    console.print(table)


if __name__ == "__main__":
    sys.exit(main())
