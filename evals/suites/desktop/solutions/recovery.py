"""Solution for changes that were never saved."""

from __future__ import annotations

from evals.suites.desktop.solutions.reading import press, quoted, save, wait_for
from harness.protocols.policies import Act, LookAround


async def unsaved_changes(task: str, act: Act, look: LookAround) -> None:
    """Restore, save one document, close the editor and throw the rest away."""
    kept, dropped = quoted(task)
    await press(act, look, "Yes")
    await press(act, look, kept, role="tab")
    await wait_for(act, look, lambda view: True if kept in view.title else None, f"tab of {kept}")
    await save(act, look)
    await act("press_keys", keys="Control+q")
    await press(act, look, "Don't Save")
    await wait_for(act, look, lambda view: None if dropped in view.title or kept in view.title else True, "end")
