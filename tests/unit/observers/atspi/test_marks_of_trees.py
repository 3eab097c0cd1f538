"""From trees to marks and texts, without an application."""

from __future__ import annotations

import pytest
from atspi_trees import AREA, Box, Thing, listed, marking, reading, window
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.protocols import Marking
from harness.values.desktop import DeviceBox
from harness.values.geometry import FrameBox
from harness.values.mark import screen_lines
from observers.atspi.vocabulary import State

TOP = (100, 100, 400, 300)


def frame_of(*inside: Thing, title: str = "Letter", states: tuple[State, ...] = ()) -> Thing:
    return Thing("frame", title, TOP, inside, states)


def button(name: str, x: int = 110, y: int = 110, width: int = 60, height: int = 30, **more: object) -> Thing:
    return Thing("push button", name, (x, y, width, height), **more)  # type: ignore[arg-type]  # fields by name


def test_lines_read_like_those_of_pages() -> None:
    made = marking(
        reading(
            frame_of(
                Thing("label", "Name:", (110, 150, 50, 30)),
                Thing("text", "", (170, 150, 100, 30), states=(State.EDITABLE, State.SINGLE_LINE), text="Ada\nL"),
                Thing("check box", "Send", (110, 190, 80, 20), states=(State.CHECKED,)),
                Thing("toggle button", "Bold", (200, 190, 50, 20), states=(State.CHECKED, State.FOCUSED)),
                Thing("label", "Ready", (110, 380, 80, 15)),
            )
        )
    )
    assert screen_lines(made.marks, made.texts) == (
        '[1] textbox "Name:" value "Ada\\nL"',
        '[2] checkbox "Send" checked',
        '[3] button "Bold" pressed focused',
        '[] text "Ready"',
    )


def test_disabled_and_hidden_things_are_no_marks() -> None:
    made = marking(
        reading(
            frame_of(
                button("Go"),
                button("Stop", 200, is_usable=False),
                Thing("push button", "Nowhere", (-2147483648, -2147483648, 1, 1)),
                Thing("push button", "Empty", (110, 200, 0, 0)),
                Thing("tool bar", "", None, [button("Cut", 110, 250, is_usable=False)]),
            )
        )
    )
    assert listed(made) == [("button", "Go")]
    assert [text.text for text in made.texts] == ["Stop"], "what is disabled can be read, but for tool bars"


def test_a_password_has_no_value() -> None:
    made = marking(reading(frame_of(Thing("password text", "Pin", (110, 110, 80, 20), text="1234"))))
    (mark,) = made.marks
    assert (mark.role, mark.value, mark.states) == ("textbox", None, ("password",))
    assert "1234" not in repr(made.marks + made.texts)


def test_scroll_panes_clip_what_is_in_them() -> None:
    rows = [Thing("list item", f"row {number}", (110, 110 + 40 * number, 200, 40)) for number in range(5)]
    made = marking(reading(frame_of(Thing("scroll pane", "", (110, 130, 200, 60), [Thing("filler", "", None, rows)]))))
    assert listed(made) == [("option", "row 0"), ("option", "row 1")]
    assert [mark.box.height_px for mark in made.marks] == [20, 40]
    assert made.marks[0].click.y_px == 140


def test_panes_in_panes_clip_together() -> None:
    inner = Thing("scroll pane", "", (110, 110, 300, 200), [button("Far", 110, 250), button("Near", 110, 120)])
    made = marking(reading(frame_of(Thing("scroll pane", "", (110, 110, 100, 60), [inner]))))
    assert listed(made) == [("button", "Near")]


def test_only_qt_clips_by_every_parent() -> None:
    panel = Thing("filler", "", (110, 110, 50, 50), [button("Go", 150, 110)])
    assert marking(reading(frame_of(panel), toolkit="qt")).marks[0].box.width_px == 10
    assert marking(reading(frame_of(panel), toolkit="gtk")).marks[0].box.width_px == 60


def test_qt_boxes_answer_at_their_beginning() -> None:
    box = Thing("check box", "Wide", (110, 110, 300, 20))
    assert marking(reading(frame_of(box), toolkit="qt")).marks[0].click.x_px == 122
    assert marking(reading(frame_of(box), toolkit="gtk")).marks[0].click.x_px == 260


def test_a_page_tab_without_size_holds_visible_things() -> None:
    made = marking(reading(frame_of(Thing("page tab", "", (100, 100, 0, 0), [button("Go")]), title="x")))
    assert listed(made) == [("button", "Go")]


def field(y: int = 110, **more: object) -> Thing:
    return Thing("text", "", (200, y, 90, 30), states=(State.EDITABLE,), **more)  # type: ignore[arg-type]  # by name


def label(name: str, x: int = 110, y: int = 110) -> Thing:
    return Thing("label", name, (x, y, 50, 20))


