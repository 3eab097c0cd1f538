"""What checks look at: files of the desktop's home and how its programs ended."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from harness.protocols.suites import SuiteDesktop


def write_files(folder: Path, contents: Mapping[str, str]) -> None:
    """Write text files into a folder, which is made when it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in contents.items():
        (folder / name).write_text(text, encoding="utf-8")


def file_problem(path: Path, wanted: str) -> str | None:
    """Return None when a file holds exactly `wanted`; line breaks at the end don't count."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        return f"{path.name} can't be read: {type(exc).__name__}"
    if text.rstrip("\n") == wanted.rstrip("\n"):
        return None
    return f"{path.name} holds {text!r}, wanted {wanted!r}"


def folder_problem(folder: Path, wanted: Mapping[str, str]) -> str | None:
    """Return None when a folder holds exactly these files with these contents."""
    names = list_names(folder)
    if names != sorted(wanted):
        return f"{folder.name} holds {names}, wanted {sorted(wanted)}"
    return first_problem(*(file_problem(folder / name, text) for name, text in wanted.items()))


def list_names(folder: Path) -> list[str] | None:
    """Return the sorted names of what a folder holds, or None when there is no such folder."""
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else None


def first_problem(*problems: str | None) -> str | None:
    """Return the first problem, or None when there is none."""
    return next((problem for problem in problems if problem is not None), None)


async def end_problem(desktop: SuiteDesktop, process_id: int, name: str) -> str | None:
    """Return None when a program has ended with exit code 0."""
    code = await desktop.returncode(process_id)
    if code == 0:
        return None
    return f"{name} still runs" if code is None else f"{name} ended with {code}"


async def alive_problem(desktop: SuiteDesktop, process_id: int, name: str) -> str | None:
    """Return None when a program still runs."""
    code = await desktop.returncode(process_id)
    return None if code is None else f"{name} ended with {code} and should still run"


async def answer_problem(desktop: SuiteDesktop, process_id: int, output: Path, wanted: str) -> str | None:
    """Return None when a dialog ended with OK and wrote exactly one line, `wanted`."""
    ended = await end_problem(desktop, process_id, "the dialog")
    return ended or file_problem(output, wanted)
