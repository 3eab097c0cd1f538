"""Carets, strips and spots among the places where a screen changes."""

from __future__ import annotations

import pytest

from harness.values.desktop import DeviceBox
from observers.settle.places import is_caret, is_minor, is_same_place, share_of, union


def _box(x: float, y: float, width: float, height: float) -> DeviceBox:
    return DeviceBox(x=x, y=y, width=width, height=height)


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [(1, 18, True), (2, 40, True), (4, 64, True), (10, 2, True), (5, 18, False), (2, 400, False), (16, 16, False)],
)
def test_a_caret_is_a_short_thin_line(width: int, height: int, expected: bool) -> None:
    assert is_caret(_box(7, 7, width, height)) is expected


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [
        (16, 16, True),
        (5, 45, True),
        (6, 338, True),
        (300, 12, True),
        (97, 46, False),
        (300, 20, False),
        (24, 24, False),
    ],
)
def test_spinners_and_scrollbars_are_minor_and_buttons_are_not(width: int, height: int, expected: bool) -> None:
    assert is_minor(_box(7, 7, width, height)) is expected


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (_box(0, 0, 10, 100), True),
        (_box(0, 20, 10, 100), True),
        (_box(0, 60, 10, 100), False),
        (_box(20, 0, 10, 100), False),
        (_box(0, 0, 100, 100), False),
    ],
)
def test_the_same_place_has_half_of_the_larger_box_in_common(other: DeviceBox, expected: bool) -> None:
    assert is_same_place(_box(0, 0, 10, 100), other) is expected
    assert is_same_place(other, _box(0, 0, 10, 100)) is expected


def test_shares_and_unions() -> None:
    assert share_of(_box(-10, 0, 20, 10), _box(0, 0, 50, 5)) == 0.25
    assert share_of(_box(0, 0, 1, 1), _box(5, 5, 1, 1)) == 0.0
    assert union([_box(-5, 3, 1, 1), _box(10, -2, 4, 2)]) == _box(-5, -2, 19, 6)