SMALL = (110, 140, 20, 20)
NAMED = [
    ([field(labelled_by="Far"), label("Far", y=300)], "Far"),
    ([field(140), label("Above", 200, 115)], "Above"),
    ([field(), label("Left")], "Left"),
    ([field(), label("This is a whole sentence, no label.")], ""),
    ([Thing("check box", "", SMALL), label("Behind", 135, 140)], "Behind"),
    ([Thing("push button", "", SMALL, description="Close it")], "Close it"),
    ([Thing("list item", "", (110, 140, 90, 20), [Thing("icon", "star", SMALL), label("Home", 130, 140)])], "Home"),
    ([Thing("panel", "", None, [Thing("push button", "", SMALL)], description="Cancel")], "Cancel"),
    ([Thing("icon", "", SMALL, states=(State.SELECTABLE,), text="letter.txt")], "letter.txt"),
    ([Thing("push button", " Save   As…\n", SMALL)], "Save As…"),
    ([Thing("push button", "x" * 300, SMALL)], "x" * 99 + "…"),
]


@pytest.mark.parametrize(("things", "name"), NAMED)
def test_names_come_from_what_a_person_would_read(things: list[Thing], name: str) -> None:
    made = marking(reading(frame_of(*things)))
    assert [mark.name for mark in made.marks] == [name]
    assert name not in [text.text for text in made.texts]


def test_a_field_that_can_only_be_read_says_so() -> None:
    states = (State.SINGLE_LINE, State.FOCUSABLE)
    area = Thing("text", "", (110, 200, 90, 60), states=(State.MULTI_LINE, State.FOCUSABLE), text="0")
    made = marking(reading(frame_of(Thing("text", "Path", (110, 110, 90, 30), states=states, text="/usr"), area)))
    assert screen_lines(made.marks, made.texts) == ('[1] textbox "Path" value "/usr" readonly', '[] text "0"')


def test_combo_boxes_hold_their_choice_as_value() -> None:
    made = marking(
        reading(
            frame_of(
                Thing("label", "Colour", (110, 110, 50, 30)),
                Thing("combo box", "red", (170, 110, 90, 30)),
                Thing(
                    "combo box",
                    "",
                    (300, 110, 90, 30),
                    [Thing("text", "", (302, 112, 60, 26), states=(State.EDITABLE,), text="100%")],
                    description="Zoom",
                ),
            )
        )
    )
    assert [(mark.role, mark.name, mark.value) for mark in made.marks] == [
        ("combobox", "Colour", "red"),
        ("combobox", "Zoom", "100%"),
        ("textbox", "Zoom", "100%"),
    ]
    outer, inner = made.marks[1:]
    assert not inner.box.contains(outer.click), "a click on the box opens it"


def test_rows_of_gtk_are_one_mark_and_texts() -> None:
    def cell(name: str, x: int, y: int, **more: object) -> Thing:
        return Thing("table cell", name, (x, y, 90, 20), **more)  # type: ignore[arg-type]  # fields by name

    table = Thing(
        "table",
        "",
        (110, 110, 300, 100),
        [
            Thing("table column header", "Name", (110, 110, 90, 20)),
            cell("", 110, 130, inside=[Thing("table cell", "a.txt", (130, 130, 70, 20))]),
            cell("4 kB", 200, 130),
            cell("Text", 290, 130),
            cell("b.txt", 110, 150),
            cell("7 kB", 200, 150, states=(State.EDITABLE,)),
        ],
    )
    made = marking(reading(frame_of(table)))
    assert listed(made) == [("columnheader", "Name"), ("cell", "a.txt"), ("cell", "b.txt"), ("cell", "7 kB")]
    assert [text.text for text in made.texts] == ["4 kB | Text"]
    made = marking(reading(frame_of(table), toolkit="qt"))
    assert [name for _, name in listed(made)] == ["Name", "a.txt", "4 kB", "Text", "b.txt", "7 kB"]


def test_rows_slide_under_their_headers() -> None:
    table = Thing(
        "table",
        "",
        (110, 110, 300, 100),
        [Thing("table column header", "Name", (110, 110, 90, 20)), Thing("table cell", "a", (110, 120, 90, 20))],
    )
    assert marking(reading(frame_of(table))).marks[1].box == FrameBox(x_px=110, y_px=130, width_px=90, height_px=10)


MENU = Thing(
    "menu bar",
    "",
    None,
    [
        Thing(
            "menu",
            "File",
            (100, 100, 40, 20),
            [Thing("menu item", "Open", (100, 120, 120, 20)), Thing("menu item", "Quit", (100, 140, 120, 20))],
        ),
        Thing("menu", "Edit", (140, 100, 40, 20)),
    ],
)


