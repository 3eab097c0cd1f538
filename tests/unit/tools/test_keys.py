from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.tools.keys import MODIFIERS, key_name, read_chord
from harness.tools.problem import CallProblem


@pytest.mark.case("G16")
@pytest.mark.req("R-ACT-1")
@pytest.mark.parametrize(
    "spelling", [["CTRL", "A"], "ctrl+a", "Control+A", "ctrl-a", "Ctrl + A", ["ctrl+a"], ["a", "ctrl"]]
)
def test_every_spelling_is_one_chord(spelling: str | list[str]) -> None:
    assert read_chord(spelling) == ("Control", "a")


@pytest.mark.parametrize(
    ("spelling", "chord"),
    [
        ("ctrl++", ("Control", "+")),
        ("+", ("+",)),
        ("ctrl+-", ("Control", "-")),
        ("ctrl--", ("Control", "-")),
        ("ctrl+plus", ("Control", "+")),
        ("ctrl+shift+T", ("Control", "Shift", "t")),
        ("Shift+A", ("Shift", "a")),
        ("A", ("A",)),
        ("é", ("é",)),
        ("e\u0301", ("é",)),
        ("alt-left", ("Alt", "ArrowLeft")),
        ("ctrl-alt-del", ("Control", "Alt", "Delete")),
        ("shift+Tab", ("Shift", "Tab")),
        (" ", ("Space",)),
        ("\n", ("Enter",)),
    ],
)
def test_chords(spelling: str, chord: tuple[str, ...]) -> None:
    assert read_chord(spelling) == chord


@pytest.mark.parametrize(
    ("canonical", "spellings"),
    [
        ("Control", "ctrl CTRL control Control_L ControlRight ctrlleft"),
        ("Meta", "cmd command super Super_L win windows meta"),
        ("Alt", "alt Alt_R option"),
        ("Enter", "enter Return return KP_Enter NumpadEnter"),
        ("Escape", "esc Esc ESCAPE"),
        ("Delete", "del delete KP_Delete"),
        ("ArrowLeft", "left Left arrowleft ArrowLeft arrow_left KP_Left"),
        ("PageDown", "pagedown Page_Down pgdn Next page-down KP_Page_Down"),
        ("Backspace", "BackSpace backspace bksp"),
        ("PrintScreen", "prtsc printscreen Print"),
        ("F5", "f5 F5"),
        ("a", "KeyA a"),
        ("1", "Digit1 Numpad1 KP_1 num1"),
        ("/", "slash KP_Divide /"),
        ("Space", "space Space spacebar"),
    ],
)
def test_common_spellings(canonical: str, spellings: str) -> None:
    assert {key_name(spelling) for spelling in spellings.split()} == {canonical}


@pytest.mark.req("R-ACT-5")
@pytest.mark.parametrize(
    ("spelling", "text"),
    [
        ("ctr+a", "unknown key 'ctr'; close names: Control"),
        ("Entr", "close names: Enter"),
        ("F13", "Valid are single characters, F1 to F12"),
        ("alt left", "unknown key 'alt left'"),
        ("ctrl+", "empty key name"),
        ("", "keys is empty"),
        ([], "keys is empty"),
        (["Tab", "Tab"], "'Tab' is given twice"),
        (list("abcdefghi"), "holds 9 keys"),
        ("\x00", "unknown key '\\x00'"),
        ("hello world", "unknown key"),
    ],
)
def test_a_wrong_key_says_what_is_valid(spelling: str | list[str], text: str) -> None:
    with pytest.raises(CallProblem) as caught:
        read_chord(spelling)
    assert text in str(caught.value)


@settings(deadline=None)
@given(st.one_of(st.text(), st.lists(st.text(max_size=12), max_size=10)))
def test_any_text_is_a_chord_or_a_problem(keys: str | list[str]) -> None:
    try:
        chord = read_chord(keys)
    except CallProblem:
        return
    held = [name for name in chord if name in MODIFIERS]
    assert chord[: len(held)] == tuple(held)
    assert read_chord(list(chord)) == chord
