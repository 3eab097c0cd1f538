"""Solutions in the spreadsheet."""

from __future__ import annotations

import re

from evals.suites.desktop.solutions.reading import focus, quoted, rewrite, save
from harness.protocols.policies import Act, LookAround, SeenMark, View

_CELL_NAME = re.compile(r"[A-Z]+[0-9]+")


async def sum_column(task: str, act: Act, look: LookAround) -> None:
    """Go to the cell, type a formula, save."""
    (cell,) = quoted(task)
    last = re.findall(r"A([0-9]+)", task)[1]
    await _go_to(act, look, cell)
    await act("type_text", text=f"=SUM(A1:A{last})")
    await act("press_keys", keys="Enter")
    await save(act, look)


async def copy_cell(task: str, act: Act, look: LookAround) -> None:
    """Copy the cell, paste it at the end of the document."""
    cell, document = quoted(task)
    await _go_to(act, look, cell)
    await act("press_keys", keys="Control+c")
    # The line that runs round a copied cell keeps the screen from coming to rest; the clipboard keeps the cell.
    await act("press_keys", keys="Escape")
    await focus(act, look, document)
    await act("press_keys", keys="Control+End")
    await act("press_keys", keys="Control+v")
    await save(act, look)


async def _go_to(act: Act, look: LookAround, cell: str) -> None:
    """Type the cell's name where the name of the current one stands."""
    await rewrite(act, look, _name_box, cell)
    await act("press_keys", keys="Enter")


def _name_box(view: View) -> SeenMark | None:
    return next(
        (mark for mark in view.marks if mark.role == "textbox" and _CELL_NAME.fullmatch(mark.value or "")), None
    )
