"""`transom run`: one task from the command line."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from harness import api
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

RUN_SCHEMA = "transom/run/1"


def run_command(
    agent: Annotated[str, typer.Argument(help="An agent of agents.yaml, or a keyless policy such as heuristic.")],
    task: Annotated[str, typer.Argument(help="What to do, in your words.")],
    url: Annotated[str | None, typer.Option(help="Where the browser starts.")] = None,
    script: Annotated[Path | None, typer.Option(help="A YAML list of tool calls, for the agent web-scripted.")] = None,
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
    provider or storage failed, 4 when a safety rule stopped it and 130 when it was interrupted.

    Example: transom run demo 'Click on the "Send" button.' --url http://127.0.0.1:8000/
    """
    printer = StepPrinter(Console(stderr=True), is_quiet=quiet)
    options = api.RunOptions(
        url=url,
        script=script,
        answer_schema=answer_schema,
        check=check,
        is_headed=headed,
        config=config,
        model=model,
        overrides=collect_overrides(overrides, max_steps=max_steps, max_cost=max_cost),
        artifacts=artifacts,
        ask=_ask if sys.stdin.isatty() and not as_json else None,
    )
    result = asyncio.run(_run(agent, task, options, printer))
    printer.end(result)
    if as_json:
        typer.echo(json.dumps(run_json(result), ensure_ascii=False))
    elif result.answer is not None:
        typer.echo(result.answer)
    raise typer.Exit(api.exit_code(result.status, success=result.success))


async def _run(agent: str, task: str, options: api.RunOptions, printer: StepPrinter) -> api.RunResult:
    _end_cleanly_on_termination()
    session = await api.Session.open(agent, task, **options)
    printer.begin(session.result.directory, task, session.warnings)
    try:
        async with session:
            async for step in session:
                printer.step(step)
    except asyncio.CancelledError:
        return session.result
    return session.result


def _end_cleanly_on_termination() -> None:
    """Let SIGTERM do what Ctrl-C does: the round is recorded as interrupted and the browser goes."""
    running = asyncio.current_task()
    assert running is not None, "called inside the run's task"
    with contextlib.suppress(NotImplementedError):  # Windows has no such handlers
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)


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
