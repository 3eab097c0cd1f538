"""What a demo leaves behind: pages of its sessions, and what to type next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from evals.results import SampleResult
from harness.cli.export import load_content
from harness.cli.program import program_name
from harness.store.export import export_session
from harness.store.layout import find_session


def export_page(result: SampleResult, artifacts: Path) -> Path | None:
    """Write the page of a result's session; None when it has no session."""
    if not result.session:
        return None
    out = artifacts / f"page-of-{result.session}"
    return export_session(out, load_content(find_session(artifacts, result.session))) / "index.html"


def task_text(result: SampleResult, artifacts: Path) -> str:
    """Return what the agent was told; empty when there is no session."""
    return find_session(artifacts, result.session).read_info().task if result.session else ""


def next_steps_text(artifacts: Path, page: Path | None, *, has_note: bool) -> Text:
    """Return where everything is and what to type next.

    Args:
        artifacts: The folder of the sessions.
        page: The page of the newest session, or None.
        has_note: Whether the newest session kept a note.
    """
    commands: Sequence[tuple[str, str]] = (
        ("sessions", "list them"),
        ("show last", "what the newest one did, step by step"),
        *((("notes last", "the note it kept"),) if has_note else ()),
        ("export last --out my-run", "its images, requests and records as files"),
    )
    lines = [f"Every step, screenshot and overlay is kept in {artifacts}/, one folder a session."]
    if page is not None:
        lines.append(f"See the last one with its images: {page.resolve().as_uri()}")
        lines.append("An image named action is the screen that the agent decided on, with what it did drawn on it.")
    lines += [f"  {program_name()} {command:26}{text}" for command, text in commands]
    return Text("\n".join(lines))
