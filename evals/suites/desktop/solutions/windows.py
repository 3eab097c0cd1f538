"""Solutions about windows and what runs in them."""

from __future__ import annotations

from evals.suites.desktop.solutions.reading import find, focus, press, quoted, wait_for
from harness.protocols.policies import Act, LookAround, View


async def calculate(task: str, act: Act, look: LookAround) -> None:
    """Type the expression and wait for a result."""
    (expression,) = quoted(task)
    await press(act, look, "AC")
    await act("type_text", text=expression)
    before = _display(look())
    await act("press_keys", keys="Enter")
    await wait_for(act, look, lambda view: None if _display(view) == before else True, "result")


async def launch_calculator(task: str, act: Act, look: LookAround) -> None:
    """Launch the calculator, then compute."""
    await act("launch", app="calculator")
    await calculate(task, act, look)


def _display(view: View) -> str | None:
    mark = find(view, "textbox")
    return None if mark is None else mark.value


async def close_windows(task: str, act: Act, look: LookAround) -> None:
    """Close both windows with the window manager's key."""
    unwanted, _ = quoted(task)
    await _close(act, look, "galculator")
    await _close(act, look, unwanted)


async def _close(act: Act, look: LookAround, title: str) -> None:
    await focus(act, look, title)
    await act("press_keys", keys="Alt+F4")
    await wait_for(act, look, lambda view: None if title in view.title else True, f"end of {title}")


async def count_lines(task: str, act: Act, look: LookAround) -> None:
    """Type one command."""
    source, target = quoted(task)
    await focus(act, look, "Terminal")
    await act("type_text", text=f"wc -l < '{source}' > '{target}'")
    await act("press_keys", keys="Enter")
