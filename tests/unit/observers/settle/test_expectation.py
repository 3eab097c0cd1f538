"""What actions may bring about."""

from __future__ import annotations

import pytest

from harness.values.action import Action, Click, Launch, Look, PressKeys, Scroll, Target, TypeText
from harness.values.geometry import FramePoint
from observers.settle.expectation import DIRECT, LAUNCHING, OPENING, SPAWNING, Expectation, expect

AT = Target(point=FramePoint(x_px=1, y_px=2))


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (None, DIRECT),
        (Look(), DIRECT),
        (Click(target=AT), DIRECT),
        (Click(target=AT, count=3), DIRECT),
        (Scroll(target=AT, dy=3), DIRECT),
        (TypeText(text="a\nb"), DIRECT),
        (PressKeys(keys=("ArrowLeft",)), DIRECT),
        (PressKeys(keys=("Shift", "Tab")), DIRECT),
        (PressKeys(keys=("F",)), DIRECT),
        (PressKeys(keys=("Control", "o")), OPENING),
        (PressKeys(keys=("Alt", "F4")), OPENING),
        (PressKeys(keys=("F1",)), OPENING),
        (PressKeys(keys=("Enter",)), SPAWNING),
        (PressKeys(keys=("Alt", "Enter")), SPAWNING),
        (PressKeys(keys=("Meta", "r")), SPAWNING),
        (TypeText(text="ls\n"), SPAWNING),
        (Click(target=AT, count=2), SPAWNING),
        (Launch(app="editor"), LAUNCHING),
    ],
)
def test_what_opens_windows_is_given_more_time(action: Action | None, expected: Expectation) -> None:
    assert expect(action) == expected


def test_the_first_wait_is_half_a_second_for_what_opens_windows() -> None:
    assert DIRECT.first_wait_s == 0.15
    assert min(OPENING.first_wait_s, SPAWNING.first_wait_s, LAUNCHING.first_wait_s) >= 0.5
