from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.results import SampleResult
from evals.statistics import Interval, count_by_task, count_success, wilson_interval
from harness.values.run import RunStatus


def result(task: str, *, success: bool = False, status: RunStatus = "finished", steps: int = 2) -> SampleResult:
    return SampleResult(
        task=task, seed=0, success=success, reward=float(success), status=status, reason="", steps=steps, seconds=1.0
    )


@pytest.mark.req("R-EVL-3")
@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # Newcombe 1998, Statistics in Medicine 17, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 0.8389, 1.0),
    ],
)
def test_wilson_interval_matches_published_values(successes: int, trials: int, low: float, high: float) -> None:
    interval = wilson_interval(successes, trials)

    assert interval.low == pytest.approx(low, abs=5e-5)
    assert interval.high == pytest.approx(high, abs=5e-5)


def test_wilson_interval_without_trials_says_nothing() -> None:
    assert wilson_interval(0, 0) == Interval(low=0.0, high=1.0)


@pytest.mark.parametrize(("successes", "trials"), [(-1, 3), (4, 3)])
def test_wilson_interval_refuses_impossible_counts(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match=f"got {successes} of {trials}"):
        wilson_interval(successes, trials)


@given(st.integers(0, 500), st.integers(0, 500))
def test_wilson_interval_holds_the_rate_and_mirrors(first: int, second: int) -> None:
    successes, trials = min(first, second), max(first, second)

    interval = wilson_interval(successes, trials)
    mirrored = wilson_interval(trials - successes, trials)

    assert 0.0 <= interval.low <= interval.high <= 1.0
    if trials:
        assert interval.low <= successes / trials <= interval.high
    assert interval.low == pytest.approx(1 - mirrored.high)


def test_intervals_overlap_when_they_share_a_point() -> None:
    assert Interval(low=0.1, high=0.3).overlaps(Interval(low=0.3, high=0.5))
    assert not Interval(low=0.1, high=0.29).overlaps(Interval(low=0.3, high=0.5))


@pytest.mark.req("R-EVL-3")
def test_infrastructure_faults_are_counted_apart() -> None:
    row = count_success("all", [result("a", success=True), result("a"), result("b", status="infrastructure", steps=9)])

    assert (row.successes, row.episodes, row.infrastructure) == (1, 2, 1)
    assert row.rate == 0.5
    assert row.steps == 2.0


def test_rows_by_task_keep_the_order_of_first_appearance() -> None:
    rows = count_by_task([result("b"), result("a", success=True), result("b", success=True)])

    assert [(row.task, row.successes, row.episodes) for row in rows] == [("b", 1, 2), ("a", 1, 1)]
