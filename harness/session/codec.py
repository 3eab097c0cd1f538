"""Events as JSON and back, without loss."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from functools import cache
from typing import Literal, cast, get_args

from pydantic import TypeAdapter
from pydantic_core import CoreConfig, CoreSchema, SchemaSerializer

from harness.values.event import EventBody, UnknownEvent


def _kind_of(cls: type[EventBody]) -> str:
    return str(next(field.default for field in fields(cls) if field.name == "kind"))


_ALL_NUMBERS: Literal["strings"] = "strings"
_CLASSES: dict[str, type[EventBody]] = {_kind_of(cls): cls for cls in get_args(EventBody)}


def encode(body: EventBody | UnknownEvent) -> str:
    """Return an event's body as one line of JSON; an unknown event's own JSON byte for byte.

    Numbers that JSON lacks (NaN, infinity) become strings that `decode` turns back.

    Raises:
        ValueError: a text holds a lone surrogate, which UTF-8 can't hold; see `replace_surrogates`.
    """
    if isinstance(body, UnknownEvent):
        return body.body_json
    return _serializer(body.kind).to_json(body).decode()


def replace_surrogates(body: EventBody | UnknownEvent) -> EventBody | UnknownEvent:
    """Return the event with `?` for each lone surrogate; pages and models can send them as JSON escapes."""
    if isinstance(body, UnknownEvent):
        return UnknownEvent(name=body.name, body_json=body.body_json.encode("utf-8", "replace").decode())
    flat = json.dumps(asdict(body), ensure_ascii=False).encode("utf-8", "replace")
    return _adapter(body.kind).validate_json(flat)


def decode(kind: str, text: str) -> EventBody | UnknownEvent:
    """Return the event of `kind` that `text` holds. Unknown fields are skipped, an unknown kind is kept as it is.

    Raises:
        ValueError: the text isn't an event of that kind, or holds a value that this version doesn't know.
    """
    if kind not in _CLASSES:
        return UnknownEvent(name=kind, body_json=text)
    return _adapter(kind).validate_json(text)


def event_kind(body: EventBody | UnknownEvent) -> str:
    """Return the name an event is stored under."""
    return body.name if isinstance(body, UnknownEvent) else body.kind


@cache
def _adapter(kind: str) -> TypeAdapter[EventBody]:
    return TypeAdapter(_CLASSES[kind])


@cache
def _serializer(kind: str) -> SchemaSerializer:
    # A union's members read the option from the serializer, a class on its own from its schema: both need it.
    schema = cast("CoreSchema", _with_all_numbers(_adapter(kind).core_schema))
    return SchemaSerializer(schema, CoreConfig(ser_json_inf_nan=_ALL_NUMBERS))


def _with_all_numbers(schema: object) -> object:
    """Return the schema with NaN and infinity written as strings; pydantic's default, null, could not be read back.

    The option belongs on each class, but the values don't know pydantic.
    """
    if isinstance(schema, dict):
        inner = {name: _with_all_numbers(value) for name, value in schema.items()}
        if schema.get("type") == "dataclass":
            inner["config"] = {**schema.get("config", {}), "ser_json_inf_nan": _ALL_NUMBERS}
        return inner
    if isinstance(schema, list | tuple):
        return type(schema)(_with_all_numbers(value) for value in schema)
    return schema
