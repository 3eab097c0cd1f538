"""Where two pictures differ."""

from __future__ import annotations

import random

import pytest

from harness.protocols import Pixels
from harness.values.desktop import DeviceBox
from harness.values.geometry import Size
from observers.settle.picture import Picture

WIDTH, HEIGHT = 320, 200
AREA = DeviceBox(x=0, y=0, width=WIDTH, height=HEIGHT)
Place = tuple[int, int, int, int]


def _pixels(*painted: Place, width: int = WIDTH, height: int = HEIGHT) -> Pixels:
    data = bytearray(width * height * 4)
    for left, top, wide, high in painted:
        for row in range(top, top + high):
            start = (row * width + left) * 4
            data[start : start + wide * 4] = b"\x40\x00\x00\x00" * wide
    return Pixels(size=Size(width_px=width, height_px=height), bgrx=data)


def _places(before: Pixels, after: Pixels, area: DeviceBox = AREA) -> list[tuple[float, float, float, float]]:
    picture = Picture()
    assert picture.renew(before, area) == ()
    return [(box.x, box.y, box.width, box.height) for box in picture.renew(after, area)]


def test_equal_pictures_differ_nowhere() -> None:
    assert _places(_pixels((3, 3, 9, 9)), _pixels((3, 3, 9, 9))) == []


@pytest.mark.parametrize(
    "place", [(0, 0, 1, 1), (100, 50, 2, 18), (319, 199, 1, 1), (0, 180, 320, 20), (0, 0, 320, 200)]
)
def test_one_place_is_found_exactly(place: Place) -> None:
    assert _places(_pixels(), _pixels(place)) == [place]


def test_a_caret_beside_a_scrollbar_is_another_place() -> None:
    caret, scrollbar = (20, 90, 1, 18), (310, 16, 5, 160)
    assert _places(_pixels(), _pixels(caret, scrollbar)) == [(20, 92, 1, 16), (310, 16, 5, 160)]


def test_places_above_each_other_are_two() -> None:
    assert _places(_pixels(), _pixels((50, 8, 4, 4), (50, 150, 4, 4))) == [(50, 8, 4, 4), (50, 150, 4, 4)]


def test_the_letters_of_a_word_are_one_place() -> None:
    letters = [(50 + 9 * number, 20, 6, 10) for number in range(5)]
    assert _places(_pixels(), _pixels(*letters)) == [(50, 20, 42, 10)]


def test_a_thin_line_in_a_tall_band_is_not_lost() -> None:
    lines = [(0, row, 300, 1) for row in (17, 33, 49, 65, 81)]
    assert _places(_pixels(), _pixels(*lines)) == [(0, 17, 300, 65)]


def test_places_are_told_in_device_units() -> None:
    area = DeviceBox(x=-160, y=50, width=WIDTH / 2, height=HEIGHT / 2)
    assert _places(_pixels(), _pixels((100, 40, 20, 10)), area) == [(-110, 70, 10, 5)]


def test_another_size_is_a_change_everywhere() -> None:
    assert _places(_pixels(), _pixels(width=100, height=50)) == [(0, 0, WIDTH, HEIGHT)]


def test_a_forgotten_picture_differs_from_nothing() -> None:
    picture = Picture()
    picture.renew(_pixels(), AREA)
    picture.forget()
    assert picture.renew(_pixels((1, 1, 9, 9)), AREA) == ()


def test_every_changed_pixel_lies_in_a_place() -> None:
    chance = random.Random(7)
    for _ in range(8):
        dots = [(chance.randrange(WIDTH), chance.randrange(HEIGHT), 1, 1) for _ in range(chance.randrange(1, 12))]
        found = _places(_pixels(), _pixels(*dots))
        # In tall bands a place is exact to four rows.
        for x, y, _, _ in dots if _is_low(dots) else []:
            assert any(left <= x < left + wide and top <= y < top + high for left, top, wide, high in found)
        assert found


def _is_low(dots: list[Place]) -> bool:
    rows = [dot[1] for dot in dots]
    return max(rows) - min(rows) < 48
