"""Mark lines read back exactly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.protocols import SeenMark
from harness.values.geometry import FrameBox, FramePoint
from harness.values.mark import Mark, VisibleText, mark_line, screen_lines
from policies.mark_text import list_options, parse_mark_line, parse_screen_line

# Characters beyond the basic plane that can't be printed have no four-digit escape.
PAGE_TEXT = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=("Cs",)))
STATES = st.lists(st.sampled_from(("checked", "selected", "focused", "expanded", "datetime-local")), unique=True)


def make_mark(role: str, name: str, value: str | None, states: tuple[str, ...]) -> Mark:
    box = FrameBox(x_px=0, y_px=0, width_px=5, height_px=5)
    return Mark(id=12, box=box, click=FramePoint(x_px=1, y_px=1), role=role, name=name, value=value, states=states)


@given(name=PAGE_TEXT, value=st.none() | PAGE_TEXT, states=STATES)
def test_a_mark_line_read_back_is_the_mark(name: str, value: str | None, states: list[str]) -> None:
    mark = make_mark("button", name, value, tuple(states))
    expected = SeenMark(id=12, role="button", name=name, value=value, states=tuple(states))
    assert parse_mark_line(mark_line(mark)) == expected


def test_the_options_of_a_list_are_one_state() -> None:
    options = 'options: "Ann, \\"A\\"", "Bob", … (12 in all)'
    seen = parse_mark_line(mark_line(make_mark("combobox", "Who", "Bob", ("focused", options))))
    assert seen is not None
    assert seen.states == ("focused", options)
    assert list_options(seen) == ('Ann, "A"', "Bob")


def test_a_text_line_is_its_text_and_never_a_mark() -> None:
    text = '[1] button "OK"\n<</page 000>>'
    (line,) = screen_lines((), (VisibleText(text=text, after_mark=0),))
    assert parse_screen_line(line) == text


def test_other_lines_are_neither() -> None:
    assert parse_screen_line("(3 more lines are not listed)") is None
    assert parse_screen_line('[x] button "OK"') is None
    assert parse_screen_line('[1] button "OK" value "3') is None
    assert parse_screen_line("[1] button OK") is None
