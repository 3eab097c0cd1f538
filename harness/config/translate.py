"""Validation against the schema, with errors in plain words that name file, line, path and the nearest field."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError

from harness.config.mask import mask
from harness.config.problem import Path, Problem, dotted, show, suggest
from harness.config.schema import DefaultsSection, Section, iterate_fields
from harness.config.yaml_reader import YamlDocument

_HISTORY: Final = "history"
_ABSENT: Final = object()
_KEY_ERRORS: Final = frozenset({"extra_forbidden", "missing"})
_KINDS: Final = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "text",
    "string_too_short": "text that is not empty",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "dataclass_type": "a mapping",
}


def validate(
    model: type[BaseModel], data: object, path: Path, document: YamlDocument, secret: Collection[Path] = ()
) -> tuple[BaseModel | None, list[Problem]]:
    """Validate `data`, which stands at `path` of a document.

    Args:
        model: The schema of the value.
        data: Plain data.
        path: Where it stands.
        document: For lines.
        secret: Paths whose values are never shown.

    Returns:
        The validated model, or None; and what is wrong.
    """
    try:
        return model.model_validate(data), []
    except ValidationError as exc:
        found: dict[Path, Problem] = {}
        for error in exc.errors(include_url=False, include_context=True):
            place = _place(error["loc"], data, is_key=error["type"] in _KEY_ERRORS)
            full = (*path, *place)
            text = _text(model, error, place, data, is_secret=full in secret)
            problem = Problem(text=text, file=document.file, line=document.line(full), path=dotted(full))
            found.setdefault(full, problem)
        return None, [problem for full, problem in found.items() if not _is_around(full, found)]


def _is_around(path: Path, others: Collection[Path]) -> bool:
    """Return whether another problem stands inside `path`: then that one says more."""
    return any(len(other) > len(path) and other[: len(path)] == path for other in others)


def _place(location: tuple[int | str, ...], data: object, *, is_key: bool) -> Path:
    """Return where the value stands: pydantic also names the member of a union, which is no key of the file."""
    place: Path = ()
    for index, part in enumerate(location):
        inner = _inside(data, part)
        is_key_itself = is_key and index == len(location) - 1
        if inner is _ABSENT and not is_key_itself:
            continue
        data = inner
        place = (*place, part)
        if part == _HISTORY:
            return place
    return place


def _inside(data: object, part: int | str) -> object:
    """Return the value under a key or index, or the marker for none."""
    if isinstance(data, Mapping):
        return data.get(part, _ABSENT)
    if isinstance(data, list) and isinstance(part, int) and part < len(data):
        return data[part]
    return _ABSENT


def _text(model: type[BaseModel], error: Mapping[str, Any], place: Path, data: object, *, is_secret: bool) -> str:
    kind = error["type"]
    value = _value(data, place)
    seen = "a hidden value" if is_secret else show(mask(value) if isinstance(value, str) else value)
    if kind == "extra_forbidden" and _HISTORY not in place:
        return f"is an unknown field; {_near_field(model, place)}"
    if kind == "missing" and _HISTORY not in place:
        return _missing(str(place[-1]))
    if place and place[-1] == _HISTORY:
        return f'must be "full", {{recent_exchanges: N}} or {{recent_tokens: N}} with N from 1, got {seen}'
    if place == ("version",):
        return f"must be 1, got {seen}; a larger number is for a newer version of Transom"
    return f"must be {_wanted(kind, error.get('ctx', {}), error['msg'])}, got {seen}"


def _wanted(kind: str, context: Mapping[str, Any], message: str) -> str:
    if kind in _KINDS:
        return _KINDS[kind]
    match kind:
        case "literal_error":
            return f"one of {context['expected']}"
        case "greater_than_equal":
            return f"at least {context['ge']}"
        case "greater_than":
            return f"more than {context['gt']}"
        case "less_than_equal":
            return f"at most {context['le']}"
        case "too_short" | "too_long":
            return f"a list of {context.get('min_length', context.get('max_length'))} items"
        case "off_or_roomy" | "plain_address":
            return message
        case "string_pattern_mismatch":
            return "a name of at most 64 letters, digits, '.', '_' and '-' that starts with a letter or digit"
        case _:
            return f"valid ({message})"


def _missing(name: str) -> str:
    if name == "version":
        return "is missing; write `version: 1` at the top of the file"
    return f"is missing; add `{name}: …`"


def _value(data: object, place: Path) -> object:
    for part in place:
        data = _inside(data, part)
    return None if data is _ABSENT else data


def _near_field(model: type[BaseModel], place: Path) -> str:
    """Return the hint for an unknown field: the nearest one here, else where a field of that name stands."""
    *parents, name = [part for part in place if isinstance(part, str)]
    known = _fields_at(model, parents)
    hint = suggest(name, known)
    if hint.startswith("did you mean"):
        return hint
    if not issubclass(model, Section):
        return hint
    if name in DefaultsSection.model_fields:
        return f"`{name}` stands in `defaults` or directly in an agent"
    elsewhere = [dotted(path) for path, _ in iterate_fields(DefaultsSection) if path[-1] == name]
    return f"did you mean `{elsewhere[0]}` of an agent?" if elsewhere else hint


def _fields_at(model: type[BaseModel], parents: list[str]) -> list[str]:
    for name in parents:
        info = model.model_fields.get(name)
        inner = _model_in(info.annotation) if info else None
        if inner is None:
            return []
        model = inner
    return [info.alias or name for name, info in model.model_fields.items()]


def _model_in(annotation: object) -> type[BaseModel] | None:
    """Return the first mapping that a field may hold, also as one member of a union or an item of a list."""
    if isinstance(annotation, type) and not get_args(annotation) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for inner in get_args(annotation) if (found := _model_in(inner)) is not None), None)
