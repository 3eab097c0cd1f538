"""`transom sessions`: what ran here."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.api import DEFAULT_ARTIFACTS
from harness.cli.options import ArtifactsOption, JsonOption
from harness.cli.program import program_name
from harness.cli.progress import shorten
from harness.store.info import SessionInfo
from harness.store.layout import SessionEntry, list_sessions

SESSIONS_SCHEMA = "transom/sessions/1"
_ID_CHARS = 22


def sessions_command(
    limit: Annotated[int, typer.Option(min=1, help="How many to list, newest first.")] = 20,
    artifacts: ArtifactsOption = None,
    as_json: JsonOption = False,
) -> None:
    """List sessions, newest first.

    Example: transom sessions --limit 5
    """
    folder = artifacts or DEFAULT_ARTIFACTS
    entries = list_sessions(folder)
    if as_json:
        rows = [_row(entry) for entry in entries[:limit]]
        typer.echo(json.dumps({"schema": SESSIONS_SCHEMA, "sessions": rows}, ensure_ascii=False, indent=1))
        return
    console = Console()
    if not entries:
        console.print(f"No session under {folder}. Start one: {program_name()} demo")
        return
    console.print(_table(entries[:limit]))
    if len(entries) > limit:
        console.print(f"{len(entries) - limit} more; list them with --limit {len(entries)}")
    console.print(f"Look at one: {program_name()} show last", highlight=False)


def _row(entry: SessionEntry) -> dict[str, object]:
    info = entry.info
    if info is None:
        return {"id": entry.directory.id, "dir": str(entry.directory.path), "problem": entry.problem}
    return {
        "id": info.id,
        "dir": str(entry.directory.path),
        "agent": info.agent,
        "task": info.task,
        "status": info.status,
        "success": info.success,
        "steps": info.steps,
        "started_at": info.started_at.isoformat(),
        "ended_at": None if info.ended_at is None else info.ended_at.isoformat(),
    }


def _table(entries: tuple[SessionEntry, ...]) -> Table:
    table = Table(box=None, pad_edge=False, expand=True)
    widths = {"session": _ID_CHARS, "agent": 9, "result": 10, "status": 8}
    for name, width in widths.items():
        table.add_column(name, no_wrap=True, min_width=width)
    table.add_column("steps", justify="right", min_width=5)
    # The task takes what is left and is cut first; an id that is cut can't be copied.
    table.add_column("task", overflow="ellipsis", no_wrap=True, ratio=1)
    for entry in entries:
        if entry.info is None:
            table.add_row(entry.directory.id, "", "", Text("damaged", style="red"), "", Text(entry.problem or ""))
        else:
            info = entry.info
            table.add_row(
                info.id, Text(info.agent), result_text(info), info.status, str(info.steps), Text(shorten(info.task))
            )
    return table


def result_text(info: SessionInfo) -> Text:
    """Return success, no success, or nothing while it runs."""
    if info.success is None:
        return Text("–", style="dim")
    return Text("success", style="green") if info.success else Text("no success", style="red")
