"""Live progress of a run, for people: one line a step, on standard error."""

from __future__ import annotations

import json

from rich.console import Console
from rich.text import Text

from harness.api import CallReport, RunResult, StepReport
from harness.cli.program import program_name
from harness.values.counting import counted

_SHOWN_CHARS = 70
_MARKS = {"ok": ("✓", "green"), "error": ("✗", "red"), "not_executed": ("–", "yellow"), None: ("?", "yellow")}


class StepPrinter:
    """Prints what each step did, unless it is quiet."""

    def __init__(self, console: Console, *, is_quiet: bool) -> None:
        self._console = console
        self._is_quiet = is_quiet

    def begin(self, directory: str, task: str, warnings: tuple[str, ...] = ()) -> None:
        """Say what runs and where it lands; warnings are said even when it is quiet."""
        for warning in warnings:
            self._console.print(Text.assemble(("warning: ", "yellow"), warning), soft_wrap=True)
        if not self._is_quiet:
            self._console.print(Text.assemble(("task  ", "bold"), shorten(task, 2 * _SHOWN_CHARS)))
            self._console.print(Text.assemble(("dir   ", "bold"), directory), soft_wrap=True)

    def notice(self, text: str) -> None:
        """Say what a person should know before the device opens."""
        if not self._is_quiet:
            self._console.print(Text.assemble(("note  ", "bold yellow"), text), soft_wrap=True)

    def step(self, report: StepReport) -> None:
        """Say what a step did."""
        if self._is_quiet:
            return
        for index, call in enumerate(report.calls):
            lead = f"{report.step:4d}  " if index == 0 else "      "
            self._console.print(call_text(lead, call, seconds=report.seconds if index == 0 else None))
        if not report.calls:
            line = Text.assemble((f"{report.step:4d}  ", "dim"), ("text only  ", "yellow"), shorten(report.text))
            self._console.print(line)

    def end(self, result: RunResult) -> None:
        """Say how it ended and where to look."""
        if self._is_quiet:
            return
        colour = "green" if result.success else "red"
        verdict = "success" if result.success else "no success"
        source = "verified" if result.is_verified else "the agent's claim"
        self._console.print(
            Text.assemble(
                (f"{verdict} ({source})", f"bold {colour}"),
                f": {result.status}, {result.reason}; {counted(result.steps, 'step')} in {result.seconds:.1f} s",
            )
        )
        self._console.print(f"look at it: {program_name()} show {result.session}", highlight=False)


def call_text(lead: str, call: CallReport, *, seconds: float | None) -> Text:
    """Return one line for a call: sign, name, arguments, what came of it."""
    sign, colour = _MARKS.get(call.status, ("!", "red"))
    took = "" if seconds is None else f"  {seconds:.1f} s"
    return Text.assemble(
        (lead, "dim"),
        (f"{sign} ", colour),
        (call.name, "bold"),
        f" {shorten(arguments_text(call.arguments_json))}",
        ("" if call.status == "ok" else f"  {shorten(call.text)}", colour),
        (took, "dim"),
    )


def arguments_text(arguments_json: str) -> str:
    """Return arguments as `name=value` pairs, or as they are when they can't be read."""
    try:
        arguments = json.loads(arguments_json or "{}")
    except ValueError:
        return arguments_json
    if not isinstance(arguments, dict):
        return arguments_json
    return " ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())


def shorten(text: str, limit: int = _SHOWN_CHARS) -> str:
    """Return the text on one printable line of at most `limit` characters."""
    flat = "".join(char if char.isprintable() else " " for char in " ".join(text.split()))
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
