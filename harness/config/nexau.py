"""Reads a NexAU agent block whole: what this version runs is used, every other part is named."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Final

from harness.config.layer import Layer, folder_of
from harness.config.mask import mask
from harness.config.nexau_schema import NexauBlock, NexauPrompt
from harness.config.placeholder import Substitution
from harness.config.problem import Path, Problem, dotted, show
from harness.config.resource import find_resource, read_text
from harness.config.translate import validate
from harness.config.yaml_reader import Data, YamlDocument, read_yaml
from harness.errors import ConfigError

RUN: Final = frozenset(
    {
        "type",
        "name",
        "description",
        "source_id",
        "system_prompt",
        "system_prompt_type",
        "system_prompt_suffix",
        "max_iterations",
        "llm_config",
    }
)
_OWN_CALL_MODES: Final = frozenset({"structured", "openai"})


@dataclass(frozen=True, slots=True, kw_only=True)
class NexauAgent:
    """What was read of a NexAU block.

    Attributes:
        file: The file that holds the block.
        name: The block's own name, or None.
        description: For people, or None.
        system: The whole system prompt, suffix included, or None.
        max_iterations: The block's limit of model steps, or None when it sets none.
        max_iterations_line: Its line, or None.
        not_run: Dotted names of the parts that this version doesn't run, in the block's order.
        block: The block with placeholders filled in and secrets masked.
    """

    file: str
    name: str | None
    description: str | None
    system: str | None
    max_iterations: int | None
    max_iterations_line: int | None
    not_run: tuple[str, ...]
    block: Mapping[str, Data]


@dataclass(frozen=True, slots=True, kw_only=True)
class NexauReading:
    """The block, or None; what is wrong; and what to warn about."""

    agent: NexauAgent | None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """A block after placeholders were filled in."""

    document: YamlDocument
    path: Path
    data: dict[str, Data]
    secret: frozenset[Path]

    def problem(self, text: str, *inside: str) -> Problem:
        path = (*self.path, *inside)
        return Problem(text=text, file=self.document.file, line=self.document.line(path), path=dotted(path))


def read_nexau(layer: Layer, *, strict: bool) -> NexauReading | None:
    """Read the block that an agent holds or names.

    Args:
        layer: The agent.
        strict: Whether a part that is not run is a problem (True) or a warning (False).

    Returns:
        None when the agent has no block.
    """
    try:
        found = _locate(layer)
        if found is None:
            return None
        source, problems = _fill(*found)
        block, invalid = validate(NexauBlock, source.data, source.path, source.document, source.secret)
        problems = [*problems, *invalid]
        if problems or not isinstance(block, NexauBlock):
            return NexauReading(agent=None, problems=tuple(problems))
        return _reading(source, block, strict=strict)
    except ConfigError as exc:
        return NexauReading(agent=None, problems=(_from_error(exc),))


def _locate(layer: Layer) -> tuple[YamlDocument, Path, dict[str, Data]] | None:
    if layer.block is not None:
        return layer.document, (*layer.path, "agent"), layer.block
    if layer.config_path is None:
        return None
    path = find_resource(layer.config_path, folder_of(layer.document))
    if path is None:
        raise layer.problem(
            f"names {show(layer.config_path)}, which doesn't exist; correct the path", "config_path"
        ).to_error()
    document = read_yaml(path)
    if not isinstance(document.data, dict):
        raise ConfigError("must hold a NexAU agent as a mapping", file=document.file, line=1)
    return document, (), document.data


def _fill(document: YamlDocument, path: Path, block: dict[str, Data]) -> tuple[_Source, list[Problem]]:
    substitution = Substitution(document=document, env=os.environ, folder=folder_of(document).absolute().as_posix())
    variables = substitution.fill(block.get("variables", {}), (*path, "variables"))
    if not isinstance(variables, dict):
        raise ConfigError("`variables` must be a mapping", file=document.file, line=document.line((*path, "variables")))
    substitution.variables = variables
    body = {key: value for key, value in block.items() if key != "variables"}
    data = substitution.fill(body, path)
    assert isinstance(data, dict)
    source = _Source(document=document, path=path, data=data, secret=frozenset(substitution.secret))
    return source, substitution.problems


def _reading(source: _Source, block: NexauBlock, *, strict: bool) -> NexauReading:
    not_run = _not_run(source.data, block)
    problems, warnings = _report(source, not_run, strict=strict)
    secret = {path[len(source.path) :] for path in source.secret}
    masked = mask(source.data, secret)
    assert isinstance(masked, dict)
    agent = NexauAgent(
        file=source.document.file,
        name=block.name,
        description=block.description,
        system=None if problems else _system(source, block),
        max_iterations=block.max_iterations if "max_iterations" in source.data else None,
        max_iterations_line=source.document.line((*source.path, "max_iterations")),
        not_run=not_run,
        block=masked,
    )
    return NexauReading(agent=agent, problems=tuple(problems), warnings=tuple(warnings))


def _not_run(data: Mapping[str, Data], block: NexauBlock) -> tuple[str, ...]:
    """Return the parts that ask for something this version doesn't do; empty ones ask for nothing."""
    names = [key for key, value in data.items() if key not in RUN and not _is_empty(key, value)]
    if block.system_prompt_type == "jinja":
        names.append("system_prompt_type")
    if isinstance(block.system_prompt, list):
        parts = enumerate(block.system_prompt)
        names.extend(
            f"system_prompt[{i}].cache" for i, part in parts if isinstance(part, NexauPrompt) and not part.cache
        )
    return tuple(names)


def _is_empty(key: str, value: Data) -> bool:
    if key == "tool_call_mode":
        return value in _OWN_CALL_MODES
    return value is None or value is False or value in ("", [], {})


def _report(source: _Source, not_run: tuple[str, ...], *, strict: bool) -> tuple[list[Problem], list[str]]:
    problems, warnings = [], []
    for name in not_run:
        text = f"`{name}` of the NexAU block is not run by this version"
        key = name.partition("[")[0]
        if strict:
            advice = "delete it, or set `strict: false` beside `agent` or `config_path` to go on without it"
            problems.append(source.problem(f"{text}; {advice}", key))
        else:
            warnings.append(str(source.problem(f"{text}; it was left out", key).to_error()))
    return problems, warnings


def _system(source: _Source, block: NexauBlock) -> str | None:
    """Return the system prompt; parts and suffix are joined by an empty line."""
    if block.system_prompt_type == "jinja":
        return block.system_prompt_suffix
    prompt = block.system_prompt
    items = [prompt] if isinstance(prompt, str) else prompt or []
    texts = [item if isinstance(item, str) else item.content for item in items]
    if block.system_prompt_type == "file":
        texts = [_prompt_file(source, text) for text in texts]
    whole = "\n\n".join([*texts, *([block.system_prompt_suffix] if block.system_prompt_suffix else [])])
    return whole or None


def _prompt_file(source: _Source, name: str) -> str:
    path: FilePath | None = find_resource(name, folder_of(source.document))
    if path is None:
        problem = source.problem(f"names the file {show(name)}, which doesn't exist; correct the path", "system_prompt")
        raise problem.to_error()
    return read_text(path)


def _from_error(exc: ConfigError) -> Problem:
    return Problem(text=exc.problem, file=exc.file, line=exc.line, path=exc.path)
