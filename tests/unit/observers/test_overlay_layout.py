"""Where labels stand."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.values.geometry import FrameBox, Size
from observers.overlays import Label, place_labels
from observers.overlays.layout import Ink, outline_boxes

_IMAGE = Size(width_px=320, height_px=240)
_BOXES = st.lists(
    st.builds(
        FrameBox,
        x_px=st.integers(-40, 330),
        y_px=st.integers(-40, 250),
        width_px=st.integers(1, 340),
        height_px=st.integers(1, 260),
    ),
    max_size=60,
)


def _box(x: int, y: int, width: int, height: int) -> FrameBox:
    return FrameBox(x_px=x, y_px=y, width_px=width, height_px=height)


def _is_inside(box: FrameBox, image: Size) -> bool:
    return box.x_px >= 0 and box.y_px >= 0 and box.right_px <= image.width_px and box.bottom_px <= image.height_px


@pytest.mark.req("R-IMG-4")
@settings(max_examples=60, deadline=None)
@given(boxes=_BOXES, label=st.builds(Size, width_px=st.integers(5, 40), height_px=st.integers(5, 20)))
def test_labels_overlap_none_and_stay_inside(boxes: list[FrameBox], label: Size) -> None:
    labels = place_labels(boxes, _IMAGE, lambda _: label)
    assert all(_is_inside(item.box, _IMAGE) for item in labels)
    assert not [pair for pair in combinations(labels, 2) if pair[0].box.overlaps(pair[1].box)]
    assert len({item.index for item in labels}) == len(labels)


@given(boxes=_BOXES)
@settings(max_examples=30, deadline=None)
def test_outlines_hold_their_boxes_and_stay_inside(boxes: list[FrameBox]) -> None:
    inside = [box for box in boxes if _is_inside(box, _IMAGE)]
    for box, outline in zip(inside, outline_boxes(inside, _IMAGE), strict=True):
        assert _is_inside(outline, _IMAGE)
        assert outline.x_px <= box.x_px
        assert outline.bottom_px >= box.bottom_px


def test_few_boxes_all_get_a_label_at_their_box() -> None:
    boxes = [_box(20 + 60 * column, 20 + 40 * row, 40, 16) for row in range(5) for column in range(5)]
    labels = place_labels(boxes, _IMAGE, lambda _: Size(width_px=16, height_px=12))
    assert [label.index for label in labels] == list(range(25))
    assert not any(label.is_detached for label in labels)
    assert not any(label.box.overlaps(boxes[label.index]) for label in labels)


def test_a_label_without_room_is_left_out() -> None:
    image = Size(width_px=20, height_px=12)
    labels = place_labels([_box(0, 0, 20, 12)] * 3, image, lambda _: Size(width_px=20, height_px=12))
    assert labels == (Label(index=0, box=_box(0, 0, 20, 12)),)
    assert place_labels([_box(0, 0, 5, 5)], image, lambda _: Size(width_px=21, height_px=5)) == ()


def test_a_crowded_label_is_detached_rather_than_lost() -> None:
    labels = place_labels([_box(100, 100, 4, 4)] * 40, _IMAGE, lambda _: Size(width_px=14, height_px=10))
    assert len(labels) == 40
    assert any(label.is_detached for label in labels)


def test_labels_avoid_ink() -> None:
    ink = bytearray(160 * 120)
    for row in range(40, 50):  # text above the box, nothing elsewhere
        ink[row * 160 : row * 160 + 160] = b"\xff" * 160
    (label,) = place_labels(
        [_box(100, 100, 60, 40)],
        _IMAGE,
        lambda _: Size(width_px=16, height_px=12),
        Ink(cells=bytes(ink), columns=160, cell_px=2),
    )
    assert label.box.y_px >= 100
