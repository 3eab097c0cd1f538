"""What the plain history policies keep."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from harness.context import StepRange, select_history
from harness.testing.sessions import SessionBuilder, StepKind
from harness.values.settings import HistoryPolicy
from harness.values.transcript import Entry, Exchange, Instruction

_RECENT_2 = HistoryPolicy(kind="recent_exchanges", amount=2)


def _session(*kinds: StepKind) -> list[Entry]:
    builder = SessionBuilder(random.Random(2), screens=1000)
    builder.add_task()
    builder.add_capture()
    for kind in kinds:
        builder.add_step(kind)
    return list(builder.moment.transcript.entries)


def _steps(entries: Sequence[Entry]) -> list[int]:
    return [entry.step for entry in entries if isinstance(entry, Exchange)]


@pytest.mark.req("R-CTX-2")
def test_full_keeps_everything() -> None:
    entries = _session("act", "note", "act")
    selection = select_history(entries, HistoryPolicy(), count=lambda _: 1)
    assert selection.kept == tuple(entries)
    assert selection.dropped == ()


@pytest.mark.req("R-CTX-2")
def test_recent_exchanges_keeps_the_newest_and_drops_the_capture_before_them() -> None:
    entries = _session("act", "act", "act", "act")
    selection = select_history(entries, _RECENT_2, count=lambda _: 1)
    assert _steps(selection.kept) == [3, 4]
    assert selection.dropped == (StepRange(first=1, last=2),)
    assert [entry.kind for entry in selection.kept] == ["instruction", "exchange", "exchange"]


def test_a_capture_stays_while_no_exchange_was_dropped() -> None:
    entries = _session("act", "act")
    assert select_history(entries, _RECENT_2, count=lambda _: 1).kept == tuple(entries)


@pytest.mark.req("R-CTX-5")
def test_the_exchange_with_the_current_frame_stays_however_many_text_steps_follow() -> None:
    entries = _session("act", "act", *["note"] * 6)
    selection = select_history(entries, _RECENT_2, count=lambda _: 1)
    assert _steps(selection.kept) == [2, 7, 8]
    assert selection.dropped == (StepRange(first=1, last=1), StepRange(first=3, last=6))


@pytest.mark.req("R-CTX-5")
def test_the_capture_that_shows_the_current_frame_stays() -> None:
    entries = _session(*["note"] * 5)
    selection = select_history(entries, _RECENT_2, count=lambda _: 1)
    assert [entry.kind for entry in selection.kept] == ["instruction", "capture", "exchange", "exchange"]


@pytest.mark.req("R-CTX-5")
def test_a_newest_observation_without_a_frame_stays_beside_the_newest_frame() -> None:
    entries = _session("act", "blind", "note", "note", "note")
    capture = next(index for index, entry in enumerate(entries) if entry.kind == "capture" and entry.step == 2)
    del entries[capture]
    assert _steps(select_history(entries, _RECENT_2, count=lambda _: 1).kept) == [1, 2, 4, 5]


@pytest.mark.req("R-CTX-5")
def test_open_exchanges_and_instructions_stay_and_dead_ones_count_as_complete() -> None:
    entries = _session("act", "act", "act", "act", "act")
    first = 2
    one, two = entries[first : first + 2]
    assert isinstance(one, Exchange)
    assert isinstance(two, Exchange)
    entries[first] = replace(one, results=())
    entries[first + 1] = replace(two, results=(), is_dead=True)
    note = Instruction(seq=entries[first].seq, step=1, round=1, text="And count them.", is_task=False)
    entries.insert(first + 1, note)
    selection = select_history(entries, _RECENT_2, count=lambda _: 1)
    assert _steps(selection.kept) == [1, 4, 5]
    assert note in selection.kept
    assert selection.dropped == (StepRange(first=2, last=3),)


@pytest.mark.req("R-CTX-2")
@pytest.mark.parametrize(
    ("amount", "steps"), [(5, [4]), (10, [4]), (25, [3, 4]), (30, [2, 3, 4]), (1000, [1, 2, 3, 4])]
)
def test_recent_tokens_keeps_what_fits_and_at_least_one(amount: int, steps: list[int]) -> None:
    entries = _session("act", "act", "act", "act")
    policy = HistoryPolicy(kind="recent_tokens", amount=amount)
    assert _steps(select_history(entries, policy, count=lambda _: 10).kept) == steps


def test_tokens_are_asked_newest_first_and_no_further_than_needed() -> None:
    asked: list[int] = []

    def count(exchange: Exchange) -> int:
        asked.append(exchange.step)
        return 10

    select_history(_session("act", "act", "act", "act"), HistoryPolicy(kind="recent_tokens", amount=15), count=count)
    assert asked == [4, 3]


def test_an_amount_below_1_counts_as_1() -> None:
    policy = HistoryPolicy(kind="recent_exchanges", amount=0)
    assert _steps(select_history(_session("act", "act"), policy, count=lambda _: 1).kept) == [2]


def test_an_empty_transcript_has_no_history() -> None:
    assert select_history((), _RECENT_2, count=lambda _: 1).kept == ()