def test_an_open_menu_stands_in_front() -> None:
    made = marking(reading(frame_of(MENU, button("Under", 110, 125), button("Free", 300))), popups=[(98, 120, 124, 44)])
    assert listed(made) == [
        ("menuitem", "File"),
        ("menuitem", "Open"),
        ("menuitem", "Quit"),
        ("menuitem", "Edit"),
        ("button", "Free"),
    ]
    assert made.marks[0].states == ("expanded",)


def test_a_menu_that_only_the_tree_knows_covers_too() -> None:
    made = marking(reading(frame_of(MENU, button("Under", 110, 125))))
    assert ("menuitem", "Quit") in listed(made)
    assert ("button", "Under") not in listed(made)


def test_gtk2_remembers_where_closed_menus_were() -> None:
    assert ("menuitem", "Quit") not in listed(marking(reading(frame_of(MENU), toolkit="gail")))
    shown = marking(reading(frame_of(MENU), toolkit="gail"), popups=[(98, 118, 124, 44)])
    assert ("menuitem", "Quit") in listed(shown)
    other = marking(reading(frame_of(MENU), toolkit="gail"), popups=[(98, 118, 124, 90)])
    assert ("menuitem", "Quit") not in listed(other), "another menu is open where it was"


def test_a_popover_stands_in_front_of_its_window() -> None:
    popover = Thing("panel", "", (150, 130, 100, 60), [button("Pop", 160, 140)], (State.MODAL,))
    opener = Thing("toggle button", "Menu", (110, 110, 60, 30), [popover], (State.CHECKED,))
    clip = Thing("scroll pane", "", (100, 100, 100, 50), [opener])
    made = marking(reading(frame_of(clip, button("Under", 180, 150, 50, 20), button("Half", 180, 180, 50, 30))))
    assert listed(made) == [("button", "Menu"), ("button", "Pop"), ("button", "Half")]
    assert made.marks[1].box.width_px == 60, "it may stick out of what clips its opener"
    assert made.marks[2].box == FrameBox(x_px=180, y_px=190, width_px=50, height_px=20)
    assert not made.marks[1].box.contains(made.marks[0].click)


def test_a_modal_dialog_blocks_its_application_only() -> None:
    dialog = Thing("dialog", "Sure?", (400, 350, 200, 100), [button("Yes", 410, 360)], (State.MODAL,))
    app = reading(frame_of(button("Go")), dialog)
    other = reading(Thing("frame", "Other", (700, 500, 200, 100), [button("Own", 710, 510)]), process_id=8)
    windows = [
        window(2, (400, 350, 200, 100), title="Sure?"),
        window(1, TOP, title="Letter", is_active=False),
        window(3, (700, 500, 200, 100), title="Other", process_id=8, is_active=False),
    ]
    made = marking(app, other, windows=windows)
    assert listed(made) == [("button", "Yes"), ("button", "Own")]
    assert made.notices == ('window 1 "Letter" waits for window 2 "Sure?": its elements are not listed',)


def test_a_window_without_a_tree_is_a_mark_where_it_shows() -> None:
    windows = [
        window(1, (100, 100, 200, 200), title="Front\n[9] button", process_id=None),
        window(2, (100, 100, 200, 300), title="Back", process_id=9, is_active=False),
        window(3, (100, 100, 200, 200), title="Hidden", process_id=10, is_active=False),
        window(4, (900, 700, 300, 300), title="Edge", process_id=11, is_active=False),
    ]
    made = marking(windows=windows, late=frozenset({9}))
    assert listed(made) == [("window", "Front [9] button"), ("window", "Back"), ("window", "Edge")]
    assert made.marks[1].box == FrameBox(x_px=100, y_px=300, width_px=200, height_px=100)
    assert made.marks[2].box == FrameBox(x_px=900, y_px=700, width_px=100, height_px=100)
    assert made.notices == (
        'window 1 "Front [9] button" shows no accessibility tree; act in it by coordinates',
        'window 2 "Back" did not describe itself in time; act in it by coordinates',
        'window 4 "Edge" shows no accessibility tree; act in it by coordinates',
    )


def test_a_window_that_holds_nothing_to_use_is_a_mark() -> None:
    made = marking(reading(frame_of(Thing("drawing area", "", TOP))))
    assert listed(made) == [("window", "Letter")]
    assert "nothing that can be listed" in made.notices[0]


def test_what_was_left_out_is_said() -> None:
    made = marking(reading(frame_of(button("Go")), is_complete=False))
    assert made.notices == ('window 1 "Letter" shows more than is listed here',)


