from __future__ import annotations

import pytest

from evals.plan import EvalPlan, build_samples, parse_seeds, select_tasks
from harness.errors import UsageError
from harness.protocols.suites import TaskSpec

TASKS = (
    TaskSpec(id="click-test", tags=frozenset({"demo"}), max_steps=5, max_seconds=50.0),
    TaskSpec(id="click-link", max_steps=7, max_seconds=70.0),
    TaskSpec(id="flight/AA", tags=frozenset({"flight"})),
)


@pytest.mark.req("R-CLI-2")
@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ((), ["click-test", "click-link", "flight/AA"]),
        (("click-link", "click-test"), ["click-test", "click-link"]),
        (("click-*",), ["click-test", "click-link"]),
        (("tag:flight", "click-test"), ["click-test", "flight/AA"]),
    ],
)
def test_tasks_are_selected_in_the_suites_order(selection: tuple[str, ...], expected: list[str]) -> None:
    assert [task.id for task in select_tasks(TASKS, selection)] == expected


@pytest.mark.parametrize(
    ("item", "advice"),
    [
        ("click-tset", "did you mean 'click-test'"),
        ("zzz", "it has 3 tasks"),
        ("tag:nope", "the tags are: demo, flight"),
    ],
)
def test_a_selection_of_nothing_is_an_error_with_advice(item: str, advice: str) -> None:
    with pytest.raises(UsageError, match=advice):
        select_tasks(TASKS, (item,))


@pytest.mark.req("R-CLI-2")
@pytest.mark.parametrize(
    ("text", "seeds"), [("0-4", (0, 1, 2, 3, 4)), ("7", (7,)), ("1,3, 8-9,3", (1, 3, 8, 9)), ("5-5", (5,))]
)
def test_seeds_are_read(text: str, seeds: tuple[int, ...]) -> None:
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize("text", ["", "a", "4-0", "1..3", "-1", "0-99999999", "1,,2"])
def test_bad_seeds_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"write"):
        parse_seeds(text)


def test_samples_go_seed_by_seed_with_each_tasks_limits() -> None:
    samples = build_samples(EvalPlan(suite="s", seeds=(3, 4)), TASKS[:2])

    assert [(item.task.id, item.seed, item.max_steps, item.max_seconds) for item in samples] == [
        ("click-test", 3, 5, 50.0),
        ("click-link", 3, 7, 70.0),
        ("click-test", 4, 5, 50.0),
        ("click-link", 4, 7, 70.0),
    ]


def test_the_plans_limits_win_but_never_lengthen_a_task() -> None:
    (sample,) = build_samples(EvalPlan(suite="s", max_steps=50, max_seconds=60.0), TASKS[:1])

    assert (sample.max_steps, sample.max_seconds) == (50, 50.0)


def test_the_fingerprint_covers_what_decides_results_and_nothing_else() -> None:
    plan = EvalPlan(suite="s", agent="a")

    assert plan.fingerprint() == EvalPlan(suite="s", agent="a", workers=9, seeds=(1, 2), tasks=("x",)).fingerprint()
    assert plan.fingerprint() != EvalPlan(suite="s", agent="b").fingerprint()
    assert plan.fingerprint() != EvalPlan(suite="s", agent="a", overrides=("prompt.x=1",)).fingerprint()
    assert plan.fingerprint() != EvalPlan(suite="s", agent="a", max_steps=3).fingerprint()
