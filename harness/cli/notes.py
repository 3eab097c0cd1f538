"""`transom notes`: what an agent chose to keep."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.api import DEFAULT_ARTIFACTS
from harness.cli.options import ArtifactsOption, JsonOption
from harness.memory.store import read_notes, select_active
from harness.session.recorded import open_recorded
from harness.store.layout import SessionDirectory, find_session
from harness.values.note import Note

NOTES_SCHEMA = "transom/notes/1"


def notes_command(
    session: Annotated[str, typer.Argument(help="An id, a unique prefix, a directory, or last.")] = "last",
    everything: Annotated[bool, typer.Option("--all", help="Replaced notes and earlier rounds too.")] = False,
    artifacts: ArtifactsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the notes of a session: the active ones of its last round, or all that were ever made.

    Example: transom notes last --all
    """
    directory = find_session(artifacts or DEFAULT_ARTIFACTS, session)
    notes = load_notes(directory, everything=everything)
    if as_json:
        rows = [_row(note) for note in notes]
        typer.echo(json.dumps({"schema": NOTES_SCHEMA, "session": directory.id, "notes": rows}, ensure_ascii=False))
        return
    console = Console()
    if not notes:
        console.print(f"Session {directory.id} made no notes.")
        return
    console.print(_table(notes))


def load_notes(directory: SessionDirectory, *, everything: bool) -> tuple[Note, ...]:
    """Return notes from a private copy of the store; none when notes were off.

    Raises:
        StorageError: the store is damaged.
    """
    if not directory.notes_path.exists():
        return ()
    stored = tuple(item.note for item in read_notes(directory.notes_path))
    if everything:
        return stored
    with open_recorded(directory) as recorded:
        return select_active(stored, recorded.state().round)


def _row(note: Note) -> dict[str, object]:
    return {
        "round": note.round,
        "step": note.step,
        "key": note.key,
        "kind": note.kind,
        "reason": note.reason,
        "text": note.text,
    }


def _table(notes: tuple[Note, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("step", "kind", "key", "text", "reason"):
        table.add_column(name)
    for note in notes:
        table.add_row(str(note.step), Text(note.kind), Text(note.key or ""), Text(note.text), Text(note.reason))
    return table
