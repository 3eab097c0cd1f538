"""`make bench-desktop`: what a step on a desktop costs, beside the peers, in one run.

Everything acts on one virtual desktop of 1280x800 with a text editor on it. The figures of a busy machine are larger;
the ratios are what counts.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from desktop import clicks as clicking
from desktop.clicks import Clicks
from desktop.remote import time_both
from desktop.settling import Settling, count_settled
from desktop_marks import compare_marks, print_rows

from harness.controllers.desktop.virtual import BlockingDesktop

CUA_TIMES = 5.0
DEMO_TIMES = 12.0
SETTLED_SHARE = 0.99
REMOTE_TIMES = 1.3
EDITOR_S = 20.0


def main() -> int:
    """Measure, print the tables, and return 0 when every limit holds."""
    console = Console(width=100)
    with tempfile.TemporaryDirectory(prefix="transom-bench-") as folder, BlockingDesktop.start() as desktop:
        holds = asyncio.run(_measure_acts(console, desktop, Path(folder)))
        rows = compare_marks(desktop)
    print_rows(console, rows)
    return 0 if holds and all(row.is_held for row in rows) else 1


async def _measure_acts(console: Console, desktop: BlockingDesktop, folder: Path) -> bool:
    environment = desktop.environment
    editor = _open_editor(desktop)
    menu = await clicking.find_menu(environment)
    ours = await clicking.time_ours(environment, menu, name="transom", observers=())
    marked = await clicking.time_ours(environment, menu, name="transom, with marks", observers=("atspi_marks",))
    cua = clicking.time_cua(environment, menu)
    demo = clicking.time_demo(environment, menu, folder)
    holds = [_print_clicks(console, ours, marked, cua, demo)]
    local, remote = await time_both(environment, menu, folder)
    holds.append(_print_remote(console, local, remote))
    holds.append(_print_settling(console, await count_settled(environment, menu)))
    desktop.end(editor)
    return all(holds)


def _open_editor(desktop: BlockingDesktop) -> int:
    file = desktop.home / "bench.txt"
    file.write_text("".join(f"line {number} of the text\n" for number in range(200)))
    editor = desktop.spawn(["mousepad", str(file)])
    time.sleep(2.0)  # once, before anything is measured
    return editor


def _print_clicks(console: Console, ours: Clicks, marked: Clicks, *peers: Clicks) -> bool:
    table = Table(title="A click that opens a menu, to the settled PNG in hand")
    for column in ("", "median ms", "p90 ms", "menu in the picture", "times ours", "target", ""):
        table.add_column(column, justify="left" if column == "" else "right")
    holds = True
    for row, target in ((ours, None), (marked, None), *zip(peers, (CUA_TIMES, DEMO_TIMES), strict=True)):
        if row.missing:
            table.add_row(row.name, "-", "-", "-", "-", "-", f"not set up: {row.missing}")
            continue
        times = row.median_ms / ours.median_ms
        is_held = target is None or times >= target
        holds = holds and is_held
        table.add_row(
            row.name,
            f"{row.median_ms:.0f}",
            f"{row.p90_ms:.0f}",
            f"{row.correct}/{len(row.seconds)}",
            f"{times:.1f}",
            "" if target is None else f">= {target:g}",
            "" if target is None else _verdict(is_held),
        )
    console.print(table)
    return holds


def _print_remote(console: Console, local: Clicks, remote: Clicks) -> bool:
    times = remote.median_ms / local.median_ms
    table = Table(title="One act, local and remote in turn")
    for column in ("", "median ms", "p90 ms", "times local", "limit", ""):
        table.add_column(column, justify="left" if column == "" else "right")
    table.add_row(local.name, f"{local.median_ms:.0f}", f"{local.p90_ms:.0f}", "", "", "")
    is_held = times <= REMOTE_TIMES
    table.add_row(
        remote.name,
        f"{remote.median_ms:.0f}",
        f"{remote.p90_ms:.0f}",
        f"{times:.2f}",
        f"<= {REMOTE_TIMES:g}",
        _verdict(is_held),
    )
    console.print(table)
    return is_held


def _print_settling(console: Console, settling: Settling) -> bool:
    table = Table(title="Frames that show what the screen came to rest at")
    for column in ("action", "frames", "wrong"):
        table.add_column(column, justify="left" if column == "action" else "right")
    for name, frames in settling.frames.items():
        table.add_row(name, str(frames), str(settling.wrong[name]))
    is_held = settling.share >= SETTLED_SHARE
    table.caption = (
        f"{settling.share:.1%} right, target >= {SETTLED_SHARE:.0%}: {_verdict(is_held)}; waits ended "
        + ", ".join(f"{kind} {count}" for kind, count in sorted(settling.reports.items()))
    )
    console.print(table)
    return is_held


def _verdict(is_held: bool) -> str:
    return "holds" if is_held else "MISSED"


if __name__ == "__main__":
    sys.exit(main())
