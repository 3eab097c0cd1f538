"""Reads mark lines back: the exact inverse of what a request shows of marks and visible text.

The options of a closed list end the line, `options: "A", "B", … (12 in all)`; they are kept as one state.
"""

from __future__ import annotations

import json
import re

from harness.protocols import SeenMark

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_OPTIONS = rf"options: (?:{_QUOTED}(?:, )?)*(?:… \([0-9]+ in all\))?"
_MARK = re.compile(
    rf"\[(?P<id>[0-9]+)\] (?P<role>\S+) (?P<name>{_QUOTED})(?: value (?P<value>{_QUOTED}))?"
    rf"(?P<states>(?: [^ \":]+)*)(?: (?P<options>{_OPTIONS}))?"
)
_TEXT = re.compile(rf"\[\] text (?P<text>{_QUOTED})")


def parse_mark_line(line: str) -> SeenMark | None:
    """Return the mark that a line such as `[12] button "OK" focused` stands for, or None for any other line."""
    found = _MARK.fullmatch(line)
    if found is None:
        return None
    name = _unquote(found["name"])
    value = None if found["value"] is None else _unquote(found["value"])
    if name is None or (value is None and found["value"] is not None):
        return None
    options = () if found["options"] is None else (found["options"],)
    states = (*found["states"].split(), *options)
    return SeenMark(id=int(found["id"]), role=found["role"], name=name, value=value, states=states)


def parse_screen_line(line: str) -> SeenMark | str | None:
    """Return a mark, the text of a line `[] text "…"`, or None for a line that is neither."""
    found = _TEXT.fullmatch(line)
    return parse_mark_line(line) if found is None else _unquote(found["text"])


def list_options(mark: SeenMark) -> tuple[str, ...]:
    """Return the labels of a closed list as far as its line shows them; empty for other marks."""
    listed = next((state for state in mark.states if state.startswith("options: ")), "")
    return tuple(text for found in re.finditer(_QUOTED, listed) if (text := _unquote(found[0])) is not None)


def _unquote(quoted: str) -> str | None:
    try:
        value = json.loads(quoted)
    except json.JSONDecodeError:
        return None
    return value if isinstance(value, str) else None
