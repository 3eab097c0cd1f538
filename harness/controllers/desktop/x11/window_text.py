"""Texts of X windows in their encodings. What they say is the application's, so hostile."""

from __future__ import annotations

import re
from typing import Final

MOST_CHARS: Final = 1000
# ISO 2022 as COMPOUND_TEXT uses it: UTF-8 between two escapes, or another set for what follows.
_SEGMENT: Final = re.compile(
    rb"\x1b%G(?P<utf8>.*?)(?:\x1b%@|\Z)|\x1b(?P<escape>[\x20-\x2f]+[\x30-\x7e])|(?P<plain>[^\x1b]+)", re.DOTALL
)
_UPPER_HALVES: Final = {
    b"-A": "iso8859-1",
    b"-B": "iso8859-2",
    b"-C": "iso8859-3",
    b"-D": "iso8859-4",
    b"-F": "iso8859-7",
    b"-G": "iso8859-6",
    b"-H": "iso8859-8",
    b"-L": "iso8859-5",
    b"-M": "iso8859-9",
    b"-b": "iso8859-15",
    b"$)A": "gb2312",
    b"$)B": "euc_jp",
    b"$)C": "euc_kr",
}


def decode_text(encoding: str, data: bytes) -> str:
    """Return the text of a property, without the zero bytes at its end and at most 1,000 characters.

    Args:
        encoding: Name of the property's type: `UTF8_STRING`, `COMPOUND_TEXT`, or anything else for `STRING`.
        data: Its bytes. What can't be decoded becomes U+FFFD.
    """
    data = data.rstrip(b"\0")
    match encoding:
        case "UTF8_STRING":
            text = data.decode(errors="replace")
        case "COMPOUND_TEXT":
            text = _decode_compound(data)
        case _:
            text = _decode_string(data)
    return text[:MOST_CHARS]


def _decode_string(data: bytes) -> str:
    # STRING is Latin-1 by the book, but many programs put UTF-8 there, which Latin-1 text hardly ever is by chance.
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _decode_compound(data: bytes) -> str:
    upper_half = _UPPER_HALVES[b"-A"]
    parts = []
    for segment in _SEGMENT.finditer(data):
        if segment["utf8"] is not None:
            parts.append(segment["utf8"].decode(errors="replace"))
        elif segment["escape"] is not None:
            upper_half = _UPPER_HALVES.get(segment["escape"], upper_half)
        else:
            parts.append(segment["plain"].decode(upper_half, errors="replace"))
    return "".join(parts)


def app_name(data: bytes) -> str:
    """Return the application's name in a WM_CLASS property: its class in lower case, else its instance."""
    instance, _, kind = data.partition(b"\0")
    return decode_text("STRING", kind.partition(b"\0")[0] or instance).lower()
