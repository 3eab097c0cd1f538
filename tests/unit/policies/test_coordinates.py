"""Model coordinates: what is outside the declared space is refused, never guessed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.values.geometry import FrameBox, FramePoint, Size
from harness.values.profile import CoordinateSpace
from policies.coordinates import CoordinateError, to_frame_point

SIZE = Size(width_px=1280, height_px=800)
SPACES: tuple[CoordinateSpace, ...] = ("pixels", "unit", "thousand")


@pytest.mark.case("G10")
@pytest.mark.req("R-ACT-5")
@pytest.mark.parametrize(
    ("value", "in_pixels", "in_unit", "in_thousand"),
    [
        ((0.4518, 0.3), None, (578, 240), None),
        ((0.45, 0.30), None, (576, 240), None),
        ((451, 302), (451, 302), None, (577, 241)),
        ([[451, 302]], None, None, None),
        ("451,302 px", None, None, None),
        (math.nan, None, None, None),
        ((math.nan, 10), None, None, None),
        ((10, math.inf), None, None, None),
        ((9999, -5), None, None, None),
        ((True, 1), None, None, None),
        (("451", "302"), None, None, None),
        ((1, 2, 3), None, None, None),
        (None, None, None, None),
        ({"x": 1, "y": 2}, None, None, None),
        ((1280, 800), None, None, None),
        ((1, 1), (1, 1), (1279, 799), (1, 0)),
        ((1000, 1000), None, None, (1279, 799)),
        ((0, 0), (0, 0), (0, 0), (0, 0)),
        ((451.5, 302.0), None, None, (577, 241)),
        ((10**400, 5), None, None, None),
        ((-(10**5000), 5), None, None, None),
    ],
)
def test_each_space_takes_only_its_own_points(
    value: object,
    in_pixels: tuple[int, int] | None,
    in_unit: tuple[int, int] | None,
    in_thousand: tuple[int, int] | None,
) -> None:
    for space, expected in zip(SPACES, (in_pixels, in_unit, in_thousand), strict=True):
        if expected is None:
            with pytest.raises(CoordinateError, match=r"give (integers|numbers)"):
                to_frame_point(value, space=space, size=SIZE)
        else:
            point = to_frame_point(value, space=space, size=SIZE)
            assert point == FramePoint(x_px=expected[0], y_px=expected[1])


def test_a_refusal_says_what_was_wrong_what_was_seen_and_what_is_valid() -> None:
    with pytest.raises(CoordinateError) as refusal:
        to_frame_point((9999, -5), space="pixels", size=SIZE)
    assert str(refusal.value) == (
        "the point is outside the image: got (9999, -5); give integers [x, y] with 0 <= x < 1280 and 0 <= y < 800"
    )


def test_a_long_value_is_cut_in_the_message() -> None:
    with pytest.raises(CoordinateError) as refusal:
        to_frame_point("9" * 5000, space="unit", size=SIZE)
    assert len(str(refusal.value)) < 300


@given(
    value=st.one_of(
        st.tuples(st.floats(), st.floats()),
        st.tuples(st.integers(), st.integers()),
        st.lists(st.one_of(st.integers(), st.floats(), st.text(), st.booleans())),
        st.text(),
    ),
    space=st.sampled_from(SPACES),
)
def test_whatever_a_model_writes_is_a_pixel_of_the_frame_or_a_refusal(value: object, space: CoordinateSpace) -> None:
    whole = FrameBox(x_px=0, y_px=0, width_px=SIZE.width_px, height_px=SIZE.height_px)
    try:
        point = to_frame_point(value, space=space, size=SIZE)
    except CoordinateError:
        return
    assert whole.contains(point)
