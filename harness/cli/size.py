"""Sizes on the command line."""

from __future__ import annotations

import re

from harness.errors import UsageError
from harness.values.geometry import Size


def parse_size(text: str, *, option: str, unit: str, max_side_px: int) -> Size:
    """Return the size of a text such as `1280x800`.

    Args:
        text: What a person gave to the option.
        option: Its name, for the message.
        unit: What it counts in, for the message.
        max_side_px: The longest side that is accepted.

    Raises:
        UsageError: it is no such text, or a side is 0 or over `max_side_px`.
    """
    found = re.fullmatch(r"(\d{1,5})[xX×](\d{1,5})", text.strip())
    sides = [int(side) for side in found.groups()] if found else []
    if not sides or not all(0 < side <= max_side_px for side in sides):
        raise UsageError(f"{option} is width x height in {unit} up to {max_side_px}, got {text!r}; write 1280x800")
    return Size(width_px=sides[0], height_px=sides[1])