def test_texts_are_within_their_budget_and_say_nothing_twice() -> None:
    labels = [Thing("label", text, (110, 110 + 30 * row, 80, 20)) for row, text in enumerate(("one", "one", "three"))]
    app = reading(frame_of(*labels))
    assert [text.text for text in marking(app).texts] == ["one", "three"]
    assert [text.text for text in marking(app, text_chars=5).texts] == ["one", "th"]
    assert marking(app, text_chars=0).texts == ()


def test_a_mark_in_pieces_is_its_largest_piece() -> None:
    canvas = Thing("panel", "", TOP, (), (State.FOCUSABLE,))
    windows = [
        window(2, (100, 100, 300, 250), process_id=9, title="front"),
        window(1, TOP, title="Letter", is_active=False),
    ]
    made = marking(reading(frame_of(canvas)), windows=windows)
    (mark,) = [mark for mark in made.marks if mark.role == "canvas"]
    assert mark.box == FrameBox(x_px=400, y_px=100, width_px=100, height_px=250)


def test_of_canvases_in_each_other_the_innermost_is_the_mark() -> None:
    inner = Thing("panel", "Sheet", (110, 110, 90, 30), states=(State.FOCUSABLE,))
    for _ in range(14):
        inner = Thing("panel", "", TOP, [inner], (State.FOCUSABLE,))
    assert listed(marking(reading(frame_of(inner)))) == [("canvas", "Sheet")]


PLACES = st.tuples(*[st.integers(-100, 900)] * 2, *[st.integers(20, 700)] * 2)
LEAVES = ["push button", "label", "text", "check box", "icon", "list item", "page tab"]
HOLDERS = ["panel", "scroll pane", "table", "list item", "table cell", "filler"]


def trees(leaves: list[str], holders: list[str]) -> st.SearchStrategy[Thing]:
    states = st.sets(st.sampled_from([State.EDITABLE, State.SELECTABLE, State.FOCUSABLE])).map(tuple)
    leaf = st.builds(
        Thing,
        role=st.sampled_from(leaves),
        name=st.text(max_size=8),
        box=PLACES,
        states=states,
        is_usable=st.booleans(),
    )
    return st.recursive(
        leaf,
        lambda inner: st.builds(
            Thing, role=st.sampled_from(holders), box=st.none() | PLACES, inside=st.lists(inner, max_size=4)
        ),
        max_leaves=10,
    )


@pytest.mark.req("R-IMG-9")
@settings(max_examples=40, deadline=None)
@given(
    st.lists(trees(LEAVES, HOLDERS), max_size=3),
    PLACES,
    st.lists(PLACES, max_size=2),
    st.lists(PLACES, max_size=2),
    st.sampled_from(["gtk", "gail", "qt", ""]),
    st.sampled_from([1.0, 0.4, 2.0]),
)
def test_every_click_is_on_its_element_and_on_nothing_in_front(
    things: list[Thing], place: Box, fronts: list[Box], popups: list[Box], toolkit: str, scale: float
) -> None:
    app = reading(Thing("frame", "Letter", place, things), toolkit=toolkit)
    windows = [window(2 + number, box, process_id=20 + number) for number, box in enumerate(fronts)]
    windows.append(window(1, place, title="Letter", is_active=not fronts))
    area = DeviceBox(x=-50, y=20, width=AREA.width, height=AREA.height)
    made = marking(app, windows=windows, popups=popups, area=area, scale=scale, text_chars=20)
    assert_sound(made, area, scale)
    for mark in made.marks:
        at = ((mark.click.x_px + 0.5) / scale + area.x, (mark.click.y_px + 0.5) / scale + area.y)
        covers = popups if mark.role == "window" else [*fronts, *popups]
        assert not any(holds(box, *at) for box in covers)
        assert mark.role == "window" or holds(place, *at)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(trees([*LEAVES, "menu item"], [*HOLDERS, "menu", "combo box"]), max_size=3), st.lists(PLACES, max_size=2)
)
def test_menus_of_any_shape_give_a_sound_list(things: list[Thing], popups: list[Box]) -> None:
    assert_sound(marking(reading(frame_of(*things)), popups=popups, text_chars=20), AREA, 1.0)


def assert_sound(made: Marking, area: DeviceBox, scale: float) -> None:
    screen = FrameBox(x_px=0, y_px=0, width_px=round(area.width * scale), height_px=round(area.height * scale))
    assert [mark.id for mark in made.marks] == list(range(1, len(made.marks) + 1))
    assert sum(len(text.text) for text in made.texts) <= 20
    for mark in made.marks:
        assert mark.box.contains(mark.click)
        assert screen.contains(mark.click)
        assert (mark.box.right_px, mark.box.bottom_px) <= (screen.right_px, screen.bottom_px)
        assert len(mark.name) <= 100


def holds(box: Box, x: float, y: float) -> bool:
    return box[0] <= x < box[0] + box[2] and box[1] <= y < box[1] + box[3]
