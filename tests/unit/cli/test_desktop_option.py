"""`--desktop` with and without a value of its own."""

from __future__ import annotations

from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from harness.cli.desktop_option import DesktopCommand, SeenDesktopOption

app = typer.Typer()


@app.command(cls=DesktopCommand)
def look(
    url: Annotated[str | None, typer.Argument()] = None,
    desktop: SeenDesktopOption = None,
    out: Annotated[str | None, typer.Option("--out")] = None,
) -> None:
    """Say what was understood."""
    typer.echo(f"{url} {desktop} {out}")


@pytest.mark.req("R-CLI-1")
@pytest.mark.parametrize(
    ("arguments", "understood"),
    [
        (["--desktop", "--out", "x"], "None real x"),
        (["--out", "x", "--desktop"], "None real x"),
        (["--desktop", "virtual", "--out", "x"], "None virtual x"),
        (["--desktop=virtual"], "None virtual None"),
        (["--desktop", "real"], "None real None"),
        (["--desktop", "http://x"], "http://x real None"),
        ([], "None None None"),
    ],
)
def test_a_value_may_be_left_out(arguments: list[str], understood: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.output.strip() == understood


def test_another_value_is_refused_with_the_valid_ones() -> None:
    result = CliRunner().invoke(app, ["--desktop=virtuel"])
    assert result.exit_code == 2
    assert "'real'" in result.output
    assert "'virtual'" in result.output
