"""Local facts about a step, without a model: executed, changed, still there."""

from __future__ import annotations

from collections.abc import Sequence

from harness.history.stall import StallState
from harness.values.action import DeviceCall, action_targets
from harness.values.mark import Mark
from harness.values.observation import Observation
from harness.values.outcome import CallOutcome
from harness.values.validation import Validation


def validate_step(
    calls: Sequence[DeviceCall],
    outcomes: Sequence[CallOutcome],
    *,
    before: Observation | None,
    after: Observation | None,
    stall: StallState,
    is_same: bool | None = None,
) -> Validation:
    """Return what can be said of a step; None in a field is "no evidence", never "unchanged".

    Args:
        calls: The device calls of the step; empty for a text-only step.
        outcomes: What came of them; a call without one counts as not executed.
        before: The observation that the step was decided on.
        after: The observation that ends it; None when nothing reached the device.
        stall: The stall rule's state after the step.
        is_same: Whether the two screens look the same but for a caret; None leaves it to their hashes.
    """
    done = {outcome.call_id for outcome in outcomes if outcome.status == "executed"}
    return Validation(
        is_executed=all(call.call_id in done for call in calls),
        is_screen_changed=_is_screen_changed(before, after, is_same),
        is_url_changed=_is_url_changed(before, after),
        is_title_changed=None if before is None or after is None else before.title != after.title,
        is_target_present=_is_target_present(calls, after),
        repeats=max(1, stall.repeats),
        idle_steps=stall.idle_steps,
    )


def _is_screen_changed(before: Observation | None, after: Observation | None, is_same: bool | None) -> bool | None:
    if before is None or after is None or before.frame is None or after.frame is None:
        return None
    if before.frame.sha256 == after.frame.sha256:
        return False
    return True if is_same is None else not is_same


def _is_url_changed(before: Observation | None, after: Observation | None) -> bool | None:
    if before is None or after is None or before.url is None or after.url is None:
        return None
    return before.url != after.url


def _is_target_present(calls: Sequence[DeviceCall], after: Observation | None) -> bool | None:
    marks = (target.mark for call in calls for target in action_targets(call.action))
    wanted = next((mark for mark in marks if mark is not None), None)
    if wanted is None or after is None or after.frame is None:
        return None
    return any(_identity(mark) == _identity(wanted) for mark in after.marks)


def _identity(mark: Mark) -> tuple[str, str, str]:
    """Marks are numbered anew on each screen; role, name and page frame are what stays."""
    return (mark.role, mark.name, mark.frame_path)
