"""What pyautogui is told, and what it is never left to do by itself."""

from __future__ import annotations

import pytest
from fake_pyautogui import fake_driver

from harness.controllers.desktop.portable.driver import Platform


def test_pauses_and_corners_of_pyautogui_are_off() -> None:
    _, module = fake_driver("x11")
    assert (module.PAUSE, module.FAILSAFE, module.MINIMUM_DURATION, module.MINIMUM_SLEEP) == (0, False, 0, 0)


@pytest.mark.parametrize(
    ("platform", "expected"), [("x11", "vscroll -3"), ("win32", "vscroll -360"), ("darwin", "vscroll -3")]
)
def test_one_click_of_the_wheel_is_one_everywhere(platform: Platform, expected: str) -> None:
    driver, module = fake_driver(platform)
    driver.scroll_down(3)
    assert module.lines == [expected]


@pytest.mark.parametrize(("platform", "expected"), [("x11", "hscroll 2"), ("darwin", "hscroll -2")])
def test_right_is_right_everywhere(platform: Platform, expected: str) -> None:
    driver, module = fake_driver(platform)
    driver.scroll_right(2)
    assert module.lines == [expected]


@pytest.mark.parametrize("code", [None, 0, -1])
def test_a_key_that_sends_nothing_is_none(code: int | None) -> None:
    driver, _ = fake_driver("x11", {"f5": code})
    assert not driver.has_key("f5")
    assert not driver.has_key("nosuchkey")


@pytest.mark.parametrize(
    ("character", "code", "expected"),
    [("<", 0xE2, False), ("<", 0x1BC, True), ("?", 0x1DB, True), ("a", 0x41, True), ("/", 0x137, True)],
)
def test_on_windows_a_shift_that_the_layout_does_not_want_is_no_key(character: str, code: int, expected: bool) -> None:
    driver, _ = fake_driver("win32", {character: code})
    assert driver.has_key(character) is expected
