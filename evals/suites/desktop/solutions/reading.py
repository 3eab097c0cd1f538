"""How solutions read a view, wait for what they need, and do what every application understands."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeVar

from harness.protocols.policies import Act, LookAround, SeenMark, View

T = TypeVar("T")
TRIES: Final = 3
LOOKS: Final = 25
"""How often a solution looks again before it gives up; each look takes as long as the screen needs to settle."""


def quoted(task: str) -> list[str]:
    """Return what stands in double quotes, in order."""
    return re.findall(r'"([^"]*)"', task)


def find(view: View, role: str, name: str | None = None) -> SeenMark | None:
    """Return the first mark with that role, and name where one is given."""
    return next((mark for mark in view.marks if mark.role == role and name in {None, mark.name}), None)


def focused(view: View, role: str = "textbox") -> SeenMark | None:
    """Return the mark with that role that has the keyboard."""
    return next((mark for mark in view.marks if mark.role == role and "focused" in mark.states), None)


async def wait_for(act: Act, look: LookAround, found: Callable[[View], T | None], what: str) -> T:
    """Look until `found` returns something, and return that.

    Raises:
        LookupError: it did not appear; the text lists what there is.
    """
    view = look()
    for _ in range(LOOKS):
        result = found(view)
        if result is not None:
            return result
        view = await act("look")
    seen = ", ".join(f"{mark.role} {mark.name!r}" for mark in view.marks)
    raise LookupError(f"no {what} in {view.title!r} among: {seen}")


async def use(
    act: Act, look: LookAround, tool: str, found: Callable[[View], SeenMark | None], what: str, **arguments: object
) -> View:
    """Use a tool on a mark once it is there, and again when the mark went away before the call reached it.

    Raises:
        LookupError: the mark did not appear, or the tool was refused three times.
    """
    for _ in range(TRIES):
        view = await act(tool, mark=await wait_for(act, look, found, what), **arguments)
        if not view.is_last_error:
            return view
    raise LookupError(f"{tool} on {what} was refused: {view.last_result}")


async def press(act: Act, look: LookAround, name: str, *, role: str = "button", **arguments: object) -> View:
    """Click the mark of that name."""
    return await use(act, look, "click", lambda view: find(view, role, name), f"{role} {name!r}", **arguments)


async def fill(act: Act, look: LookAround, name: str, text: str) -> View:
    """Type into the field of that name."""
    return await use(act, look, "type_text", lambda view: find(view, "textbox", name), f"field {name!r}", text=text)


async def rewrite(act: Act, look: LookAround, found: Callable[[View], SeenMark | None], text: str) -> View:
    """Replace the whole text of a field."""
    await use(act, look, "click", found, "field")
    await act("press_keys", keys="Control+a")
    return await act("type_text", text=text)


def any_field(view: View) -> SeenMark | None:
    """Return the first field that takes text."""
    return find(view, "textbox")


async def save(act: Act, look: LookAround) -> None:
    """Save the document of the active window and wait until its title says that nothing is unsaved."""
    await act("press_keys", keys="Control+s")
    await wait_for(act, look, lambda view: None if "*" in view.title else True, "saved document")


async def focus(act: Act, look: LookAround, title: str) -> View:
    """Give the keyboard to the window whose title holds `title`, once there is one."""

    def found(view: View) -> int | None:
        return next((window.id for window in view.windows if title in window.title), None)

    return await act("focus_window", window=await wait_for(act, look, found, f"window {title!r}"))
