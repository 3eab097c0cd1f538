"""`transom config`: check, show, schema, migrate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.cli.options import ConfigOption, JsonOption, ModelOption, SetOption
from harness.config import AgentConfig, CheckReport, check_config, load_config, resolve_agent
from harness.config.loader import DEFAULT_FILE
from harness.config.migrate import plan_migration, replace_file
from harness.config.problem import raise_problems
from harness.config.reference import config_json_schema
from harness.config.resource import MAX_TEXT_BYTES
from harness.errors import ConfigError, UsageError

config_app = typer.Typer(no_args_is_help=True, help="Check, show and migrate agents.yaml.", rich_markup_mode=None)
FileArgument = Annotated[
    Path | None, typer.Argument(metavar="[FILE]", help="By default ./agents.yaml, else the shipped one.")
]
_PIPE_WIDTH = 240


@config_app.command("check")
def check_command(file: FileArgument = None, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """Check a file and every agent in it.

    Example: transom config check agents.yaml
    """
    report = check_config(file or config)
    if as_json:
        typer.echo(_report_json(report))
        raise typer.Exit(0 if report.is_ok else 2)
    for warning in report.warnings:
        typer.echo(f"warning: {warning}", err=True)
    raise_problems(report.problems)
    typer.echo(f"{report.file}: ok, agents: {', '.join(report.agents) or 'none'}")


@config_app.command("show")
def show_command(
    agent: Annotated[
        str, typer.Argument(metavar="AGENT", help="An agent of the file, a shipped one, or a keyless policy.")
    ],
    config: ConfigOption = None,
    model: ModelOption = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print each resolved value with its origin; secrets are masked.

    Example: transom config show demo --set limits.steps=20
    """
    resolved = resolve_agent(load_config(config), agent, model=model, overrides=settings or ())
    if as_json:
        typer.echo(resolved.to_json())
        return
    for warning in resolved.warnings:
        typer.echo(f"warning: {warning}", err=True)
    _print_table(resolved)


@config_app.command("schema")
def schema_command() -> None:
    """Print the JSON Schema of agents.yaml, for editors.

    Example: transom config schema > agents.schema.json
    """
    typer.echo(config_json_schema())


@config_app.command("migrate")
def migrate_command(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="By default ./agents.yaml.")] = None,
    config: ConfigOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be deleted and write nothing.")] = False,
) -> None:
    """Delete the removed fields from a file, keeping everything else.

    Example: transom config migrate agents.yaml --dry-run
    """
    path = file or config or DEFAULT_FILE
    migration = plan_migration(_read_exact(path), file=str(path))
    for item in migration.deleted:
        typer.echo(f"{path}:{item.line}: {'would delete' if dry_run else 'deleted'} {item.path}")
    if not migration.deleted:
        typer.echo(f"{path}: nothing to delete")
    elif not dry_run:
        replace_file(path, migration.text)


def _read_exact(path: Path) -> str:
    """Return the text with its own line ends."""
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_TEXT_BYTES + 1)
    except OSError as exc:
        raise ConfigError(f"can't be read: {exc.strerror or exc}; check the path", file=str(path)) from exc
    if len(content) > MAX_TEXT_BYTES:
        raise ConfigError(f"is larger than {MAX_TEXT_BYTES:,} bytes; shorten it", file=str(path))
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise UsageError(f"{path} is not UTF-8; save it as UTF-8") from exc


def _report_json(report: CheckReport) -> str:
    problems = [
        {"file": item.file, "line": item.line, "path": item.path, "problem": item.text} for item in report.problems
    ]
    document = {
        "schema": 1,
        "file": report.file,
        "ok": report.is_ok,
        "agents": list(report.agents),
        "problems": problems,
        "warnings": list(report.warnings),
    }
    return json.dumps(document, ensure_ascii=False)


def _print_table(resolved: AgentConfig) -> None:
    table = Table("value", "is", "from", box=None, pad_edge=False)
    for path, value in resolved.values.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        table.add_row(Text(path), Text(shown), Text(resolved.origins.get(path, "default")))
    console = Console()
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    console.print(table)
    if resolved.nexau is not None:
        typer.echo(f"NexAU block from {resolved.nexau.file}; not run: {', '.join(resolved.nexau.not_run) or 'nothing'}")
