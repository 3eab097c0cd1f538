"""What is wrong with a call that the model can mend; never leaves `harness.tools`."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_SHOWN_CHARS = 80


class CallProblem(Exception):
    """A call can't be understood; the text says what is valid and becomes the refusal."""


def show(value: object) -> str:
    """Return a value of the model's as one short, escaped, printable phrase."""
    text = ascii(value) if not isinstance(value, str) else repr(value[: _SHOWN_CHARS + 1])
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"


def near(word: str, valid: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the closest valid word, or an empty text."""
    found = get_close_matches(word[:_SHOWN_CHARS], tuple(valid), n=1)
    return f"; did you mean {found[0]!r}?" if found else ""
