"""Tasks about windows and what runs in them."""

from __future__ import annotations

from typing import Final

from evals.suites.desktop.apps import open_calculator, open_mousepad
from evals.suites.desktop.draw import Draw
from evals.suites.desktop.state import alive_problem, end_problem, file_problem, first_problem, write_files
from evals.suites.desktop.task import Assignment, Check
from harness.protocols.suites import DesktopNeeds, SuiteDesktop
from harness.values.run import RunResult

CALCULATOR: Final = "galculator"
LAUNCHER: Final = DesktopNeeds(apps={"calculator": (CALCULATOR,), "terminal": ("xterm",), "files": ("pcmanfm",)})


async def calculate(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Compute something with the open calculator."""
    first, second, third = draw.number(12, 98), draw.number(12, 98), draw.number(3, 9)
    await open_calculator(desktop)
    return Assignment(
        instruction=(f'Compute "{third}*({first}+{second})" with the calculator and leave the result in its display.'),
        check=_display_check(desktop, third * (first + second)),
    )


async def launch_calculator(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Start the calculator before computing something with it."""
    (name,) = draw.file_names(1)
    first, second = draw.number(120, 980), draw.number(120, 980)
    write_files(desktop.home, {name: f"{draw.code()}\n"})
    await open_mousepad(desktop, desktop.home / name)
    return Assignment(
        instruction=(f'Start the calculator, compute "{first}*{second}" with it and leave the result in its display.'),
        check=_display_check(desktop, first * second),
    )


def _display_check(desktop: SuiteDesktop, wanted: int) -> Check:
    async def check(run: RunResult) -> str | None:
        texts = [text.strip() for text in await desktop.shown_texts(CALCULATOR)]
        return None if str(wanted) in texts else f"no display of a calculator shows {wanted}"

    return check


async def close_windows(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Close two of three applications."""
    unwanted, kept = draw.file_names(2)
    contents = {name: f"{draw.code()}\n" for name in (unwanted, kept)}
    write_files(desktop.home, contents)
    keeper = await open_mousepad(desktop, desktop.home / kept)
    calculator = await open_calculator(desktop)
    closer = await open_mousepad(desktop, desktop.home / unwanted)

    async def check(run: RunResult) -> str | None:
        return first_problem(
            await end_problem(desktop, calculator, "the calculator"),
            await end_problem(desktop, closer, f"the editor of {unwanted}"),
            await alive_problem(desktop, keeper, f"the editor of {kept}"),
            *(file_problem(desktop.home / name, text) for name, text in contents.items()),
        )

    return Assignment(
        instruction=f'Close the calculator and the document "{unwanted}"; leave the document "{kept}" open.',
        check=check,
    )


async def count_lines(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Run a command in a terminal, which no accessibility tree shows."""
    source, target = draw.file_names(2)
    lines = draw.number(101, 999)
    write_files(desktop.home, {source: "".join(f"{draw.code()}\n" for _ in range(lines))})
    await desktop.spawn(("xterm", "-T", "Terminal", "-e", "sh"))
    await desktop.wait_for_window("Terminal")

    async def check(run: RunResult) -> str | None:
        return file_problem(desktop.home / target, str(lines))

    return Assignment(
        instruction=(
            f'In the terminal, write the number of lines of the file "{source}", and nothing else, '
            f'to the new file "{target}". Both are in the current folder.'
        ),
        check=check,
    )
