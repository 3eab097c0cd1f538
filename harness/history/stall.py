"""The stall rule: the same action on the same screen is told twice, and the fourth time ends the run. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal

from harness.values.message import ToolCall
from harness.values.settings import Limits
from harness.values.validation import StallState

STALL_REPEATS: Final = 4
IDLE_TOOLS: Final = frozenset(
    {"wait", "look", "zoom", "list_windows", "read_clipboard", "read_record", "recall_history"}
)
NEUTRAL_TOOLS: Final = frozenset({"note", "web_note", "finish", "ask_user", "LoadSkill"})
StepKind = Literal["action", "idle", "neutral"]
StallVerdict = Literal["go on", "warn", "stalled", "idle"]

__all__ = [
    "StallState",
    "StallVerdict",
    "action_key",
    "advance",
    "step_kind",
    "verdict",
    "warning",
]


def step_kind(calls: Sequence[ToolCall]) -> StepKind:
    """Return what a step counts as: notes, questions and `finish` are neutral, waiting and reading are idle.

    A call that was refused or whose tool is unknown counts as an action: repeating it leads nowhere either.
    """
    names = {call.name for call in calls} - NEUTRAL_TOOLS
    if not names:
        return "neutral"
    return "idle" if names <= IDLE_TOOLS else "action"


def action_key(calls: Sequence[ToolCall]) -> str:
    """Return one key for all acting calls of a step: names and arguments, however the JSON is written."""
    return json.dumps([[call.name, _plain(call.arguments_json)] for call in calls if call.name not in NEUTRAL_TOOLS])


def _plain(arguments_json: str) -> str:
    try:
        return json.dumps(json.loads(arguments_json), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments_json


def advance(
    state: StallState, *, action_key: str, screen_key: str, is_idle: bool, is_text_only: bool, is_same: bool
) -> StallState:
    """Return the state after one more step.

    Args:
        state: The state before it.
        action_key: What the step did.
        screen_key: Hash of the screen it was decided on; empty without a frame, which is never the same screen.
        is_idle: The step only waited or read; it neither adds to nor ends a row of equal actions.
        is_text_only: The step was neutral; nothing changes.
        is_same: Its screen looks like the one in `state`, beyond equal hashes.
    """
    if is_text_only:
        return state
    if is_idle:
        return replace(state, idle_steps=state.idle_steps + 1)
    has_frames = bool(screen_key and state.screen_key)
    is_repeat = action_key == state.action_key and has_frames and (is_same or screen_key == state.screen_key)
    if is_repeat:
        return replace(state, repeats=state.repeats + 1, idle_steps=0)
    return StallState(action_key=action_key, screen_key=screen_key, repeats=1)


def verdict(state: StallState, limits: Limits) -> StallVerdict:
    """Return what the state means: `warn` at the second and third repeat, then the run ends.

    `limits.idle_steps` idle steps in a row end it as `idle`; None never.
    """
    if state.repeats >= STALL_REPEATS:
        return "stalled"
    if limits.idle_steps is not None and state.idle_steps >= limits.idle_steps:
        return "idle"
    return "warn" if state.repeats > 1 and state.idle_steps == 0 else "go on"


def warning(state: StallState) -> str:
    """Return the line that tells the model that it repeats itself."""
    left = STALL_REPEATS - state.repeats
    return (
        f"notice: the same action was done {state.repeats} times in a row on the same screen and changed nothing; "
        f"try something else. After {left} more the run ends as stalled"
    )
