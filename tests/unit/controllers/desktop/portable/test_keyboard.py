"""Keys and text through pyautogui: nothing is dropped in silence."""

from __future__ import annotations

import pytest
from fake_pyautogui import FakePyautogui, fake_driver

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.portable.driver import Platform
from harness.controllers.desktop.portable.key_names import key_names
from harness.controllers.desktop.portable.keyboard import LONG_TEXT_CHARS, PortableKeyboard

pytestmark = [pytest.mark.req("R-ACT-1")]


class _Typing:
    """Types what has a key on a small keyboard."""

    def __init__(self, refuses: str = "") -> None:
        self.refuses = refuses
        self.typed: list[str] = []

    def refused(self, text: str) -> tuple[str, ...]:
        return tuple(character for character in dict.fromkeys(text) if character in self.refuses)

    def type(self, text: str, deadline: Deadline) -> None:
        self.typed.append(text)


class _Pasting:
    def __init__(self, *, works: bool = True) -> None:
        self.works = works
        self.pasted: list[str] = []

    def paste(self, text: str, deadline: Deadline) -> bool:
        if self.works:
            self.pasted.append(text)
        return self.works


class _Desk:
    def __init__(self, *, refuses: str = "", pasting: _Pasting | None = None, platform: Platform = "x11") -> None:
        self.driver, module = fake_driver(platform)
        self.module: FakePyautogui = module
        self.typing = _Typing(refuses)
        self.keyboard = PortableKeyboard(self.driver, self.typing, pasting)

    def type(self, text: str, *, may_paste: bool) -> None:
        self.keyboard.type_text(text, may_paste=may_paste, deadline=Deadline(5.0))


def test_a_chord_goes_down_in_order_and_what_stays_down_is_released_backwards() -> None:
    desk = _Desk()
    desk.keyboard.press("Control")
    desk.keyboard.press("a")
    desk.keyboard.release("a")
    desk.keyboard.press("Shift")
    desk.keyboard.release_all()
    desk.keyboard.release_all()
    assert desk.module.lines == ["'ctrl' down", "'a' down", "'a' up", "'shift' down", "'shift' up", "'ctrl' up"]


@pytest.mark.parametrize("key", ["Hyper", "", "nosuchkey", "é", "F5"])
def test_unknown_keys_are_refused_where_pyautogui_would_do_nothing(key: str) -> None:
    desk = _Desk()
    assert desk.keyboard.unknown_keys(["Control", key]) == (key,)
    with pytest.raises(CallFailed, match="there is no key"):
        desk.keyboard.press(key)
    desk.keyboard.release(key)
    assert desk.module.lines == []


def test_a_key_that_means_something_else_in_the_layout_is_unknown() -> None:
    assert _Desk(refuses="<").keyboard.unknown_keys(["<", "a"]) == ("<",)


def test_the_names_that_are_there_are_listed() -> None:
    listed = _Desk().keyboard.known_names()
    assert "Control" in listed
    assert "F5" not in listed


@pytest.mark.parametrize(
    ("platform", "expected"), [("x11", "'win' down"), ("win32", "'win' down"), ("darwin", "'command' down")]
)
def test_meta_is_the_command_key_on_macos(platform: Platform, expected: str) -> None:
    desk = _Desk(platform=platform)
    desk.keyboard.press("Meta")
    assert desk.module.lines == [expected]


@pytest.mark.parametrize("platform", ["x11", "win32", "darwin"])
def test_every_canonical_name_has_one_of_pyautoguis(platform: Platform) -> None:
    names = key_names(platform)
    assert {"Control", "Enter", "ArrowLeft", "PageDown", "F12", "Meta"} <= set(names)
    assert ("AltGraph" in names) is (platform != "x11")


def test_text_that_the_keys_give_is_typed_by_keys_also_where_a_paste_is_allowed() -> None:
    pasting = _Pasting()
    desk = _Desk(refuses="ü", pasting=pasting)
    desk.type("a\r\nb\rc", may_paste=True)
    assert desk.typing.typed == ["a\nb\nc"]
    assert pasting.pasted == []


def test_text_that_they_do_not_give_is_pasted_whole() -> None:
    pasting = _Pasting()
    desk = _Desk(refuses="ü", pasting=pasting)
    desk.type("für", may_paste=True)
    assert (desk.typing.typed, pasting.pasted) == ([], ["für"])


def test_long_text_is_pasted_where_that_is_allowed() -> None:
    pasting = _Pasting()
    desk = _Desk(pasting=pasting)
    text = "a" * (LONG_TEXT_CHARS + 1)
    desk.type(text, may_paste=True)
    desk.type(text, may_paste=False)
    assert (pasting.pasted, desk.typing.typed) == ([text], [text])


@pytest.mark.parametrize("pasting", [None, _Pasting(works=False)])
@pytest.mark.parametrize("may_paste", [True, False])
def test_where_neither_works_the_characters_are_named_and_nothing_is_typed(
    pasting: _Pasting | None, may_paste: bool
) -> None:
    desk = _Desk(refuses="ü€", pasting=pasting)
    with pytest.raises(CallFailed, match=r"U\+00FC.*U\+20AC.*nothing was typed"):
        desk.type("für 3 €", may_paste=may_paste)
    assert desk.typing.typed == []


def test_control_characters_are_refused_everywhere() -> None:
    pasting = _Pasting()
    desk = _Desk(pasting=pasting)
    with pytest.raises(CallFailed, match=r"U\+0007 \(a control character\)"):
        desk.type("a\x07", may_paste=True)
    assert (desk.typing.typed, pasting.pasted) == ([], [])
