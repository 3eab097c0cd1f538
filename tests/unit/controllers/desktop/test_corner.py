"""A person's pointer in the corner, told from the agent's own."""

from __future__ import annotations

import pytest

from harness.controllers.desktop.corner import ARRIVAL_S, HOLD_S, CornerRule
from harness.values.geometry import DevicePoint

pytestmark = [pytest.mark.req("R-ACT-6")]
CORNER = DevicePoint(x=0, y=0)
ELSEWHERE = DevicePoint(x=400, y=300)
TICK_S = 0.1


class _Pointer:
    """Holds a pointer at places, and says after each whether the rule has seen a person."""

    def __init__(self, rule: CornerRule) -> None:
        self.rule = rule
        self.now_s = 100.0

    def stays(self, at: DevicePoint, seconds: float) -> bool:
        is_held = False
        for _ in range(round(seconds / TICK_S) + 1):
            is_held = self.rule.is_held(at, self.now_s)
            self.now_s += TICK_S
        return is_held

    def announces(self, to: DevicePoint) -> None:
        self.rule.note_own_move(to, self.now_s)


@pytest.fixture
def pointer() -> _Pointer:
    fresh = _Pointer(CornerRule(CORNER))
    assert not fresh.stays(ELSEWHERE, 1.0)
    return fresh


def test_a_person_who_holds_the_corner_is_seen_after_a_second(pointer: _Pointer) -> None:
    assert not pointer.stays(CORNER, HOLD_S - 2 * TICK_S)
    assert pointer.stays(CORNER, 3 * TICK_S)


def test_passing_through_the_corner_is_no_hold(pointer: _Pointer) -> None:
    for _ in range(3):
        assert not pointer.stays(CORNER, HOLD_S - 2 * TICK_S)
        assert not pointer.stays(ELSEWHERE, TICK_S)


@pytest.mark.parametrize("delay_s", [0.0, 0.5, ARRIVAL_S - 2 * TICK_S])
def test_the_agents_own_pointer_does_not_count_however_long_it_stays(pointer: _Pointer, delay_s: float) -> None:
    pointer.announces(CORNER)
    pointer.stays(ELSEWHERE, delay_s)
    assert not pointer.stays(CORNER, 60.0)


@pytest.mark.parametrize("stayed_s", [0.3, 5.0])
def test_after_the_agent_a_person_moves_it_away_and_back(pointer: _Pointer, stayed_s: float) -> None:
    pointer.announces(CORNER)
    assert not pointer.stays(CORNER, stayed_s)
    assert not pointer.stays(ELSEWHERE, TICK_S)
    assert pointer.stays(CORNER, HOLD_S + TICK_S)


def test_a_move_that_never_arrived_does_not_hide_a_later_person(pointer: _Pointer) -> None:
    pointer.announces(CORNER)
    pointer.stays(ELSEWHERE, ARRIVAL_S + TICK_S)
    assert pointer.stays(CORNER, HOLD_S + TICK_S)


def test_a_move_elsewhere_takes_the_announcement_back(pointer: _Pointer) -> None:
    pointer.announces(CORNER)
    pointer.announces(ELSEWHERE)
    assert pointer.stays(CORNER, HOLD_S + TICK_S)


def test_a_pointer_that_was_left_in_the_corner_stops_nothing() -> None:
    assert not _Pointer(CornerRule(CORNER)).stays(CORNER, 10.0)


def test_a_hold_that_the_agent_takes_over_is_no_persons(pointer: _Pointer) -> None:
    pointer.stays(CORNER, HOLD_S / 2)
    pointer.announces(CORNER)
    assert not pointer.stays(CORNER, 10.0)


@pytest.mark.parametrize("at", [(-600, 0), (0, -600), (3, 0), (0, 3)])
def test_monitors_left_of_and_above_the_corner_are_elsewhere(pointer: _Pointer, at: tuple[int, int]) -> None:
    assert not pointer.stays(DevicePoint(x=at[0], y=at[1]), 5.0)


def test_the_corner_is_where_the_desktop_begins() -> None:
    pointer = _Pointer(CornerRule(DevicePoint(x=-1920, y=-200)))
    pointer.stays(ELSEWHERE, TICK_S)
    assert not pointer.stays(CORNER, 5.0)
    assert pointer.stays(DevicePoint(x=-1919, y=-200), HOLD_S + TICK_S)
