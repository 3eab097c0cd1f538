"""Solutions in dialogs."""

from __future__ import annotations

import re
from collections.abc import Callable

from evals.suites.desktop.solutions.reading import fill, find, press, quoted, use, wait_for
from harness.protocols.policies import Act, LookAround, SeenMark, View


async def fill_form(task: str, act: Act, look: LookAround) -> None:
    """Fill in both fields."""
    person, address = quoted(task)
    await fill(act, look, "Name", person)
    await fill(act, look, "E-mail", address)
    await press(act, look, "OK")


async def sign_in(task: str, act: Act, look: LookAround) -> None:
    """Type user and password into the two fields, which have no names."""
    for index, text in enumerate(quoted(task)):
        await use(act, look, "type_text", _field(index), f"field {index}", text=text)
    await press(act, look, "OK")


def _field(index: int) -> Callable[[View], SeenMark | None]:
    def found(view: View) -> SeenMark | None:
        fields = [mark for mark in view.marks if mark.role == "textbox"]
        return fields[index] if len(fields) == 2 else None

    return found


async def tick_names(task: str, act: Act, look: LookAround) -> None:
    """Tick the box of each name."""
    for name in quoted(task):
        await press(act, look, name, role="checkbox")
    await press(act, look, "OK")


async def move_slider(task: str, act: Act, look: LookAround) -> None:
    """Drag the knob to where the OK button stands, then press a key until it is far enough."""
    (least,) = map(int, re.findall(r"[0-9]+", task))
    view = await use(act, look, "click", _slider, "slider")
    await act("drag", **{"from": _slider(view), "to": find(view, "button", "OK")})
    while float((await wait_for(act, look, _slider, "slider")).value or 0) < least:
        await act("press_keys", keys="ArrowRight")
    await press(act, look, "OK")


def _slider(view: View) -> SeenMark | None:
    return find(view, "slider")
