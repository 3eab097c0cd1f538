from __future__ import annotations

import pytest

from harness.controllers.memory import WHOLE_OUTCOMES, OutcomeMemory
from harness.errors import ActionUnknown
from harness.values.frame import Capture, Frame
from harness.values.geometry import Transform
from harness.values.outcome import Outcome
from harness.values.recording import Recording


def outcome(action_id: str) -> Outcome:
    frame = Frame(
        sha256=action_id,
        media_type="image/png",
        width_px=1,
        height_px=1,
        device_scale=1.0,
        captured_at_s=0.0,
        source="action",
        transform=Transform(),
    )
    return Outcome(
        action_id=action_id,
        status="done",
        calls=(),
        observation=None,
        capture=Capture(frame=frame, image=b"x"),
        recordings=(Recording(kind="accessibility", frame_sha256=action_id, body=b"x"),),
    )


def test_a_kept_outcome_is_recalled() -> None:
    memory = OutcomeMemory()
    assert memory.recall("a") is None
    memory.begin("a")
    assert memory.recall(memory.keep(outcome("a")).action_id) == outcome("a")


def test_an_action_that_was_cut_off_is_never_repeated() -> None:
    memory = OutcomeMemory()
    memory.begin("a")
    with pytest.raises(ActionUnknown, match="'a' was cut off"):
        memory.recall("a")


def test_an_action_that_reached_nothing_may_be_tried_again() -> None:
    memory = OutcomeMemory()
    memory.begin("a")
    memory.forget("a")
    assert memory.recall("a") is None


def test_only_the_frames_and_recordings_of_the_last_outcomes_are_held() -> None:
    memory = OutcomeMemory()
    for number in range(WHOLE_OUTCOMES + 3):
        memory.keep(outcome(str(number)))
    held = [memory.recall(str(number)) for number in range(WHOLE_OUTCOMES + 3)]
    assert [item is not None and item.capture is not None for item in held] == [False] * 3 + [True] * WHOLE_OUTCOMES
    assert [item is not None and bool(item.recordings) for item in held] == [False] * 3 + [True] * WHOLE_OUTCOMES
    assert held[0] is not None
    assert held[0].error is not None
