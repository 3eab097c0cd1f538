"""Tasks in the spreadsheet."""

from __future__ import annotations

from pathlib import Path

from evals.suites.desktop.apps import open_mousepad
from evals.suites.desktop.draw import Draw
from evals.suites.desktop.sheet import compute_sheet, open_sheet, read_cells, write_sheet
from evals.suites.desktop.state import file_problem, write_files
from evals.suites.desktop.task import Assignment
from harness.protocols.suites import SuiteDesktop
from harness.values.run import RunResult


async def sum_column(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Put a sum below a column, as a formula."""
    values = [draw.number(2, 400) for _ in range(draw.number(4, 9))]
    workbook = desktop.home / draw.file_names(1, ending=".gnumeric")[0]
    write_sheet(workbook, [values])
    await open_sheet(desktop, workbook)
    cell = f"A{len(values) + 1}"

    async def check(run: RunResult) -> str | None:
        problem = _formula_problem(workbook, cell)
        if problem is not None:
            return problem
        rows = await compute_sheet(desktop, workbook)
        wanted = [[str(value)] for value in (*values, sum(values))]
        return None if rows == wanted else f"the sheet computes to {rows}, wanted {wanted}"

    return Assignment(
        instruction=(
            f'In the open spreadsheet, put the sum of the cells A1 to A{len(values)} as a formula into "{cell}" '
            "and save the file."
        ),
        check=check,
    )


def _formula_problem(workbook: Path, cell: str) -> str | None:
    try:
        content = read_cells(workbook).get(cell, "")
    except ValueError as exc:
        return str(exc)
    return None if content.startswith("=") else f"{cell} holds {content!r}, which is no formula"


async def copy_cell(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Carry a value from the spreadsheet to a document in another window."""
    people = draw.people(6)
    codes = [f"{draw.code()} {draw.pick(('früh', 'spät'))}" for _ in people]
    row = draw.number(1, len(people))
    (name,) = draw.file_names(1)
    workbook = desktop.home / draw.file_names(1, ending=".gnumeric")[0]
    write_sheet(workbook, [people, codes])
    write_files(desktop.home, {name: "Reference: "})
    await open_mousepad(desktop, desktop.home / name)
    await open_sheet(desktop, workbook)

    async def check(run: RunResult) -> str | None:
        return file_problem(desktop.home / name, f"Reference: {codes[row - 1]}")

    return Assignment(
        instruction=(
            f'Copy what stands in the cell "B{row}" of the spreadsheet to the end of the document "{name}" '
            "and save the document."
        ),
        check=check,
    )
