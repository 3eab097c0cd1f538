"""Events as JSON and back, without loss."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from functools import cache
from typing import get_args

from pydantic import TypeAdapter
from pydantic_core import to_json

from harness.values.event import EventBody, UnknownEvent


def _kind_of(cls: type[EventBody]) -> str:
    return str(next(field.default for field in fields(cls) if field.name == "kind"))


_CLASSES: dict[str, type[EventBody]] = {_kind_of(cls): cls for cls in get_args(EventBody)}


def encode(body: EventBody | UnknownEvent) -> str:
    """Return an event's body as one line of JSON; an unknown event's own JSON byte for byte.

    A lone surrogate, which UTF-8 can't hold, becomes `?`. Numbers that JSON lacks (NaN, infinity) become strings
    that `decode` turns back.
    """
    if isinstance(body, UnknownEvent):
        return body.body_json
    try:
        return to_json(body, inf_nan_mode="strings").decode()
    except ValueError:
        flat = json.dumps(asdict(body), ensure_ascii=False).encode("utf-8", "replace").decode()
        return to_json(_adapter(body.kind).validate_json(flat), inf_nan_mode="strings").decode()


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
