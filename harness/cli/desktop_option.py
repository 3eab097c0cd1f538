"""`--desktop`: which desktop a command is about. With a value of its own, and where it says so without one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, get_args

import typer
from typer.core import TyperCommand

from harness.protocols import Display

_OPTION: Final = "--desktop"
DesktopOption = Annotated[
    Display | None,
    typer.Option(
        _OPTION,
        metavar="real|virtual",
        help="Act on a desktop: your own screen, or one that is started without a monitor (Linux).",
    ),
]
SeenDesktopOption = Annotated[
    Display | None,
    typer.Option(
        _OPTION,
        metavar="[real|virtual]",
        help="Look at a desktop instead of a page: your own screen when no other is named.",
    ),
]


class DesktopCommand(TyperCommand):
    """A command whose `--desktop` may stand without a value; it means `real` then."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # Any: typer does not export its context's class
        """Parse the arguments after the value that was left out was put in."""
        return super().parse_args(ctx, list(_with_value(args)))


def _with_value(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the arguments, with `real` after each `--desktop` that no value follows."""
    for index, argument in enumerate(arguments):
        yield argument
        following = arguments[index + 1] if index + 1 < len(arguments) else ""
        if argument == _OPTION and following not in get_args(Display):
            yield "real"
