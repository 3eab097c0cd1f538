"""What shows of a box, in which order boxes are read, and where a toolkit's units lie on the desktop."""

from __future__ import annotations

import pytest
from atspi_trees import AREA, device_box, window
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.values.desktop import DeviceBox
from observers.atspi.accessible import Extents, Node, Ref
from observers.atspi.placement import TopLevel, match_windows, place
from observers.atspi.reading_order import in_reading_order
from observers.atspi.stack import Stack, hull, without
from observers.atspi.vocabulary import ROLE_NAMES

BOXES = st.builds(
    lambda x, y, width, height: DeviceBox(x=x, y=y, width=width, height=height),
    *(st.integers(-20, 60), st.integers(-20, 60)),
    *(st.integers(1, 40), st.integers(1, 40)),
)


def cells(box: DeviceBox) -> set[tuple[int, int]]:
    return {
        (x, y) for x in range(int(box.x), int(box.x + box.width)) for y in range(int(box.y), int(box.y + box.height))
    }


@settings(max_examples=30, deadline=None)
@given(BOXES, st.lists(BOXES, max_size=5))
def test_what_is_left_is_what_no_cover_holds(box: DeviceBox, covers: list[DeviceBox]) -> None:
    left = [cells(part) for part in without((box,), covers)]
    assert sum(map(len, left)) == len(set().union(*left)), "parts lie apart"
    assert set().union(*left) == cells(box) - set().union(*map(cells, covers))


def test_a_window_covers_with_its_frame_those_behind_it() -> None:
    front = window(1, (50, 50, 100, 100), frame_box=(45, 30, 110, 125))
    back = window(2, (0, 0, 300, 300))
    stack = Stack.of(AREA, (front, back), ())
    surface = stack.window(2)
    assert surface is not None
    assert stack.visible(device_box((45, 30, 110, 20)), surface) == ()
    assert stack.visible(device_box((40, 30, 10, 10)), surface) == (device_box((40, 30, 5, 10)),)
    (own,) = [surface for surface in stack.surfaces if surface.window is front]
    assert stack.visible(device_box((45, 30, 110, 125)), own) == (front.box,), "its own frame is not its content"


def test_minimized_windows_cover_nothing() -> None:
    stack = Stack.of(AREA, (window(1, (0, 0, 300, 300), is_minimized=True), window(2, (0, 0, 300, 300))), ())
    surface = stack.window(2)
    assert surface is not None
    assert stack.visible(device_box((0, 0, 10, 10)), surface) == (device_box((0, 0, 10, 10)),)
    assert stack.window(1) is None


@pytest.mark.parametrize(
    ("box", "must_fit", "found"),
    [
        ((104, 104, 192, 92), True, 0),
        ((100, 100, 200, 2000), False, 0),  # a long menu scrolls
        ((100, 100, 200, 2000), True, None),
        ((100, 100, 100, 40), False, 0),
        ((350, 100, 100, 40), False, 1),
        ((600, 100, 100, 40), False, None),
    ],
)
def test_items_belong_to_the_popup_around_them(
    box: tuple[int, int, int, int], must_fit: bool, found: int | None
) -> None:
    popups = (device_box((100, 100, 200, 100)), device_box((340, 100, 120, 60)))
    stack = Stack.of(AREA, (window(),), popups)
    popup = stack.popup_of(device_box(box), must_fit=must_fit)
    assert (None if popup is None else popups.index(popup.box)) == found


@settings(max_examples=30, deadline=None)
@given(st.lists(BOXES, max_size=12))
def test_every_box_is_read_once(boxes: list[DeviceBox]) -> None:
    items = list(enumerate(boxes))
    assert sorted(in_reading_order([(box, number) for number, box in items])) == [number for number, _ in items]


def test_lines_are_read_from_left_to_right() -> None:
    boxes = {
        "sidebar": (0, 0, 50, 300),
        "label 2": (60, 42, 40, 20),
        "entry 1": (110, 0, 80, 30),
        "entry 2": (110, 40, 80, 30),
        "label 1": (60, 5, 40, 20),
        "equals": (200, 0, 30, 70),
    }
    found = in_reading_order([(device_box(box), name) for name, box in boxes.items()])
    assert found == ["sidebar", "label 1", "entry 1", "equals", "label 2", "entry 2"]


def test_lines_that_touch_are_two_lines() -> None:
    boxes = {"right above": (100, 0, 50, 21), "left below": (0, 20, 50, 20)}
    assert in_reading_order([(device_box(box), name) for name, box in boxes.items()]) == list(boxes)


def top(
    box: tuple[int, int, int, int], *, name: str = "", corner: tuple[int, int] | None = None, role: str = "frame"
) -> TopLevel:
    node = Node(
        ref=Ref(":1.1", f"/{name}{box}"), parent=None, index=0, role=ROLE_NAMES.index(role), states=0, name=name
    )
    return TopLevel(node=node, box=Extents(*box), corner=corner or box[:2])


def test_gtk_counts_frames_and_halves_an_odd_corner() -> None:
    placed = place(top((154, 22, 332, 356), corner=(154, 32)), window(box=(309, 64, 662, 686)), is_gtk=True)
    assert placed.scale == 2
    assert placed.to_device(Extents(160, 63, 59, 34)) == device_box((321, 126, 118, 68))
    assert placed.for_popups().to_device(Extents(160, 63, 59, 34)) == device_box((320, 126, 118, 68))


def test_qt_scales_by_fractions() -> None:
    placed = place(top((1, 13, 700, 500)), window(box=(1, 20, 1050, 750)), is_gtk=False)
    assert placed.scale == 1.5
    assert placed.to_device(Extents(7, 13, 30, 22)) == device_box((10, 20, 45, 33))


def test_a_pixel_more_is_no_scale() -> None:
    assert place(top((0, 0, 400, 300)), window(box=(0, 0, 401, 300)), is_gtk=False).scale == 1


def test_coordinates_inside_windows_are_moved_to_where_those_are() -> None:
    placed = place(top((0, 0, 400, 300)), window(box=(500, 90, 400, 300)), is_gtk=True)
    assert placed.to_device(Extents(10, 20, 5, 5)) == device_box((510, 110, 5, 5))
    assert placed.for_popups().to_device(Extents(10, 20, 5, 5)) == device_box((510, 110, 5, 5))


def test_windows_are_matched_by_process_title_and_size() -> None:
    small = window(1, (500, 0, 100, 100), title="Save")
    large = window(2, (0, 0, 400, 300), title="Letter")
    other = window(3, (0, 0, 400, 300), title="Letter", process_id=8)
    tops = [top((0, 0, 400, 300), name="Letter"), top((500, 0, 100, 100), name="Save")]
    matched = match_windows(tops, (other, small, large), process_id=7, is_gtk=True)
    assert {ref.path: found.id for ref, found in matched.items()} == {
        tops[0].node.ref.path: 2,
        tops[1].node.ref.path: 1,
    }


def test_the_same_process_is_enough_but_not_for_popups() -> None:
    only = window(1, (0, 0, 400, 300), title="Letter*")
    frame, popup = top((10, 10, 90, 50), name="x"), top((10, 10, 90, 50), name="", role="window")
    assert match_windows([frame], (only,), process_id=7, is_gtk=False)
    assert not match_windows([popup], (only,), process_id=7, is_gtk=False)
    assert not match_windows([frame], (only,), process_id=None, is_gtk=False)


def test_a_hull_is_around_all() -> None:
    assert hull([device_box((5, 6, 10, 10)), device_box((0, 20, 1, 1))]) == device_box((0, 6, 15, 15))
