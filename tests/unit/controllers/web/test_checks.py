from __future__ import annotations

from dataclasses import replace

import pytest

from harness.controllers.aim import CallFailed
from harness.controllers.checks import Seen, check_keys, check_targets
from harness.controllers.web import keyboard
from harness.controllers.web.checks import what_changed
from harness.controllers.web.tabs import Place
from harness.values.action import Action, Click, Drag, Look, PressKeys, Target
from harness.values.frame import Frame
from harness.values.geometry import FramePoint, Transform

PLACE = Place(tab=1, document=2, route="https://a.example/x", dialogs=0)
FRAME = Frame(
    sha256="0",
    media_type="image/png",
    width_px=400,
    height_px=300,
    device_scale=2.0,
    captured_at_s=0.0,
    source="action",
    transform=Transform(scale_x=0.5, scale_y=0.5),
)
SEEN = Seen(frame=FRAME, marking=None, screen_text="viewport 800x600 CSS px")


def at(x_px: int, y_px: int) -> Target:
    return Target(point=FramePoint(x_px=x_px, y_px=y_px))


@pytest.mark.case("G11")
@pytest.mark.parametrize("target", [at(400, 0), at(0, 300), at(-1, 0), at(9999, -5)])
def test_a_point_outside_is_refused_in_image_space(target: Target) -> None:
    with pytest.raises(CallFailed, match=r"x must be 0 to 399 and y 0 to 299 .viewport 800x600"):
        check_targets(Drag(path=(at(0, 0), target)), SEEN)


@pytest.mark.parametrize("action", [Click(target=at(399, 299)), PressKeys(keys=("Control", "a")), Look()])
def test_valid_arguments_pass(action: Action) -> None:
    check_keys(action, keyboard)
    check_targets(action, SEEN)


@pytest.mark.parametrize("action", [PressKeys(keys=()), Click(target=at(0, 0), keys=("Hyper",))])
def test_keys_that_are_not_there_are_refused(action: Action) -> None:
    with pytest.raises(CallFailed, match="unknown keys"):
        check_keys(action, keyboard)


def test_without_a_frame_there_is_nothing_to_aim_at() -> None:
    with pytest.raises(CallFailed, match="look first"):
        check_targets(Click(target=at(0, 0)), replace(SEEN, frame=None))


@pytest.mark.req("R-ACT-8")
@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (PLACE, None),
        (replace(PLACE, tab=2), "tab 2 is active instead of tab 1"),
        (replace(PLACE, dialogs=1), "a dialog opened"),
        (replace(PLACE, route="https://b.example/x"), 'the address is now "https://b.example/x"'),
        (replace(PLACE, document=3), "the page loaded anew"),
    ],
)
def test_what_changed_is_named(now: Place, reason: str | None) -> None:
    assert what_changed(PLACE, now) == reason
