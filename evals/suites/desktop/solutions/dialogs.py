"""Solutions in dialogs."""

from __future__ import annotations

import re

from evals.suites.desktop.solutions.reading import fill, press, quoted, wait_for, wait_for_mark
from harness.protocols.policies import Act, LookAround, SeenMark, View


async def fill_form(task: str, act: Act, look: LookAround) -> None:
    """Fill in both fields."""
    person, address = quoted(task)
    await fill(act, look, "Name", person)
    await fill(act, look, "E-mail", address)
    await press(act, look, "OK")


async def sign_in(task: str, act: Act, look: LookAround) -> None:
    """Type user and password into the two fields, which have no names."""
    user, password = quoted(task)
    await act("type_text", mark=(await _two_fields(act, look))[0], text=user)
    await act("type_text", mark=(await _two_fields(act, look))[1], text=password)
    await press(act, look, "OK")


async def _two_fields(act: Act, look: LookAround) -> list[SeenMark]:
    def found(view: View) -> list[SeenMark] | None:
        fields = [mark for mark in view.marks if mark.role == "textbox"]
        return fields if len(fields) == 2 else None

    return await wait_for(act, look, found, "two fields")


async def tick_names(task: str, act: Act, look: LookAround) -> None:
    """Tick the box of each name."""
    for name in quoted(task):
        await press(act, look, name, role="checkbox")
    await press(act, look, "OK")


async def move_slider(task: str, act: Act, look: LookAround) -> None:
    """Drag the knob to where the OK button stands, then press a key until it is far enough."""
    (least,) = map(int, re.findall(r"[0-9]+", task))
    slider = await wait_for_mark(act, look, "slider")
    button = await wait_for_mark(act, look, "button", "OK")
    await act("click", mark=slider)
    await act("drag", **{"from": slider, "to": button})
    while float((await wait_for_mark(act, look, "slider")).value or 0) < least:
        await act("press_keys", keys="ArrowRight")
    await press(act, look, "OK")
