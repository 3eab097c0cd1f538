"""Solutions in the file manager."""

from __future__ import annotations

from evals.suites.desktop.solutions.reading import find, focused, press, quoted, rewrite, wait_for
from harness.protocols.policies import Act, LookAround, SeenMark, View


async def rename_file(task: str, act: Act, look: LookAround) -> None:
    """Select the file, press F2, type the new name."""
    old, new = quoted(task)
    await press(act, look, old, role="icon")
    await act("press_keys", keys="F2")
    await _answer(act, look, new)


async def make_folder(task: str, act: Act, look: LookAround) -> None:
    """Use the key for a new folder."""
    (name,) = quoted(task)
    await wait_for(act, look, lambda view: find(view, "icon"), "files of the folder")
    await act("press_keys", keys="Control+Shift+n")
    await _answer(act, look, name)


async def trash_file(task: str, act: Act, look: LookAround) -> None:
    """Use the context menu and agree."""
    (name,) = quoted(task)
    await press(act, look, name, role="icon", button="right")
    await press(act, look, "Move to Trash", role="menuitem")
    await press(act, look, "Yes")
    await wait_for(act, look, lambda view: None if find(view, "icon", name) else True, "end of the file")


async def _answer(act: Act, look: LookAround, text: str) -> None:
    """Answer the dialog that asks for a name, and wait until it is gone."""
    await rewrite(act, look, _field_of_dialog, text)
    await press(act, look, "OK")
    await wait_for(act, look, lambda view: None if len(view.windows) > 1 else True, "end of the dialog")


def _field_of_dialog(view: View) -> SeenMark | None:
    return focused(view) if find(view, "button", "OK") else None
