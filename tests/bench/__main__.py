"""`make bench`: the harness's own time per step, beside the disk's, in one run.

What is measured is what the harness does in a step: fold, window, projection, rendering, validation, events with
fsync. Device, model and painter are fakes that cost next to nothing; their pictures are in the store beforehand, and
the last row says what storing new ones adds.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import ClassVar

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

from fake_session import fake_session

from harness.protocols import OBSERVER_PROTOCOL, Stroke
from harness.store.atomic import write_whole
from harness.testing.fakes import FakeController, FakeScreen, fake_mark, solid_png
from harness.testing.policies import ScriptedPolicy, call, reply
from harness.values.geometry import Size
from harness.values.mark import Mark
from harness.values.message import Reply
from harness.values.settings import HistoryPolicy, Limits, SessionSettings

STEPS = 1005
LIMIT_MS = 5.0
LIMIT_GROWTH = 1.5
_MARKS = 20
_SIZE = Size(width_px=320, height_px=200)


def _reply(number: int) -> Reply:
    """Click; every tenth step a note, every seventh two calls."""
    if number % 10 == 0:
        return reply(
            call(
                "web_note", text=f"row {number} holds {number * 7}", kind="fact", reason="later", key=f"k{number % 50}"
            )
        )
    if number % 7 == 0:
        return reply(call("click", mark=1 + number % _MARKS), call("type_text", text=f"value {number}"))
    return reply(call("click", mark=1 + number % _MARKS), text="The next button.")


@cache
def _screen(index: int) -> FakeScreen:
    """Return a screen of its own for each action."""
    marks = tuple(fake_mark(1 + item, f"Button {item} of screen {index}") for item in range(_MARKS))
    return FakeScreen(number=index, marks=marks, url=f"http://127.0.0.1/page/{index}")


async def measure_steps(folder: Path, *, steps: int, is_stored: bool) -> list[float]:
    """Return the milliseconds of each step; with `is_stored` every picture is in the store before it is shown."""
    settings = SessionSettings(
        history=HistoryPolicy(kind="recent_exchanges", amount=20),
        limits=Limits(steps=None, seconds=None, input_tokens=None, cost_usd=None),
    )
    policy = ScriptedPolicy(_reply, keeps_requests=False)
    controller = FakeController(screens=_screen, size=_SIZE)
    painter = CopyingPainter()
    pictures = [solid_png(number, _SIZE.width_px, _SIZE.height_px) for number in range(steps + 1)]
    times: list[float] = []
    async with fake_session(folder, policy, controller=controller, settings=settings, painter=painter) as loop:
        if is_stored:
            drawn = [painter.draw_marks(item, ()) for item in pictures] + [
                painter.draw_actions(item, ()) for item in pictures
            ]
            loop.directory.blobs.put_many([*pictures, *drawn])
            os.sync()
        for number in range(steps):
            _screen(number + 1)
            began = time.perf_counter()
            report = await loop.step()
            times.append(1000 * (time.perf_counter() - began))
            if report is None:
                raise SystemExit(f"the session ended early: {loop.result().reason}")
    return times


class CopyingPainter:
    """Draws nothing: its pictures are the frame's bytes with one byte after them, so each is a blob of its own."""

    PROTOCOL: ClassVar[int] = OBSERVER_PROTOCOL

    def draw_marks(self, image: bytes, marks: Sequence[Mark]) -> bytes:
        """Return the picture for marks."""
        return image + b"m"

    def draw_actions(self, image: bytes, strokes: Sequence[Stroke]) -> bytes:
        """Return the picture for actions."""
        return image + b"a"


def measure_disk(folder: Path, *, rounds: int = 60) -> float:
    """Return the milliseconds that the disk alone takes for what a step must wait for: three commits, one anchor."""
    folder.mkdir()
    connection = sqlite3.connect(folder / "disk.sqlite3", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE rows (body BLOB)")
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        for _ in range(3):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO rows VALUES (?)", (b"x" * 4000,))
            connection.execute("COMMIT")
        write_whole(folder / "head", b"head", is_name_durable=False)
        times.append(1000 * (time.perf_counter() - began))
    connection.close()
    return statistics.median(times)


def measure_machine() -> float:
    """Return the milliseconds of a fixed piece of Python, to read the other figures by."""
    times = []
    for _ in range(9):
        began = time.perf_counter()
        sum(range(1_000_000))
        times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


def main() -> int:
    """Print the table; return 1 when a limit is exceeded."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        folder = Path(name)
        disk_before = measure_disk(folder / "before")
        gc.collect()
        times = asyncio.run(measure_steps(folder / "stored", steps=STEPS, is_stored=True))
        fresh = asyncio.run(measure_steps(folder / "fresh", steps=60, is_stored=False))
        disk = statistics.median([disk_before, measure_disk(folder / "after")])
    early, late = statistics.median(times[8:28]), statistics.median(times[-20:])
    growth = late / early
    rows: list[tuple[str, str, str, bool]] = [
        ("harness at step 10", f"{early:.2f} ms", f"<= {LIMIT_MS:.1f} ms", early <= LIMIT_MS),
        ("harness at step 1,000", f"{late:.2f} ms", "", True),
        ("growth from step 10 to 1,000", f"{growth:.2f} x", f"<= {LIMIT_GROWTH:.1f} x", growth <= LIMIT_GROWTH),
        ("of it the disk alone: 3 commits and the anchor", f"{disk:.2f} ms", "", True),
        ("this machine: adding up a million numbers", f"{measure_machine():.1f} ms", "", True),
        ("with three new pictures to store at each step", f"{statistics.median(fresh[8:]):.2f} ms", "", True),
    ]
    table = Table(
        title="The harness's own time per step: 20 exchanges kept, 20 marks a screen, fake device and model; medians"
    )
    for column in ("what", "measured", "limit", "holds"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for what, measured, limit, holds in rows:
        table.add_row(what, measured, limit, ("yes" if holds else "NO") if limit else "")
    Console().print(table)
    return 0 if all(row[3] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
