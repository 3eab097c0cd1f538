from __future__ import annotations

from dataclasses import replace

import pytest

from harness.history.stall import StallState
from harness.history.validation import validate_step
from harness.values.action import Click, DeviceCall, Look, Target
from harness.values.frame import Frame
from harness.values.geometry import FrameBox, FramePoint, Size, Transform
from harness.values.mark import Mark
from harness.values.observation import Observation
from harness.values.outcome import CallOutcome, CallStatus

FRAME = Frame(
    sha256="a" * 64,
    media_type="image/png",
    width_px=800,
    height_px=600,
    device_scale=1.0,
    captured_at_s=0.0,
    source="action",
    transform=Transform(),
)
OTHER = replace(FRAME, sha256="b" * 64)
MARK = Mark(
    id=3,
    box=FrameBox(x_px=0, y_px=0, width_px=9, height_px=9),
    click=FramePoint(x_px=4, y_px=4),
    role="button",
    name="OK",
)
BEFORE = Observation(frame=FRAME, screen=FRAME.size, marks=(MARK,), url="https://e.test/", title="one")
CALL = DeviceCall(call_id="a", action=Click(target=Target(point=MARK.click, mark=MARK)))


def _outcome(status: CallStatus = "executed") -> CallOutcome:
    return CallOutcome(call_id="a", status=status, text="")


@pytest.mark.req("R-HIS-5")
def test_the_facts_of_a_step() -> None:
    after = replace(BEFORE, frame=OTHER, url="https://e.test/2", title="two", marks=(replace(MARK, id=8),))
    facts = validate_step([CALL], [_outcome()], before=BEFORE, after=after, stall=StallState(repeats=2, idle_steps=0))
    assert (facts.is_executed, facts.is_screen_changed) == (True, True)
    assert (facts.is_url_changed, facts.is_title_changed) == (True, True)
    assert (facts.is_target_present, facts.repeats) == (True, 2)


def test_an_unchanged_screen_whose_target_is_gone() -> None:
    facts = validate_step([CALL], [_outcome()], before=BEFORE, after=replace(BEFORE, marks=()), stall=StallState())
    assert (facts.is_screen_changed, facts.is_url_changed, facts.is_title_changed) == (False, False, False)
    assert facts.is_target_present is False


@pytest.mark.parametrize("status", ["failed", "not_executed", "unknown"])
def test_a_call_that_was_not_executed(status: CallStatus) -> None:
    facts = validate_step([CALL], [_outcome(status)], before=BEFORE, after=BEFORE, stall=StallState())
    assert not facts.is_executed


def test_a_call_without_outcome_is_not_executed() -> None:
    assert not validate_step([CALL], [], before=BEFORE, after=BEFORE, stall=StallState()).is_executed


@pytest.mark.req("R-IMG-13")
def test_a_missing_frame_is_no_evidence() -> None:
    blind = Observation(frame=None, screen=Size(width_px=800, height_px=600))
    for before, after in ((BEFORE, blind), (blind, BEFORE), (BEFORE, None), (None, BEFORE)):
        facts = validate_step([CALL], [_outcome()], before=before, after=after, stall=StallState())
        assert facts.is_screen_changed is None
        assert facts.is_url_changed is None


def test_a_call_without_mark_says_nothing_of_its_target() -> None:
    look = DeviceCall(call_id="a", action=Look())
    facts = validate_step([look], [_outcome()], before=BEFORE, after=BEFORE, stall=StallState())
    assert facts.is_target_present is None


@pytest.mark.parametrize(("is_same", "is_changed"), [(None, True), (True, False), (False, True)])
def test_a_caret_is_no_change(is_same: bool | None, is_changed: bool) -> None:
    after = replace(BEFORE, frame=OTHER)
    facts = validate_step([CALL], [_outcome()], before=BEFORE, after=after, stall=StallState(), is_same=is_same)
    assert facts.is_screen_changed is is_changed


def test_a_text_only_step_executed_all_it_had() -> None:
    facts = validate_step([], [], before=BEFORE, after=None, stall=StallState())
    assert facts.is_executed
    assert facts.repeats == 1
