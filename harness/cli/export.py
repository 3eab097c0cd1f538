"""`transom export`: a session as plain files with one page to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.api import DEFAULT_ARTIFACTS
from harness.cli.notes import load_notes
from harness.cli.options import ArtifactsOption
from harness.session.codec import encode
from harness.session.log import open_readonly
from harness.store.export import SessionContent, export_session
from harness.store.layout import SessionDirectory, find_session


def export_command(
    session: Annotated[str, typer.Argument(help="An id, a unique prefix, a directory, or last.")] = "last",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="PATH", help="A new directory, or a new file ending in .zip.")
    ] = None,
    artifacts: ArtifactsOption = None,
) -> None:
    """Write a session as plain files: events, exact requests, notes, every image, and a page to look at them.

    Example: transom export last --out my-run    then open my-run/index.html in a browser
    """
    directory = find_session(artifacts or DEFAULT_ARTIFACTS, session)
    target = out if out is not None else Path(f"transom-{directory.id}")
    written = export_session(target, load_content(directory), as_zip=target.suffix == ".zip")
    page = "" if target.suffix == ".zip" else f"\nlook at it: {(written / 'index.html').resolve().as_uri()}"
    typer.echo(f"{written}{page}")


def load_content(directory: SessionDirectory) -> SessionContent:
    """Read everything of a session from private copies.

    Raises:
        StorageError: a store is damaged.
    """
    with open_readonly(directory) as log:
        events = tuple(log.events())
        requests = {(item.step, item.attempt): log.part_bodies(item) for item in log.requests()}
    return SessionContent(
        info=directory.read_info(),
        events=events,
        notes=load_notes(directory, everything=True),
        blobs=directory.blobs,
        requests=requests,
        encode=encode,
    )
