"""A task about changes that were never saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evals.suites.desktop.draw import Draw
from evals.suites.desktop.state import end_problem, file_problem, first_problem, write_files
from evals.suites.desktop.task import Assignment
from harness.protocols.suites import SuiteDesktop
from harness.values.run import RunResult

_STATE: Final = "[org/xfce/mousepad/state/application]\nsession=[{entries}]\n"


async def unsaved_changes(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Restore two documents after a crash of the editor, then keep the changes of one of them only."""
    names = draw.file_names(2)
    kept, dropped = draw.sample(names, 2)
    saved = {name: f"{draw.code()}\n" for name in names}
    changed = {name: f"{text}{draw.sentence()}\n" for name, text in saved.items()}
    write_files(desktop.home, saved)
    editor = await _open_after_a_crash(desktop, changed, names)

    async def check(run: RunResult) -> str | None:
        return first_problem(
            await end_problem(desktop, editor, "the editor"),
            file_problem(desktop.home / kept, changed[kept]),
            file_problem(desktop.home / dropped, saved[dropped]),
        )

    return Assignment(
        instruction=(
            "The editor did not end normally and asks whether to restore its data; let it. Then close the editor: "
            f'save the changes of "{kept}" and throw those of "{dropped}" away.'
        ),
        check=check,
    )


async def _open_after_a_crash(desktop: SuiteDesktop, texts: dict[str, str], names: Sequence[str]) -> int:
    """Start Mousepad with the automatic copies of a session that seems to have crashed."""
    copies = desktop.home / ".local" / "share" / "Mousepad"
    write_files(copies, {f"autosave-{number}": texts[name] for number, name in enumerate(names, start=1)})
    entries = ", ".join(_entry(desktop.home, copies, number, name) for number, name in enumerate(names, start=1))
    settings = desktop.home / ".config" / "glib-2.0" / "settings"
    write_files(settings, {"keyfile": _STATE.format(entries=entries)})
    editor = await desktop.spawn(("mousepad", "--disable-server"), environment={"GSETTINGS_BACKEND": "keyfile"})
    await desktop.wait_for_window("Mousepad")
    return editor


def _entry(home: Path, copies: Path, number: int, name: str) -> str:
    """Return one document of a session as Mousepad keeps it: window, automatic copy, file; the first is in front."""
    front = "+" if number == 1 else ""
    return f"'1;{(copies / f'autosave-{number}').as_uri()};{front}{(home / name).as_uri()}'"
