"""`--set path=value`: values for one run, checked like a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.config.layer import NOT_MERGED, Setting, read_layer
from harness.config.problem import Path, Problem, show
from harness.config.schema import AgentSection
from harness.config.yaml_reader import Data, YamlDocument, parse_yaml
from harness.errors import ConfigError

ORIGIN: Final = "--set"


def read_overrides(overrides: Sequence[str]) -> tuple[dict[Path, Setting], list[Problem]]:
    """Read `path=value` texts; a later one wins. Return their settings and what is wrong."""
    settings: dict[Path, Setting] = {}
    problems: list[Problem] = []
    for override in overrides:
        try:
            path, value = _split(override)
        except ConfigError as exc:
            problems.append(Problem(text=exc.problem, file=ORIGIN))
            continue
        document = YamlDocument(file=ORIGIN, data=None, lines={}, quoted=frozenset())
        layer, found = read_layer(document, (), _nest(path, value), AgentSection)
        settings |= layer.settings
        problems.extend([*found, *layer.unset])
    return settings, problems


def _split(override: str) -> tuple[list[str], Data]:
    name, equals, text = override.partition("=")
    path = name.strip().split(".")
    if not equals or not all(path):
        raise ConfigError(f"must be path=value, got {show(override)}; for example limits.steps=20")
    if path[0] in NOT_MERGED:
        raise ConfigError(f"`{path[0]}` can't be set on the command line; change it in the file")
    if not text.strip():
        raise ConfigError(f"{name.strip()} has no value; write {name.strip()}=null to switch a limit off")
    return path, parse_yaml(text, file=ORIGIN).data


def _nest(path: list[str], value: Data) -> dict[str, Data]:
    for name in reversed(path):
        value = {name: value}
    assert isinstance(value, dict)
    return value
