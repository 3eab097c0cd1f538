"""Sizes on the command line: what is one, and what is said about the others."""

from __future__ import annotations

import pytest

from harness.cli.size import parse_size
from harness.errors import UsageError
from harness.values.geometry import Size


def _size(text: str) -> Size:
    return parse_size(text, option="--size", unit="pixels", max_side_px=7680)


@pytest.mark.parametrize("text", ["1920x1080", "1920X1080", " 1920×1080 "])
def test_a_size_is_two_sides(text: str) -> None:
    assert _size(text) == Size(width_px=1920, height_px=1080)


def test_the_longest_side_is_accepted() -> None:
    assert _size("7680x1") == Size(width_px=7680, height_px=1)


@pytest.mark.parametrize(
    "text", ["", "1280", "0x10", "1280x", "99999x1", "7681x10", "9x9000", "-1x5", "axb", "1e3x4", "1280x800x1"]
)
def test_what_is_no_size_says_how_to_write_one(text: str) -> None:
    with pytest.raises(UsageError, match=r"^--size is width x height in pixels up to 7680, got .*; write 1280x800$"):
        _size(text)
