"""Finds the mark that a script describes."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from harness.protocols import SeenMark


def find_mark(wanted: Mapping[str, object], marks: Sequence[SeenMark]) -> SeenMark | str:
    """Return the mark that `{role, name, value, nth}` describes, or one sentence that says why there is none.

    All keys are optional. Names are compared exactly, then without regard to case; `nth` counts the matches in reading
    order from 1, and 1 is the default.
    """
    fitting = [mark for mark in marks if _fits(mark, wanted)]
    name = wanted.get("name")
    if name is not None:
        named = [mark for mark in fitting if mark.name == name]
        fitting = named or [mark for mark in fitting if mark.name.casefold() == str(name).casefold()]
    nth = wanted.get("nth", 1)
    if isinstance(nth, int) and 1 <= nth <= len(fitting):
        return fitting[nth - 1]
    return _not_found(wanted, fitting, marks)


def _fits(mark: SeenMark, wanted: Mapping[str, object]) -> bool:
    role, value = wanted.get("role"), wanted.get("value")
    return (role is None or mark.role == role) and (value is None or mark.value == value)


def _not_found(wanted: Mapping[str, object], fitting: Sequence[SeenMark], marks: Sequence[SeenMark]) -> str:
    described = ", ".join(f"{key} {value!r}" for key, value in wanted.items())
    if fitting:
        return f"mark not found: {described}; only {len(fitting)} marks fit otherwise"
    names = list(dict.fromkeys(f"{mark.role} {mark.name!r}" for mark in marks))
    sought = f"{wanted.get('role', '')} {wanted.get('name', '')!r}"
    nearest = difflib.get_close_matches(sought, names, n=3, cutoff=0.0)
    return f"mark not found: {described}; nearest: {', '.join(nearest) or 'none, the screen shows no marks'}"
