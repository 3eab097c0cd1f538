"""`transom run`: one task from the command line."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from harness import api
from harness.cli.desktop_option import DesktopOption
from harness.cli.options import (
    ArtifactsOption,
    ConfigOption,
    JsonOption,
    MaxCostOption,
    MaxStepsOption,
    ModelOption,
    QuietOption,
    SetOption,
    collect_overrides,
)
from harness.cli.progress import StepPrinter
from harness.cli.signals import EXIT_INTERRUPTED, cancel_on_signals

RUN_SCHEMA = "transom/run/1"


def run_command(
    agent: Annotated[str, typer.Argument(help="An agent of agents.yaml, or a keyless policy such as heuristic.")],
    task: Annotated[str, typer.Argument(help="What to do, in your words.")],
    url: Annotated[str | None, typer.Option(help="Where the browser starts; not with a desktop.")] = None,
    desktop: DesktopOption = None,
    script: Annotated[
        Path | None, typer.Option(help="A YAML list of tool calls, for web-scripted and desktop-scripted.")
    ] = None,
    answer_schema: Annotated[Path | None, typer.Option(help="A JSON Schema file that the answer must fit.")] = None,
    check: Annotated[str | None, typer.Option(help="A command; exit code 0 means that it worked.")] = None,
    headed: Annotated[bool, typer.Option("--headed", help="Show the browser's window.")] = False,
    config: ConfigOption = None,
    model: ModelOption = None,
    overrides: SetOption = None,
    max_steps: MaxStepsOption = None,
    max_cost: MaxCostOption = None,
    artifacts: ArtifactsOption = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Run one task and say how it ended.

    The exit code is 0 when it succeeded, 1 when it did not, 2 for a wrong command or configuration, 3 when browser,
    display, provider or storage failed, 4 when a safety rule stopped it and 130 when it was interrupted.

    Examples: transom run demo 'Press Send.' --url http://localhost/ · transom run desktop 'Press OK.' --desktop virtual
    """
    printer = StepPrinter(Console(stderr=True), is_quiet=quiet)
    options = api.RunOptions(
        url=url,
        desktop=desktop,
        script=script,
        answer_schema=answer_schema,
        check=check,
        is_headed=headed,
        config=config,
        model=model,
        overrides=collect_overrides(overrides, max_steps=max_steps, max_cost=max_cost),
        artifacts=artifacts,
        ask=_ask if sys.stdin.isatty() and not as_json else None,
        tell=printer.notice,
    )
    try:
        result = asyncio.run(_run(agent, task, options, printer))
    except asyncio.CancelledError:
        typer.echo("interrupted before the first step", err=True)
        raise typer.Exit(EXIT_INTERRUPTED) from None
    printer.end(result)
    if as_json:
        typer.echo(json.dumps(run_json(result), ensure_ascii=False))
    elif result.answer is not None:
        typer.echo(result.answer)
    raise typer.Exit(api.exit_code(result.status, success=result.success))


async def _run(agent: str, task: str, options: api.RunOptions, printer: StepPrinter) -> api.RunResult:
    cancel_on_signals()
    session = await api.Session.open(agent, task, **options)
    printer.begin(session.result.directory, task, session.warnings)
    try:
        async with session:
            async for step in session:
                printer.step(step)
    except asyncio.CancelledError:
        return session.result
    return session.result


async def _ask(question: str) -> str:
    return await asyncio.to_thread(typer.prompt, f"The agent asks: {question}\nYour answer")


def run_json(result: api.RunResult) -> dict[str, object]:
    """Return the JSON of a finished run."""
    return {
        "schema": RUN_SCHEMA,
        "session": result.session,
        "dir": result.directory,
        "status": result.status,
        "reason": result.reason,
        "answer": result.answer,
        "success": result.success,
        "verified": result.is_verified,
        "steps": result.steps,
        "seconds": round(result.seconds, 3),
        "tokens": {"input": result.input_tokens, "cached": result.cached_tokens, "output": result.output_tokens},
        "cost_usd": result.cost_usd,
    }
