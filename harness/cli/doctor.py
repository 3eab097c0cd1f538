"""`transom doctor`: what is amiss on this machine, and what to do about it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.api import DEFAULT_ARTIFACTS
from harness.cli.doctor_checks import Check, check_browser, find_browser, installed_version, machine_checks
from harness.cli.doctor_desktop import desktop_checks, wanted_programs
from harness.cli.doctor_fix import browser_commands, can_install, fix_browser, fix_programs, run_command
from harness.cli.options import ArtifactsOption, JsonOption, QuietOption
from harness.cli.program import program_name
from harness.controllers.desktop.programs import missing

DOCTOR_SCHEMA = "transom/doctor/1"
_EXIT_INFRASTRUCTURE = 3
_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


def doctor_command(
    fix: Annotated[
        bool,
        typer.Option(
            "--fix", help="Get a browser and the programs of desktop agents where they are missing, and say how."
        ),
    ] = False,
    as_json: JsonOption = False,
    artifacts: ArtifactsOption = None,
    quiet: QuietOption = False,
) -> None:
    """Check this machine: Python, packages, browser, display, plug-ins, disk. Exit code 3 when web runs can't work.

    Example: transom doctor --fix
    """
    if fix:
        _fix(Console(stderr=True, highlight=False, markup=False))
    checks = (*machine_checks(artifacts or DEFAULT_ARTIFACTS), *desktop_checks(os.environ, sys.platform))
    if as_json:
        typer.echo(json.dumps(report(checks), ensure_ascii=False, indent=1))
    else:
        _print_checks(Console(), [check for check in checks if not quiet or check.status == "fail"])
    if not is_fit(checks):
        raise typer.Exit(_EXIT_INFRASTRUCTURE)


def _fix(messages: Console) -> None:
    if installed_version("playwright") is not None:  # without it no browser can be driven at all
        fix_browser(
            is_working=lambda: check_browser(find_browser).status == "ok",
            run=run_command,
            say=messages.print,
            commands=browser_commands(),
        )
    fix_programs(
        find_missing=lambda: missing(wanted_programs(), os.environ),
        run=run_command,
        say=messages.print,
        can_install=can_install(),
    )


def is_fit(checks: Sequence[Check]) -> bool:
    """Return whether web runs can work."""
    return all(check.status != "fail" for check in checks)


def report(checks: Sequence[Check]) -> dict[str, object]:
    """Return the checks as JSON for programs."""
    return {"schema": DOCTOR_SCHEMA, "ok": is_fit(checks), "checks": [asdict(check) for check in checks]}


def _print_checks(console: Console, checks: Sequence[Check]) -> None:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        seen = Text(check.seen)
        if check.advice:
            seen.append(f"\n→ {check.advice}", style="dim" if check.status == "ok" else "")
        table.add_row(Text(check.status, style=_STYLES[check.status]), check.name, seen)
    if checks:
        console.print(table)
    _print_verdict(console, checks)


def _print_verdict(console: Console, checks: Sequence[Check]) -> None:
    failed = sum(check.status == "fail" for check in checks)
    if failed:
        console.print(Text(f"{failed} to mend before a web run can work", style="bold red"))
    elif any(check.status == "ok" for check in checks):
        console.print(Text(f"Ready for web runs. Next: {program_name()} demo", style="green"))
