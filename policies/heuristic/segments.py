"""Date and time fields: they are typed segment by segment and hold their value in an order of their own."""

from __future__ import annotations

import re
from collections.abc import Collection

SEGMENTS = 3
"""Steps to the left that surely lead to a field's first segment."""
_DATE = re.compile(r"(?P<month>[0-9]{1,2})/(?P<day>[0-9]{1,2})/(?P<year>[0-9]{4})")
_ISO_DATE = re.compile(r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})")
_TIME = re.compile(r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::[0-9]{2})?\s*(?P<half>[AaPp])?\.?(?:[Mm]\.?)?")


def segment_keys(text: str, states: Collection[str]) -> str | None:
    """Return what to type into a date or time field, from its first segment on; None for other fields and texts.

    The order is that of a browser in American English: month, day, year; hour of twelve, minute, half of the day.
    """
    if "date" in states and (day := _read_date(text)) is not None:
        year, month, date = day
        return f"{month:02}{date:02}{year:04}"
    if "time" in states and (time := _read_time(text)) is not None:
        hour, minute = time
        return f"{(hour - 1) % 12 + 1:02}{minute:02}{'AM' if hour < 12 else 'PM'}"
    return None


def is_same_text(value: str, text: str) -> bool:
    """Return whether a field holds a text, also where a date or time stands in another form."""
    if value == text:
        return True
    day, time = _read_date(text), _read_time(text)
    return (day is not None and day == _read_date(value)) or (time is not None and time == _read_time(value))


def _read_date(text: str) -> tuple[int, int, int] | None:
    found = _DATE.fullmatch(text.strip()) or _ISO_DATE.fullmatch(text.strip())
    return None if found is None else (int(found["year"]), int(found["month"]), int(found["day"]))


def _read_time(text: str) -> tuple[int, int] | None:
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return None
    hour, half = int(found["hour"]), (found["half"] or "").casefold()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return hour, int(found["minute"])
