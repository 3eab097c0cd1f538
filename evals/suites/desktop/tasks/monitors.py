"""A task on the second of two monitors."""

from __future__ import annotations

from typing import Final

from evals.suites.desktop.apps import open_featherpad, open_mousepad
from evals.suites.desktop.draw import Draw
from evals.suites.desktop.state import file_problem, first_problem, write_files
from evals.suites.desktop.task import Assignment
from harness.protocols.suites import DesktopNeeds, SuiteDesktop
from harness.values.desktop import DeviceBox
from harness.values.geometry import Size
from harness.values.run import RunResult

TWO_MONITORS: Final = DesktopNeeds(
    size=Size(width_px=1600, height_px=800),
    monitors=(
        DeviceBox(x=0, y=0, width=800, height=800),
        DeviceBox(x=800, y=0, width=800, height=800),
    ),
    monitor=2,
)
_PLACE: Final = "640x480+860+120"


async def second_monitor(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Edit the document on the agent's monitor and not its twin on the other one."""
    name, other = draw.file_names(2)
    line, text, twin = draw.sentence(), f"{draw.code()}\n", f"{draw.code()}\n"
    write_files(desktop.home, {name: text, other: twin})
    await open_mousepad(desktop, desktop.home / other)
    await open_featherpad(desktop, desktop.home / name, place=_PLACE)

    async def check(run: RunResult) -> str | None:
        return first_problem(file_problem(desktop.home / name, line), file_problem(desktop.home / other, twin))

    return Assignment(
        instruction=(
            f'Replace the whole text of the document "{name}", which is open on this screen, '
            f'with this one line and save it: "{line}"'
        ),
        check=check,
    )
