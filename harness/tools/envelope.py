"""Envelopes: what stands for a result that is too long, while the whole is stored and can be read again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from harness.tools.encoded import drop_encoded, has_encoded

_TROUBLE: Final = re.compile(
    r"\b(?:errors?|exceptions?|traceback|fail(?:ed|ure|ures)?|fatal|denied|refused|not found|timed? ?out|panic)\b",
    re.IGNORECASE,
)
_LINE_CHARS: Final = 200
_HEAD_SHARE: Final = 0.5
_LINES_SHARE: Final = 0.25


def needs_envelope(text: str, *, limit_chars: int) -> bool:
    """Return whether a result must be stored whole before it is shortened; 0 characters is no limit."""
    return 0 < limit_chars < len(text) or has_encoded(text)


def make_envelope(text: str, *, limit_chars: int, ref: str, status: str = "ok", find: str | None = None) -> str:
    """Return what the model reads of a result: the text itself, or status, size, telling lines, head and tail.

    Args:
        text: The whole result.
        limit_chars: Longest text that stays whole, and longest envelope; 0 is no limit.
        ref: Where the whole is stored, for `read_record`.
        status: The result's status.
        find: Lines with this text are shown first, ignoring case; None shows lines that tell of trouble.

    Returns:
        At most `limit_chars` characters where that is not 0. Encoded data, such as an image as base64, never enters.
    """
    clean = drop_encoded(text)
    if clean == text and not 0 < limit_chars < len(text):
        return text
    header = (
        f"[shortened] status: {status}; original size: {len(text):,} characters in {text.count(chr(10)) + 1:,} lines; "
        f"full_result_ref: {ref} (read_record shows any part of it)"
    )
    if not limit_chars or len(header) + 1 + len(clean) <= limit_chars:
        return f"{header}\n{clean}"
    return _fit(header, clean, limit_chars=limit_chars, ref=ref, find=find)


def _fit(header: str, clean: str, *, limit_chars: int, ref: str, find: str | None) -> str:
    room = limit_chars - len(header)
    if room < _LINE_CHARS:
        short = f"[shortened] full_result_ref: {ref}"
        return (header if room >= 0 else short)[:limit_chars]
    lines = _telling_lines(clean, limit_chars=int(room * _LINES_SHARE), find=find)
    room -= len(lines) + len("\nhead:\n") + len("\ntail:\n")
    head_chars = int(room * _HEAD_SHARE)
    head, tail = _cut_head(clean, head_chars), _cut_tail(clean, room - head_chars)
    return f"{header}{lines}\nhead:\n{head}\ntail:\n{tail}"


def _telling_lines(text: str, *, limit_chars: int, find: str | None) -> str:
    found = list(_matches(text.split("\n"), find))
    kept: list[str] = []
    used = len(title := f"\n{'matched' if find else 'error'} lines ({len(found):,} in all):")
    for line in found:
        used += len(line) + 1
        if used > limit_chars:
            break
        kept.append(line)
    return "\n".join((title, *kept)) if kept else ""


def _matches(lines: Sequence[str], find: str | None) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if (find.casefold() in line.casefold()) if find else _TROUBLE.search(line):
            yield f"line {number}: {line[:_LINE_CHARS]}{'…' if len(line) > _LINE_CHARS else ''}"


def _cut_head(text: str, limit_chars: int) -> str:
    """Cut after the last whole line, unless that would lose more than half."""
    head = text[:limit_chars]
    end = head.rfind("\n")
    return head[:end] if end > limit_chars // 2 else head


def _cut_tail(text: str, limit_chars: int) -> str:
    tail = text[len(text) - limit_chars :] if limit_chars > 0 else ""
    start = tail.find("\n") + 1
    return tail[start:] if 0 < start < limit_chars // 2 else tail
