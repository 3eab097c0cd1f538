"""Encoded data in a text: images as base64 never reach a model as text."""

from __future__ import annotations

import re
from typing import Final

MIN_RUN_CHARS: Final = 1000
_DATA_URI = r"data:[a-z]+/[a-z0-9.+-]{1,60}(?:;[a-z0-9=.-]{1,60}){0,3};base64,[A-Za-z0-9+/=_%-]{200,}"
_START = r"(?<![A-Za-z0-9+/_-])"  # runs are tried at their first character only: linear time on any text
_LONG_RUN = rf"{_START}[A-Za-z0-9+/_-]{{{MIN_RUN_CHARS},}}={{0,2}}"
_WRAPPED = rf"{_START}(?:[A-Za-z0-9+/]{{60,100}}={{0,2}}(?:\r\n|\n|\\n|\Z)){{10,}}(?:[A-Za-z0-9+/]{{1,100}}={{0,2}})?"
_ENCODED: Final = re.compile(f"{_DATA_URI}|{_LONG_RUN}|{_WRAPPED}", re.IGNORECASE)
_KINDS: Final = {"iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp"}


def has_encoded(text: str) -> bool:
    """Return whether a text holds a long run of encoded data."""
    return _ENCODED.search(text) is not None


def drop_encoded(text: str) -> str:
    """Replace each long run of encoded data by one short phrase that says its kind and length."""
    return _ENCODED.sub(_phrase, text)


def _phrase(match: re.Match[str]) -> str:
    run = match.group()
    body = run.partition("base64,")[2] or run
    kind = next((kind for start, kind in _KINDS.items() if body.startswith(start)), "encoded data")
    return f"[{kind} of {len(run):,} characters left out]"
