"""Solutions about windows and what runs in them."""

from __future__ import annotations

from evals.suites.desktop.solutions.reading import focus, press, quoted, wait_for
from harness.protocols.policies import Act, LookAround, View


async def calculate(task: str, act: Act, look: LookAround) -> None:
    """Press the calculator's buttons; it loses digits that are typed as fast as a machine types."""
    (expression,) = quoted(task)
    for name in ("AC", *expression):
        await press(act, look, name)
    before = _display(look())
    await press(act, look, "=")
    await wait_for(act, look, lambda view: None if _display(view) == before else True, "result")


async def launch_calculator(task: str, act: Act, look: LookAround) -> None:
    """Launch the calculator, then compute."""
    await act("launch", app="calculator")
    await calculate(task, act, look)


def _display(view: View) -> str:
    """Return the calculator's display, its first text."""
    return next((line for line in view.lines if isinstance(line, str)), "")


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
