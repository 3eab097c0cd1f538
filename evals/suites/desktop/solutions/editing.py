"""Solutions in text editors."""

from __future__ import annotations

from evals.suites.desktop.solutions.reading import any_field, fill, find, press, quoted, rewrite, save, wait_for
from harness.protocols.policies import Act, LookAround


async def edit_text(task: str, act: Act, look: LookAround) -> None:
    """Replace the text and save."""
    _, line = quoted(task)
    await rewrite(act, look, any_field, line)
    await save(act, look)


async def save_copy(task: str, act: Act, look: LookAround) -> None:
    """Save under the new name."""
    _, new = quoted(task)
    await wait_for(act, look, any_field, "document")
    await act("press_keys", keys="Control+Shift+s")
    await rewrite(act, look, lambda view: find(view, "textbox", "Name:"), new)
    await press(act, look, "Save")
    await wait_for(act, look, lambda view: True if new in view.title else None, "saved copy")


async def open_file(task: str, act: Act, look: LookAround) -> None:
    """Walk through the file chooser."""
    file, folder = quoted(task)
    await wait_for(act, look, any_field, "document")
    await act("press_keys", keys="Control+o")
    for name in (folder, file):
        await press(act, look, name, role="cell")
        await press(act, look, "Open")
    await wait_for(act, look, lambda view: True if file in view.title else None, "opened file")


async def replace_all(task: str, act: Act, look: LookAround) -> None:
    """Use the dialog that replaces everywhere."""
    old, new, _ = quoted(task)
    await wait_for(act, look, any_field, "document")
    await act("press_keys", keys="Control+r")
    await fill(act, look, "Search for:", old)
    await fill(act, look, "Replace with:", new)
    await press(act, look, "Replace all in:", role="checkbox")
    await press(act, look, "Replace All")
    await press(act, look, "Close")
    await save(act, look)
