"""What argument models share: number types as JSON writes them, and how a wrong argument is told to the model."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, NoReturn, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictStr, ValidationError
from pydantic_core import ErrorDetails

from harness.tools.calls import ParsedCall
from harness.tools.pointing import Sighted
from harness.tools.problem import CallProblem, near, show

MAX_TEXT_CHARS = 100_000
MAX_WORD_CHARS = 200


def whole_number(value: object) -> object:
    """Return an integer as JSON may write it (`3`, `3.0`); texts and booleans are refused."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be an integer")  # noqa: TRY004  # pydantic turns only ValueError into a message
    if isinstance(value, float) and not (math.isfinite(value) and value.is_integer()):
        raise ValueError("must be a finite integer")
    return int(value)


def finite_number(value: object) -> object:
    """Return a number; texts, booleans and infinities are refused."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("must be a number")  # noqa: TRY004  # pydantic turns only ValueError into a message
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("must be a finite number")
    return value


Whole = Annotated[int, BeforeValidator(whole_number)]
Text = Annotated[StrictStr, Field(min_length=1, max_length=MAX_TEXT_CHARS)]
Word = Annotated[StrictStr, Field(min_length=1, max_length=MAX_WORD_CHARS)]
FromZero = Annotated[int, Field(ge=0), BeforeValidator(whole_number)]
FromOne = Annotated[int, Field(ge=1), BeforeValidator(whole_number)]
Point = Annotated[list[Whole], Field(min_length=2, max_length=2)]
Keys = StrictStr | Annotated[list[StrictStr], Field(min_length=1, max_length=8)]


class Arguments(BaseModel, ABC):
    """The arguments of one tool. Its JSON Schema is what the model sees; unknown arguments are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=False)

    @abstractmethod
    def ask(self, sighted: Sighted) -> ParsedCall:
        """Return what the call asks for.

        Raises:
            CallProblem: an argument doesn't fit the screen or the other arguments.
        """

    @classmethod
    def read(cls, values: Mapping[str, object]) -> Self:
        """Return the checked arguments.

        Raises:
            CallProblem: an argument is unknown, missing or of a wrong kind; the text says which and what is valid.
        """
        try:
            return cls.model_validate(dict(values))
        except ValidationError as exc:
            cls._refuse(exc, values)

    @classmethod
    def argument_names(cls) -> tuple[str, ...]:
        """Return the argument names as the model writes them."""
        return tuple(field.alias or name for name, field in cls.model_fields.items())

    @classmethod
    def _refuse(cls, exc: ValidationError, values: Mapping[str, object]) -> NoReturn:
        errors = exc.errors(include_url=False, include_context=False)
        error = errors[0]
        name = str(error["loc"][0]) if error["loc"] else ""
        valid = cls.argument_names()
        if error["type"] == "extra_forbidden":
            listing = ", ".join(valid) if valid else "none"
            raise CallProblem(f"unknown argument {show(name)}{near(name, valid)}; valid arguments: {listing}") from exc
        if error["type"] == "missing":
            raise CallProblem(f"missing argument {name!r}; valid arguments: {', '.join(valid)}") from exc
        messages = _deepest([item for item in errors if item["loc"][:1] == error["loc"][:1]])
        raise CallProblem(f"argument {name!r}: {messages}, got {show(values.get(name))}") from exc


def _deepest(errors: Sequence[ErrorDetails]) -> str:
    """Return the messages of the variant that came closest: an argument may have several valid forms."""
    depth = max(len(item["loc"]) for item in errors)
    messages = [
        item["msg"].removeprefix("Value error, ").removeprefix("Input ") for item in errors if len(item["loc"]) == depth
    ]
    return " or ".join(dict.fromkeys(messages))


def read_object(arguments_json: str) -> dict[str, object]:
    """Return the JSON object of a call's arguments; an empty text counts as no arguments.

    Raises:
        CallProblem: it is not JSON, not an object, or names an argument twice; the text names the position.
    """
    if not arguments_json.strip():
        return {}
    try:
        value = json.loads(arguments_json, parse_constant=_refuse_constant, object_pairs_hook=_object)
    except json.JSONDecodeError as exc:
        seen = show(arguments_json[max(0, exc.pos - 10) : exc.pos + 10])
        raise CallProblem(
            f"the arguments are not valid JSON: {exc.msg} at line {exc.lineno}, column {exc.colno}, near {seen}"
        ) from exc
    except (ValueError, RecursionError) as exc:  # a number of thousands of digits, or thousands of brackets
        raise CallProblem("the arguments are not usable JSON: a number is too long or the nesting too deep") from exc
    if not isinstance(value, dict):
        raise CallProblem(f"the arguments must be a JSON object, got {show(arguments_json)}")
    return value


def _refuse_constant(constant: str) -> NoReturn:
    raise CallProblem(f"{constant} is not valid JSON; numbers must be finite")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise CallProblem(f"argument {show(name)} is given twice; give it once")
        found[name] = value
    return found
