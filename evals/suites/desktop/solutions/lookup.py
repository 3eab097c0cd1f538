"""Solution for a name that may not be listed."""

from __future__ import annotations

from evals.suites.desktop.solutions.reading import focus, quoted, save, wait_for
from harness.protocols.policies import Act, LookAround, View


async def look_up(task: str, act: Act, look: LookAround) -> None:
    """Read the list; write down what stands behind the name, or say that it is not there."""
    person, directory, target = quoted(task)
    await focus(act, look, directory)
    entries = await wait_for(act, look, _entries, "list of names")
    if person not in entries:
        await act("finish", success=False, answer=f"{person} is not listed in {directory}; nothing was changed")
    await focus(act, look, target)
    await act("press_keys", keys="Control+End")
    await act("type_text", text=entries[person])
    await save(act, look)


def _entries(view: View) -> dict[str, str] | None:
    """Return what stands behind each name of the list, or None while no list is shown."""
    fields = [mark.value or "" for mark in view.marks if mark.role == "textbox"]
    lines = [line.partition(": ") for text in fields for line in text.splitlines()]
    return {name: entry for name, _, entry in lines if entry} or None
