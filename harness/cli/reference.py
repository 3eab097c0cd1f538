"""The commands as a Markdown page, generated from their own help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import typer
from typer.core import TyperArgument, TyperGroup, TyperOption

from harness.cli.main import build_app

_INTRODUCTION = """\
# Commands

Generated from the commands' own help; `make reference` writes it anew. Exit codes: 0 success, 1 ended without
success or a threshold failed, 2 usage or configuration, 3 infrastructure, 4 stopped by a safety rule, 130 interrupted.
"""


def cli_reference() -> str:
    """Return the page: one section a command, in the order of their names."""
    root = typer.main.get_command(build_app())
    assert isinstance(root, TyperGroup), "the application is a group"
    return "\n".join([_INTRODUCTION, *_sections(root, "transom")]).rstrip() + "\n"


def _sections(group: TyperGroup, path: str) -> Iterator[str]:
    for name in sorted(group.commands):
        command = group.commands[name]
        if isinstance(command, TyperGroup):
            yield from _sections(command, f"{path} {name}")
        else:
            yield _section(command.params, command.help or "", f"{path} {name}")


def _section(parameters: Sequence[object], text: str, path: str) -> str:
    usage = "".join(f" {_argument_text(item)}" for item in parameters if isinstance(item, TyperArgument))
    lines = [f"## `{path}{usage}`", "", _plain(text), ""]
    options = [item for item in parameters if isinstance(item, TyperOption) and "--help" not in item.opts]
    if options:
        lines += ["| option | what it does |", "|---|---|"]
        lines += [f"| {_cell(_option_text(item))} | {_cell(item.help or '')} |" for item in options]
        lines.append("")
    return "\n".join(lines)


def _argument_text(argument: TyperArgument) -> str:
    name = (argument.metavar or argument.name or "").strip("[]{}").upper()
    return name if argument.required else f"[{name}]"


def _option_text(option: TyperOption) -> str:
    value = "" if option.is_flag else f" {option.metavar or (option.name or '').upper()}"
    return f"`{', '.join(option.opts)}{value}`"


def _plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
