"""`transom init`: write an agents.yaml with one agent."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from harness.config import check_config
from harness.config.installed import installed_providers
from harness.config.loader import DEFAULT_FILE
from harness.config.migrate import replace_file
from harness.config.problem import raise_problems, suggest
from harness.config.template import starter_text
from harness.errors import UsageError

_KEYLESS = "heuristic"


def init_command(
    provider: Annotated[
        str | None, typer.Option("--provider", metavar="NAME", help="Who decides: heuristic needs no key.")
    ] = None,
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="The provider's name for the model.")] = "",
    context_tokens: Annotated[
        int, typer.Option("--context-tokens", min=0, metavar="N", help="The model's window in tokens.")
    ] = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite ./agents.yaml.")] = False,
) -> None:
    """Write ./agents.yaml with one agent.

    Example: transom init --provider heuristic
    """
    if DEFAULT_FILE.exists() and not force:
        raise UsageError(f"./{DEFAULT_FILE} exists already; use --force to overwrite it")
    choices = (_KEYLESS, *installed_providers())
    chosen = provider or _ask("Provider", choices)
    if chosen not in choices:
        raise UsageError(f"there is no provider {chosen!r} installed; {suggest(chosen, choices)}")
    if chosen != _KEYLESS:
        model, context_tokens = _model(model, context_tokens)
    _write(DEFAULT_FILE, starter_text(chosen, model=model, context_tokens=context_tokens))
    typer.echo(
        f'wrote ./{DEFAULT_FILE} with the agent web; next: transom run web "Click the button named OK" --url URL'
    )


def _ask(question: str, choices: tuple[str, ...]) -> str:
    """Ask for one of the choices; without a terminal, or with one choice, take the first."""
    if len(choices) == 1 or not sys.stdin.isatty():
        return choices[0]
    return str(typer.prompt(f"{question} ({', '.join(choices)})", default=choices[0]))


def _model(model: str, context_tokens: int) -> tuple[str, int]:
    """Ask for what is missing; limits are never guessed."""
    if (not model or not context_tokens) and not sys.stdin.isatty():
        raise UsageError(
            "this provider needs --model NAME and --context-tokens N, the model's window as its provider states it"
        )
    return model or str(typer.prompt("Model")), context_tokens or int(typer.prompt("Its window in tokens", type=int))


def _write(path: Path, text: str) -> None:
    replace_file(path, text)
    raise_problems(check_config(path).problems)
