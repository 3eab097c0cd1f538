"""Tasks in the file manager."""

from __future__ import annotations

from evals.suites.desktop.apps import open_folder
from evals.suites.desktop.draw import Draw
from evals.suites.desktop.state import file_problem, first_problem, folder_problem, list_names, write_files
from evals.suites.desktop.task import Assignment
from harness.protocols.suites import SuiteDesktop
from harness.values.run import RunResult

_FOLDERS = ("Archive", "Drafts", "Invoices", "Letters", "Samples", "Travel")


async def rename_file(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Rename one of four files."""
    folder = desktop.home / draw.pick(_FOLDERS)
    new, old, *others = draw.file_names(5, ending=".md")
    contents = {name: f"{draw.code()}\n" for name in (old, *others)}
    write_files(folder, contents)
    await open_folder(desktop, folder)

    async def check(run: RunResult) -> str | None:
        return folder_problem(folder, {new if name == old else name: text for name, text in contents.items()})

    return Assignment(instruction=f'In the open folder, rename the file "{old}" to "{new}".', check=check)


async def make_folder(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Make an empty folder beside the files of another."""
    parent, name = draw.sample(_FOLDERS, 2)
    name = f"{name} {draw.number(2020, 2039)}"
    folder = desktop.home / parent
    files = draw.file_names(2)
    write_files(folder, dict.fromkeys(files, "kept\n"))
    await open_folder(desktop, folder)

    async def check(run: RunResult) -> str | None:
        entries = list_names(folder)
        if entries != sorted((*files, name)):
            return f"the folder holds {entries}, wanted {name!r} besides {sorted(files)}"
        return folder_problem(folder / name, {}) if (folder / name).is_dir() else f"{name!r} is no folder"

    return Assignment(instruction=f'In the open folder, make a new folder with the name "{name}".', check=check)


async def trash_file(desktop: SuiteDesktop, draw: Draw) -> Assignment:
    """Move one of four files to the trash, not past it."""
    folder = desktop.home / draw.pick(_FOLDERS)
    unwanted, *others = draw.file_names(4, ending=".md")
    contents = {name: f"{draw.code()}\n" for name in (unwanted, *others)}
    write_files(folder, contents)
    await open_folder(desktop, folder)
    trash = desktop.home / ".local" / "share" / "Trash" / "files"

    async def check(run: RunResult) -> str | None:
        return first_problem(
            folder_problem(folder, {name: contents[name] for name in others}),
            file_problem(trash / unwanted, contents[unwanted]),
        )

    return Assignment(
        instruction=f'In the open folder, move the file "{unwanted}" to the trash with its context menu.', check=check
    )
