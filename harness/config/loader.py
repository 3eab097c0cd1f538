"""Loads agents.yaml: one file, and the shipped one behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path as FilePath
from typing import Final

from harness.config.layer import Layer, read_layer
from harness.config.problem import Problem, raise_problems, show
from harness.config.removed import take_refused
from harness.config.schema import (
    AGENT_NAME,
    KEYLESS_POLICIES,
    AgentSection,
    ConfigFile,
    DefaultsSection,
    ModelSection,
    Section,
)
from harness.config.translate import validate
from harness.config.yaml_reader import Data, YamlDocument, read_yaml
from harness.errors import ConfigError

DEFAULT_FILE: Final = FilePath("agents.yaml")
SHIPPED_FILE: Final = FilePath(__file__).with_name("agents.yaml")
SHIPPED_LABEL: Final = "shipped agents.yaml"
_GROUPS: Final[Mapping[str, type[Section]]] = {"models": ModelSection, "agents": AgentSection}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedConfig:
    """A configuration file whose schema holds.

    Attributes:
        file: The file as the user named it.
        defaults: Values for every agent.
        models: Model entries by name.
        agents: Agents by name, in the order of the file.
        shipped: The shipped configuration; None when this is it.
    """

    file: str
    defaults: Layer
    models: Mapping[str, Layer] = field(default_factory=dict)
    agents: Mapping[str, Layer] = field(default_factory=dict)
    shipped: LoadedConfig | None = None


def load_config(path: FilePath | None = None) -> LoadedConfig:
    """Load a configuration file.

    Args:
        path: The file; by default `./agents.yaml` when there is one, else the shipped file.

    Raises:
        ConfigError: the file can't be read or breaks the schema; the text names every problem with its line.
    """
    loaded, problems = read_config(path)
    raise_problems(problems)
    assert loaded is not None
    return loaded


def read_config(path: FilePath | None = None) -> tuple[LoadedConfig | None, list[Problem]]:
    """Read a configuration file; return it with everything that is wrong, or None when it can't be parsed."""
    chosen = path if path is not None else DEFAULT_FILE if DEFAULT_FILE.exists() else SHIPPED_FILE
    if chosen == SHIPPED_FILE:
        return load_shipped(), []
    try:
        document = read_yaml(chosen)
    except ConfigError as exc:
        return None, [Problem(text=exc.problem, file=exc.file, line=exc.line, path=exc.path)]
    return _read(document, shipped=load_shipped())


@cache
def load_shipped() -> LoadedConfig:
    """Load the configuration that comes with the package."""
    loaded, problems = _read(read_yaml(SHIPPED_FILE), shipped=None, label=SHIPPED_LABEL)
    raise_problems(problems)
    return loaded


def _read(
    document: YamlDocument, *, shipped: LoadedConfig | None, label: str = ""
) -> tuple[LoadedConfig, list[Problem]]:
    root = document.data
    if not isinstance(root, dict):
        problem = Problem(text=f"must be a mapping that starts with `version: 1`, got {show(root)}", file=document.file)
        return LoadedConfig(file=document.file, defaults=Layer(path=(), document=document)), [problem]
    top, problems = take_refused(root, (), document, with_planned=False)
    problems.extend(_check_top(top, document))
    defaults, found = read_layer(document, ("defaults",), top.get("defaults"), DefaultsSection, label=label)
    problems.extend(found)
    groups: dict[str, dict[str, Layer]] = {}
    for group, model in _GROUPS.items():
        entries = top.get(group)
        groups[group] = {}
        for name, data in entries.items() if isinstance(entries, dict) else ():
            groups[group][name], found = read_layer(document, (group, name), data, model, label=label)
            problems.extend([*found, *_check_entry(groups[group][name], name)])
    loaded = LoadedConfig(
        file=label or document.file,
        defaults=defaults,
        models=groups["models"],
        agents=groups["agents"],
        shipped=shipped,
    )
    return loaded, problems


def _check_top(top: dict[str, Data], document: YamlDocument) -> list[Problem]:
    """Check the keys of the file itself; what they hold is checked by itself."""
    held = ("defaults", *_GROUPS)
    shell = {key: value for key, value in top.items() if key not in held or not isinstance(value, dict | None)}
    return validate(ConfigFile, shell, (), document)[1]


def _check_entry(layer: Layer, name: str) -> list[Problem]:
    if not re.match(AGENT_NAME, name):
        text = (
            f"{show(name)} is no valid name; use at most 64 letters, digits, '.', '_' and '-', a letter or digit first"
        )
        return [layer.problem(text)]
    return _check_model(layer, name) if layer.path[0] == "models" else []


def _check_model(layer: Layer, name: str) -> list[Problem]:
    use = layer.settings.get(("use",))
    if use is None:
        return []
    if name in KEYLESS_POLICIES and use.value != name:
        return [layer.problem(f"{name!r} always means the keyless policy of that name; choose another name", "use")]
    is_unset = any(problem.path.endswith(".context_tokens") for problem in layer.unset)
    limit = layer.settings.get(("context_tokens",))
    if use.value not in KEYLESS_POLICIES and not is_unset and (limit is None or limit.value is None):
        text = (
            "needs `context_tokens: N`, the model's window as its provider states it; unknown limits are never guessed"
        )
        return [layer.problem(text)]
    return []
