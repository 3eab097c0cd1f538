"""Options that many commands share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="Configuration file; by default ./agents.yaml, else the shipped one."
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="NAME", help="Model instead of the agent's: an entry of the file or a keyless policy."
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="PATH=VALUE", help="Set one value, for example prompt.screenshot_window_images=1; repeatable."
    ),
]
MaxStepsOption = Annotated[
    int | None,
    typer.Option("--max-steps", min=1, metavar="N", help="Stop after N model steps; short for --set limits.steps=N."),
]
MaxCostOption = Annotated[
    float | None,
    typer.Option("--max-cost", min=0.0, metavar="USD", help="Stop at this cost; short for --set limits.cost_usd=USD."),
]
ArtifactsOption = Annotated[
    Path | None,
    typer.Option("--artifacts", metavar="DIR", help="Where session directories go; by default ./artifacts."),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def collect_overrides(
    settings: Sequence[str] | None, *, max_steps: int | None = None, max_cost: float | None = None
) -> tuple[str, ...]:
    """Return the overrides of --set, --max-steps and --max-cost as `path=value` texts; the short options win."""
    short = [] if max_steps is None else [f"limits.steps={max_steps}"]
    short += [] if max_cost is None else [f"limits.cost_usd={max_cost!r}"]
    return (*(settings or ()), *short)
