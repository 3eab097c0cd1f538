from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.history.stall import StallState, action_key, advance, step_kind, verdict, warning
from harness.values.message import ToolCall
from harness.values.settings import Limits

LIMITS = Limits(idle_steps=30)


def _calls(*items: tuple[str, str]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(id=f"c{n}", name=name, arguments_json=text) for n, (name, text) in enumerate(items))


def _after(state: StallState, calls: tuple[ToolCall, ...], screen: str, *, is_same: bool = False) -> StallState:
    kind = step_kind(calls)
    return advance(
        state,
        action_key=action_key(calls),
        screen_key=screen,
        is_idle=kind == "idle",
        is_text_only=kind == "neutral",
        is_same=is_same,
    )


CLICK = _calls(("click", '{"mark": 3}'))
WAIT = _calls(("wait", '{"seconds": 1}'))
NOTE = _calls(("note", '{"text": "a"}'))


@pytest.mark.case("G27")
@pytest.mark.req("R-HIS-5")
def test_a_dead_button_is_told_twice_and_then_ends_the_run() -> None:
    state, seen = StallState(), []
    for _ in range(4):
        state = _after(state, CLICK, "s")
        seen.append(verdict(state, LIMITS))
    assert seen == ["go on", "warn", "warn", "stalled"]


@pytest.mark.case("G27")
def test_a_step_of_several_calls_counts_once() -> None:
    calls = _calls(("click", '{"mark": 3}'), ("click", '{"mark": 4}'), ("type_text", '{"text": "x"}'))
    state = StallState()
    for expected in (1, 2, 3, 4):
        state = _after(state, calls, "s")
        assert state.repeats == expected


def test_the_way_json_is_written_does_not_matter() -> None:
    assert action_key(_calls(("click", '{"at":[1,2],"count":1}'))) == action_key(
        _calls(("click", ' {"count": 1, "at": [1, 2]}'))
    )
    assert action_key(_calls(("click", "{bad"))) != action_key(_calls(("click", "{worse")))


def test_a_note_in_the_step_does_not_hide_the_repetition() -> None:
    one = (*CLICK, *_calls(("note", '{"text": "1"}')))
    two = (*CLICK, *_calls(("note", '{"text": "2"}')))
    assert action_key(one) == action_key(two) == action_key(CLICK)


@pytest.mark.parametrize(
    ("calls", "kind"),
    [
        (CLICK, "action"),
        (WAIT, "idle"),
        (_calls(("look", "{}"), ("read_record", "{}")), "idle"),
        (_calls(("list_windows", "{}"), ("read_clipboard", "{}")), "idle"),
        (_calls(("focus_window", '{"window": 1}')), "action"),
        (_calls(("write_clipboard", "{}")), "action"),
        (_calls(("launch", "{}")), "action"),
        (_calls(("look", "{}"), ("click", "{}")), "action"),
        (_calls(("note", "{}"), ("wait", "{}")), "idle"),
        (NOTE, "neutral"),
        (_calls(("finish", "{}")), "neutral"),
        ((), "neutral"),
        (_calls(("clik", "{}")), "action"),
    ],
)
def test_kinds(calls: tuple[ToolCall, ...], kind: str) -> None:
    assert step_kind(calls) == kind


def test_another_screen_or_action_starts_anew() -> None:
    state = _after(_after(StallState(), CLICK, "s"), CLICK, "s")
    assert _after(state, CLICK, "t").repeats == 1
    assert _after(state, _calls(("click", '{"mark": 4}')), "s").repeats == 1


def test_a_blinking_caret_is_the_same_screen() -> None:
    state = _after(_after(StallState(), CLICK, "s"), CLICK, "s-with-caret", is_same=True)
    assert (state.repeats, state.screen_key) == (2, "s")


def test_a_missing_frame_is_no_evidence() -> None:
    state = StallState()
    for _ in range(6):
        state = _after(state, CLICK, "", is_same=True)
    assert verdict(state, LIMITS) == "go on"


def test_waiting_between_the_clicks_does_not_hide_them() -> None:
    state = StallState()
    for _ in range(3):
        state = _after(_after(state, CLICK, "s"), WAIT, "s")
        assert verdict(state, LIMITS) == "go on"
    assert verdict(_after(state, CLICK, "s"), LIMITS) == "stalled"


@pytest.mark.parametrize(("limit", "expected"), [(30, "idle"), (31, "go on"), (None, "go on")])
def test_idle_steps_have_a_limit_of_their_own(limit: int | None, expected: str) -> None:
    state = StallState()
    for _ in range(30):
        state = _after(_after(state, WAIT, "s"), NOTE, "s")
    assert state.idle_steps == 30
    assert verdict(state, Limits(idle_steps=limit)) == expected
    assert _after(state, CLICK, "s").idle_steps == 0


def test_the_warning_says_how_often_and_what_follows() -> None:
    state = _after(_after(StallState(), CLICK, "s"), CLICK, "s")
    assert "2 times in a row" in warning(state)
    assert "After 2 more the run ends as stalled" in warning(state)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([CLICK, WAIT, NOTE]), st.sampled_from("st"))))
def test_neutral_steps_change_nothing(steps: list[tuple[tuple[ToolCall, ...], str]]) -> None:
    with_notes = without = StallState()
    for calls, screen in steps:
        with_notes = _after(with_notes, calls, screen)
        if calls is not NOTE:
            without = _after(without, calls, screen)
    assert with_notes == without
