"""Layers: the values that one mapping of a file sets, each with its origin."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Final

from harness.config.placeholder import Substitution
from harness.config.problem import Path, Problem, dotted, show
from harness.config.removed import take_refused
from harness.config.schema import DefaultsSection, Section, iterate_fields, section_of
from harness.config.translate import validate
from harness.config.yaml_reader import Data, YamlDocument

NOT_MERGED: Final = frozenset({"extends", "agent", "config_path"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One value with its origin.

    Attributes:
        value: Plain data.
        origin: `default`, `FILE:LINE`, `--set` or `--model`.
        is_secret: Whether it came from the environment.
    """

    value: Data
    origin: str
    is_secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """The values of one mapping.

    Attributes:
        path: Where the mapping stands.
        document: The file.
        settings: Single values by path inside the mapping.
        extends: The agent it starts from, or None.
        block: The inline NexAU block as it stands in the file, or None.
        config_path: The NexAU file it names, or None.
        unset: Placeholders without a value; an error when the layer is used.
    """

    path: Path
    document: YamlDocument
    settings: Mapping[Path, Setting] = field(default_factory=dict)
    extends: str | None = None
    block: dict[str, Data] | None = None
    config_path: str | None = None
    unset: tuple[Problem, ...] = ()

    def problem(self, text: str, *inside: str) -> Problem:
        """Return a problem with the place of a value of this layer."""
        path = (*self.path, *inside)
        return Problem(text=text, file=self.document.file, line=self.document.line(path), path=dotted(path))


def read_layer(
    document: YamlDocument, path: Path, data: Data, model: type[Section], *, label: str = ""
) -> tuple[Layer, list[Problem]]:
    """Read the mapping `data` at `path`: refused fields, placeholders, schema.

    Args:
        document: The file.
        path: Where the mapping stands.
        data: The mapping; null counts as empty.
        model: Its schema.
        label: What origins call the file; its name by default.

    Returns:
        What could be read, and what is wrong.
    """
    section = data if isinstance(data, dict) else {} if data is None else None
    if section is None:
        text = f"must be a mapping, got {show(data)}"
        return Layer(path=path, document=document), [
            Problem(text=text, file=document.file, line=document.line(path), path=dotted(path))
        ]
    block = section.get("agent")
    body = {key: value for key, value in section.items() if key != "agent"}
    problems: list[Problem] = []
    if issubclass(model, DefaultsSection):
        body, problems = take_refused(body, path, document)
    substitution = Substitution(document=document, env=os.environ)
    filled = _fill_empty(substitution.fill(body, path), model)
    whole = {**filled, "agent": block} if "agent" in section else filled
    problems.extend(validate(model, whole, path, document, substitution.secret)[1])
    if block is not None and filled.get("config_path") is not None:
        text = "`agent` and `config_path` both name a NexAU block; keep one"
        problems.append(Problem(text=text, file=document.file, line=document.line(path), path=dotted(path)))
    layer = Layer(
        path=path,
        document=document,
        settings=_settings(document, path, filled, model, label or document.file, substitution.secret),
        extends=_text(filled.get("extends")),
        block=block if isinstance(block, dict) else None,
        config_path=_text(filled.get("config_path")),
        unset=tuple(substitution.problems),
    )
    return layer, problems


def folder_of(document: YamlDocument) -> FilePath:
    """Return the folder that relative paths of a file start from."""
    return FilePath(document.file).parent


def _text(value: Data) -> str | None:
    return value if isinstance(value, str) else None


def _fill_empty(data: Data, model: type[Section]) -> dict[str, Data]:
    """Return a mapping in which a section with every line commented out is empty instead of null."""
    assert isinstance(data, dict)
    filled = dict(data)
    for name, info in model.model_fields.items():
        if name in filled and filled[name] is None and section_of(info) is not None:
            filled[name] = {}
    return filled


def _settings(
    document: YamlDocument,
    path: Path,
    data: dict[str, Data],
    model: type[Section],
    label: str,
    secret: set[Path],
) -> dict[Path, Setting]:
    found: dict[Path, Setting] = {}
    for leaf, _ in iterate_fields(model):
        value: Data = data
        for part in leaf:
            if not isinstance(value, dict) or part not in value:
                break
            value = value[str(part)]
        else:
            if leaf[0] not in NOT_MERGED:
                full = (*path, *leaf)
                is_secret = any(item[: len(full)] == full for item in secret)
                line = document.line(full)
                origin = label if line is None else f"{label}:{line}"
                found[leaf] = Setting(value=value, origin=origin, is_secret=is_secret)
    return found
