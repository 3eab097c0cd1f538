from __future__ import annotations

import pytest
from fake_desktop import Log, LoggedKeyboard, LoggedPointer

from harness.controllers.aim import CallFailed
from harness.controllers.desktop.gestures import DOUBLE_CLICK_S, Gestures
from harness.values.geometry import DevicePoint


class Hand:
    def __init__(self) -> None:
        self.log = Log()
        self.keyboard = LoggedKeyboard(self.log)
        self.pauses: list[float] = []
        self.gestures = Gestures(LoggedPointer(self.log), self.keyboard, pause=self.pauses.append)


@pytest.fixture
def hand() -> Hand:
    return Hand()


def at(x: float, y: float) -> DevicePoint:
    return DevicePoint(x=x, y=y)


@pytest.mark.case("G12")
@pytest.mark.req("R-ACT-1")
def test_a_drag_starts_where_it_was_told_and_holds_its_keys(hand: Hand) -> None:
    hand.gestures.move(at(500, 500))
    hand.log.lines.clear()
    hand.gestures.drag([at(0, 0), at(100, 100)], keys=("Control",))
    lines = hand.log.lines
    assert lines[:3] == ["move 0,0", "Control down", "left down"]
    assert all(line.startswith("move ") for line in lines[3:-2])
    assert len(lines[3:-2]) >= 5
    assert lines[-3:] == ["move 100,100", "left up", "Control up"]


def test_a_drag_goes_through_every_point_of_its_path(hand: Hand) -> None:
    hand.gestures.drag([at(0, 0), at(40, 0), at(40, 30)])
    assert at(40, 0) in hand.log.positions
    assert hand.log.positions[-1] == at(40, 30)


@pytest.mark.parametrize(("count", "presses"), [(1, 1), (2, 2), (3, 3)])
def test_a_click_presses_as_often_as_asked(hand: Hand, count: int, presses: int) -> None:
    hand.gestures.click(at(5, 6), "right", count, keys=("Shift",))
    assert hand.log.lines == ["move 5,6", "Shift down", *["right down", "right up"] * presses, "Shift up"]


def test_a_second_click_at_the_same_place_is_no_double_click(hand: Hand) -> None:
    hand.gestures.click(at(5, 5), "left", 1)
    assert hand.pauses == []
    hand.gestures.click(at(7, 5), "left", 1)
    assert hand.pauses
    assert 0 < hand.pauses[0] <= DOUBLE_CLICK_S


@pytest.mark.parametrize(("place", "button"), [(at(90, 5), "left"), (at(5, 5), "right")])
def test_a_click_elsewhere_waits_for_nothing(hand: Hand, place, button) -> None:
    hand.gestures.click(at(5, 5), "left", 1)
    hand.gestures.click(place, button, 1)
    assert hand.pauses == []


@pytest.mark.case("G16")
def test_a_chord_goes_down_in_order_and_up_in_reverse(hand: Hand) -> None:
    hand.gestures.press(("Control", "Shift", "s"))
    assert hand.log.lines == ["Control down", "Shift down", "s down", "s up", "Shift up", "Control up"]


@pytest.mark.req("R-ACT-6")
def test_a_chord_that_breaks_leaves_nothing_down(hand: Hand) -> None:
    hand.keyboard.breaks_on = "s"
    with pytest.raises(CallFailed):
        hand.gestures.press(("Control", "s"))
    assert hand.log.lines[-2:] == ["s up", "Control up"]


def test_the_wheel_turns_where_the_pointer_was_put(hand: Hand) -> None:
    hand.gestures.scroll(at(3, 4), dx=-1, dy=5)
    assert hand.log.lines == ["move 3,4", "wheel -1,5"]
