"""Solutions in dialogs."""

from __future__ import annotations

import re

from evals.suites.desktop.solutions.reading import fill, press, quoted, wait_for_mark
from harness.protocols.policies import Act, LookAround, SeenMark, View


async def fill_form(task: str, act: Act, look: LookAround) -> None:
    """Fill in both fields."""
    person, address = quoted(task)
    await fill(act, look, "Name", person)
    await fill(act, look, "E-mail", address)
    await press(act, look, "OK")


async def sign_in(task: str, act: Act, look: LookAround) -> None:
    """Type user and password."""
    user, password = quoted(task)
    await fill(act, look, "Username:", user)
    await fill(act, look, "Password:", password)
    await press(act, look, "OK")


async def tick_names(task: str, act: Act, look: LookAround) -> None:
    """Tick the box in front of each name."""
    for name in quoted(task):
        await wait_for_mark(act, look, "cell", name)
        await act("click", mark=_box_before(look(), name))
    await press(act, look, "OK")


def _box_before(view: View, name: str) -> SeenMark:
    """Return the mark in front of the row's name."""
    index = next(index for index, mark in enumerate(view.marks) if mark.name == name)
    return view.marks[index - 1]


async def move_slider(task: str, act: Act, look: LookAround) -> None:
    """Drag the knob to where the OK button stands, then turn the wheel until it is far enough."""
    (least,) = map(int, re.findall(r"[0-9]+", task))
    slider = await wait_for_mark(act, look, "slider")
    button = await wait_for_mark(act, look, "button", "OK")
    await act("click", mark=slider)
    await act("drag", **{"from": slider, "to": button})
    while float((await wait_for_mark(act, look, "slider")).value or 0) < least:
        await act("press_keys", keys="ArrowRight")
    await press(act, look, "OK")
