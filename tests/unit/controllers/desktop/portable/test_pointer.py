"""The pointer through pyautogui."""

from __future__ import annotations

import pytest
from fake_pyautogui import fake_driver

from harness.controllers.aim import CallFailed
from harness.controllers.desktop.portable.pointer import PortablePointer
from harness.values.geometry import DevicePoint


def test_a_move_goes_to_the_unit_that_covers_the_point() -> None:
    driver, module = fake_driver("win32")
    PortablePointer(driver).move(DevicePoint(x=-1919.5, y=10.9))
    assert module.lines == ["move -1920,10"]


def test_a_move_with_a_button_down_is_a_drag() -> None:
    driver, module = fake_driver("darwin")
    pointer = PortablePointer(driver)
    pointer.press("left")
    pointer.move(DevicePoint(x=5.5, y=6.5))
    pointer.release("left")
    pointer.move(DevicePoint(x=7.5, y=8.5))
    assert module.lines == ["left down", "drag left 5,6", "left up", "move 7,8"]


def test_what_was_pressed_is_released() -> None:
    driver, module = fake_driver("x11")
    pointer = PortablePointer(driver)
    pointer.press("left")
    pointer.press("right")
    pointer.release_all()
    pointer.release_all()
    assert module.lines == ["left down", "right down", "left up", "right up"]


def test_the_wheel_does_not_turn_sideways_on_windows_and_nothing_moves() -> None:
    driver, module = fake_driver("win32")
    with pytest.raises(CallFailed, match="Shift"):
        PortablePointer(driver).turn_wheel(1, 2)
    assert module.lines == []


def test_the_wheel_turns_both_ways_elsewhere() -> None:
    driver, module = fake_driver("x11")
    PortablePointer(driver).turn_wheel(-1, 2)
    assert module.lines == ["vscroll -2", "hscroll -1"]


def test_the_position_is_the_middle_of_a_unit() -> None:
    driver, _ = fake_driver("x11")
    assert PortablePointer(driver).position() == DevicePoint(x=12.5, y=-2.5)
