"""`transom show`: a session step by step, or the exact request of one step."""

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
from harness.cli.progress import call_text, shorten
from harness.cli.sessions import result_text
from harness.errors import UsageError
from harness.session.recorded import RecordedSession, StepRequest, open_recorded
from harness.session.report import report_exchange
from harness.store.layout import find_session
from harness.values.artifact import Artifact
from harness.values.transcript import Exchange

PROJECTION_SCHEMA = "transom/projection/1"
SHOW_SCHEMA = "transom/show/1"


def show_command(
    session: Annotated[str, typer.Argument(help="An id, a unique prefix, a directory, or last.")] = "last",
    step: Annotated[int | None, typer.Option(min=1, help="One step, with its request.")] = None,
    projection: Annotated[
        bool, typer.Option("--projection", help="The step's exact request as JSON; needs --step.")
    ] = False,
    artifacts: ArtifactsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what an agent did, or what exactly it was shown at one step.

    Examples: transom show last · transom show last --step 3 · transom show last --step 3 --projection
    """
    if projection and step is None:
        raise UsageError("--projection needs --step N; name the step whose request you want to see")
    directory = find_session(artifacts or DEFAULT_ARTIFACTS, session)
    with open_recorded(directory) as recorded:
        if projection and step is not None:
            typer.echo(json.dumps(projection_json(recorded, step), ensure_ascii=False, indent=1))
        elif as_json:
            typer.echo(json.dumps(session_json(recorded), ensure_ascii=False, indent=1))
        elif step is not None:
            print_step(recorded, step, Console())
        else:
            print_session(recorded, Console())


def projection_json(recorded: RecordedSession, step: int) -> dict[str, object]:
    """Return the exact request of a step for other programs."""
    request = recorded.request(step)
    built = request.built
    opened = recorded.state().opened
    exchange = _exchange(recorded, step)
    return {
        "schema": PROJECTION_SCHEMA,
        "step": step,
        "mode": "off" if opened is None else opened.settings.mode,
        "sections": [{"name": section.name, "tokens": section.tokens} for section in built.sections],
        "images": [
            {
                "artifact": image.artifact,
                "kind": image.image_kind,
                "step": image.step,
                "sha256": image.sha256,
                **({"also": list(image.also)} if image.also else {}),
            }
            for image in built.images
        ],
        "tokens": {"estimated": built.estimated_tokens, "reported": _reported(recorded, step)},
        "prefix_edit": None if request.edit is None else request.edit.cause,
        "calls": [] if exchange is None else [call.name for call in exchange.message.calls],
        "messages": list(request.messages),
    }


def session_json(recorded: RecordedSession) -> dict[str, object]:
    """Return a session's steps for other programs."""
    state = recorded.state()
    steps = [_step_json(entry) for entry in state.transcript.entries if isinstance(entry, Exchange)]
    info = recorded.info
    return {
        "schema": SHOW_SCHEMA,
        "session": info.id,
        "status": info.status,
        "task": info.task,
        "answer": info.answer,
        "success": info.success,
        "steps": steps,
    }


def _step_json(exchange: Exchange) -> dict[str, object]:
    return {
        "step": exchange.step,
        "calls": [{"name": call.name, "arguments": call.arguments_json} for call in exchange.message.calls],
        "results": [{"status": result.status, "text": result.text} for result in exchange.results],
        "images": [image.id for image in exchange.images],
    }


def print_session(recorded: RecordedSession, console: Console) -> None:
    """Print the session's head and one line a call."""
    info, state = recorded.info, recorded.state()
    head = Table.grid(padding=(0, 2))
    head.add_row("session", info.id)
    head.add_row("task", Text(shorten(info.task, 200)))
    head.add_row("agent", f"{info.agent} ({info.model}, {info.controller})")
    head.add_row("status", Text.assemble(info.status, "  ", result_text(info)))
    if info.answer is not None:
        head.add_row("answer", Text(shorten(info.answer, 200)))
    head.add_row(
        "requests", f"{state.totals.steps}, {state.totals.prefix_edits} of them changed bytes that were already sent"
    )
    console.print(head)
    console.print()
    for entry in state.transcript.entries:
        if isinstance(entry, Exchange):
            _print_calls(entry, console)
    console.print()
    console.print(f"One step with its request: {program_name()} show {info.id} --step 1", highlight=False)
    console.print(f"A page with every image:   {program_name()} export {info.id}", highlight=False)


def print_step(recorded: RecordedSession, step: int, console: Console) -> None:
    """Print one step: what it was shown, what it did, what came of it."""
    request = recorded.request(step)
    console.print(Text(f"step {step}: {len(request.messages)} request parts, {request.built.size_bytes} bytes", "bold"))
    console.print(_ledger(request))
    for image in request.built.images:
        shared = f", same pixels as {', '.join(image.also)}" if image.also else ""
        console.print(Text(f"  image {image.artifact} ({image.image_kind} of step {image.step}{shared})"))
    if request.edit is not None:
        console.print(
            Text(
                f"  prefix edit: {', '.join(request.edit.causes)} at part {request.edit.first_changed_index}, "
                f"about {request.edit.tokens_resent} tokens sent again"
            )
        )
    exchange = _exchange(recorded, step)
    if exchange is None:
        console.print("  no reply was recorded")
        return
    console.print()
    _print_calls(exchange, console)
    for result in exchange.results:
        console.print(Text(f"      {result.name}: {shorten(result.text, 300)}"))
    for artifact in exchange.images:
        console.print(Text(f"      {_image_line(recorded, artifact)}"), soft_wrap=True)


def _image_line(recorded: RecordedSession, image: Artifact) -> str:
    return f"{image.id}  {recorded.directory.blobs.path(image.blob)}"


def _ledger(request: StepRequest) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2))
    for section in request.built.sections:
        table.add_row(f"  {section.name}", f"{section.tokens}", "tokens")
    table.add_row("  total", f"{request.built.estimated_tokens}", "estimated")
    return table


def _print_calls(exchange: Exchange, console: Console) -> None:
    calls = report_exchange(exchange)
    for index, call in enumerate(calls):
        lead = f"{exchange.step:4d}  " if index == 0 else "      "
        console.print(call_text(lead, call, seconds=None))
    if not calls:
        console.print(Text(f"{exchange.step:4d}  text only  {shorten(exchange.message.text)}"))


def _exchange(recorded: RecordedSession, step: int) -> Exchange | None:
    entries = recorded.state().transcript.entries
    return next((entry for entry in entries if isinstance(entry, Exchange) and entry.step == step), None)


def _reported(recorded: RecordedSession, step: int) -> int | None:
    for event in recorded.events:
        if event.step == step and event.body.kind == "reply":
            return event.body.reply.usage.input_tokens
    return None
