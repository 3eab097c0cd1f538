"""The command `transom`: groups, the commands of plug-ins, errors as one line with an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer
from rich.console import Console

from harness import plugins
from harness.cli.config import config_app
from harness.cli.desktop_option import DesktopCommand
from harness.cli.device import device_app
from harness.cli.doctor import doctor_command
from harness.cli.export import export_command
from harness.cli.init import init_command
from harness.cli.notes import notes_command
from harness.cli.observe import observe_command
from harness.cli.run import run_command
from harness.cli.sessions import sessions_command
from harness.cli.show import show_command
from harness.errors import HarnessError, PluginError
from harness.session.opening import program_version

RUN_PANEL = "Run an agent on your machine or in CI"
BENCHMARK_PANEL = "Benchmark models and compare settings"
LOOK_PANEL = "See what happened"
SETUP_PANEL = "Set up"
_PLUGIN_PANELS = {"demo": RUN_PANEL, "eval": BENCHMARK_PANEL}
_EXIT_INTERRUPTED = 130

app = typer.Typer(
    name="transom",
    help="Everything between a multimodal language model and a screen. Start with `transom demo`.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"transom {program_version()}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Everything between a multimodal language model and a screen."""


def build_app() -> typer.Typer:
    """Return the application with every command, those of plug-ins included."""
    for name in sorted(plugins.names("transom.commands")):
        app.command(name, rich_help_panel=_PLUGIN_PANELS.get(name, BENCHMARK_PANEL))(_plugin_command(name))
    app.command("run", rich_help_panel=RUN_PANEL)(run_command)
    app.command("observe", cls=DesktopCommand, rich_help_panel=RUN_PANEL)(observe_command)
    app.command("sessions", rich_help_panel=LOOK_PANEL)(sessions_command)
    app.command("show", rich_help_panel=LOOK_PANEL)(show_command)
    app.command("notes", rich_help_panel=LOOK_PANEL)(notes_command)
    app.command("export", rich_help_panel=LOOK_PANEL)(export_command)
    app.add_typer(device_app, name="device", rich_help_panel=SETUP_PANEL)
    app.add_typer(config_app, name="config", rich_help_panel=SETUP_PANEL)
    app.command("doctor", rich_help_panel=SETUP_PANEL)(doctor_command)
    app.command("init", rich_help_panel=SETUP_PANEL)(init_command)
    return app


def _plugin_command(name: str) -> Callable[..., object]:
    """Return a command, or one that says why it can't be loaded: a broken plug-in must not take the others along."""
    try:
        command = plugins.load("transom.commands", name)
    except PluginError as exc:
        problem = exc

        def broken() -> None:
            raise problem

        broken.__doc__ = f"Can't be loaded: {exc}"
        return broken
    assert callable(command), f"the command {name} of a plug-in is a function"
    return command


def main() -> None:
    """Run the command line; never shows a traceback for an error that was raised on purpose."""
    try:
        build_app()()
    except HarnessError as exc:
        Console(stderr=True, highlight=False).print(f"[bold red]error:[/] {_escape(str(exc))}", soft_wrap=True)
        sys.exit(exc.exit_code)
    except KeyboardInterrupt:
        Console(stderr=True).print("interrupted")
        sys.exit(_EXIT_INTERRUPTED)


def _escape(text: str) -> str:
    return text.replace("[", "\\[")
