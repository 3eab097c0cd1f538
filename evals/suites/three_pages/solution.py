"""The reference solution of `carry-value`: it keeps the value as a note, as an agent has to."""

from __future__ import annotations

import re

from harness.protocols.policies import Act, LookAround, SeenMark, View

QUOTED = re.compile(r'"([^"]+)"')


async def solve(task: str, act: Act, look: LookAround) -> None:
    """Note the value, walk to the form, type the noted value, submit."""
    source, target = QUOTED.findall(task)[:2]
    value = _value_beside(look(), source)
    view = await act("web_note", text=value, kind="fact", reason=f"value of {source}", key=source)
    while button := _find(view, "button", "Next"):
        view = await act("click", mark=button.id)
    field = _find(view, "textbox", target)
    submit = _find(view, "button", "Submit")
    assert field is not None, f"no input {target!r}"
    assert submit is not None, "no button 'Submit'"
    view = await act("type_text", mark=field.id, text=view.notes[-1])
    await act("click", mark=submit.id)


def _value_beside(view: View, name: str) -> str:
    """Return the cell right of `name`; a table row is one line of text, its cells parted by bars."""
    cells = [cell.strip() for line in view.lines if isinstance(line, str) for cell in line.split("|")]
    assert name in cells, f"the page shows no {name!r}"
    return cells[cells.index(name) + 1]


def _find(view: View, role: str, name: str) -> SeenMark | None:
    return next((mark for mark in view.marks if mark.role == role and mark.name == name), None)
