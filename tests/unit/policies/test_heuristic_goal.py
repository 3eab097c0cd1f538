"""What task texts ask for."""

from __future__ import annotations

import pytest

from policies.heuristic.clauses import read_goal
from policies.heuristic.goal import Choose, Click, Fill, Pause, Remember, Reveal

SUBMIT = Click(names=("Submit",))


@pytest.mark.parametrize(
    ("task", "parts"),
    [
        ('Click on the "ok" button.', [Click(names=("ok",), kinds=frozenset({"button"}), is_quoted=True)]),
        ('Click the link "porta."', [Click(names=("porta.",), kinds=frozenset({"link"}), is_quoted=True)]),
        ("Press Cancel.", [Click(names=("Cancel",))]),
        ("Open Tab #2.", [Click(names=("Tab #2", "#2"), kinds=frozenset({"tab"}))]),
        (
            "Focus into the 2nd input textbox.",
            [Click(names=(), kinds=frozenset({"input", "textbox"}), ordinal=2)],
        ),
        ('Click on a "radio" widget.', [Click(names=(), kinds=frozenset({"radio"}))]),
        ('Close the dialog box by clicking the "x".', [Click(names=("x",), is_quoted=True)]),
        ("Close the dialog.", [Click(names=("close", "x"))]),
        (
            "Select aa, b c and dd and click Submit.",
            [Choose(name="aa"), Choose(name="b c"), Choose(name="dd"), SUBMIT],
        ),
        ("Select nothing and click Submit.", [SUBMIT]),
        ("Choose Sri Lanka from the list and click Submit.", [Choose(name="Sri Lanka", is_from_list=True), SUBMIT]),
        (
            "Select Trinidad and Tobago, Cuba from the list.",
            [Choose(name="Trinidad and Tobago", is_from_list=True), Choose(name="Cuba", is_from_list=True)],
        ),
        ('Enter "Bob" into the text field and press Submit.', [Fill(text="Bob"), SUBMIT]),
        ('Type "bob" in all upper case letters in the text input.', [Fill(text="BOB")]),
        ('Enter the password "pW" into both text fields.', [Fill(text="pW", field="password", is_everywhere=True)]),
        (
            'Enter the username "bob" and the password "P8" into the text fields and press login.',
            [Fill(text="bob", field="username"), Fill(text="P8", field="password"), Click(names=("login",))],
        ),
        (
            'Type "Ann" into "First name" and "Lee" into "Last name".',
            [
                Fill(text="Ann", field="First name", is_field_quoted=True),
                Fill(text="Lee", field="Last name", is_field_quoted=True),
            ],
        ),
        ("Enter 02/03/2015 as the date.", [Fill(text="02/03/2015", field="date")]),
        (
            'Enter an item that starts with "Se" and ends with "gal".',
            [Fill(text="Se", source="pattern", end="gal")],
        ),
        ("Enter the value of Colour into the text field.", [Fill(text="Colour", source="page")]),
        (
            'Note the value of "Seat number" on the first page. Then press Next until the last page, '
            'type that value into "File mark" and press Submit.',
            [
                Remember(field="Seat number"),
                Fill(text="Seat number", source="note", field="File mark", is_field_quoted=True),
                SUBMIT,
            ],
        ),
        (
            "Remember the order number shown on this page, then go to the next page and enter it as the reference.",
            [
                Remember(field="order number"),
                Click(names=("next page", "next")),
                Fill(text="order number", source="note", field="reference"),
            ],
        ),
        (
            "Expand the section below and click Submit.",
            [Reveal(kinds=frozenset({"section"})), SUBMIT],
        ),
        (
            'Expand the sections below, to find and click on the link "a".',
            [Click(names=("a",), kinds=frozenset({"link"}), is_quoted=True)],
        ),
        (
            "Click button ONE, wait 3 seconds, then click button TWO.",
            [
                Click(names=("button ONE", "ONE"), kinds=frozenset({"button"})),
                Pause(seconds=3),
                Click(names=("button TWO", "TWO"), kinds=frozenset({"button"})),
            ],
        ),
        ("Select Save>Print", [Click(names=("Save",)), Click(names=("Print",))]),
        ("The weather is fine today.", []),
        ("", []),
    ],
)
def test_a_task_text_is_read_into_its_parts(task: str, parts: list[object]) -> None:
    assert list(read_goal(task)) == parts


def test_verbs_inside_quotes_are_no_instructions() -> None:
    assert read_goal('Click "Save and press Delete".') == (Click(names=("Save and press Delete",), is_quoted=True),)
