"""`reference`: a solution drives the steps and sees only what requests show."""

from __future__ import annotations

import asyncio

import pytest

from harness.errors import PolicyError, UsageError
from harness.protocols import ModelSpec, PolicySpec
from policies import reference

pytestmark = pytest.mark.req("R-CLI-5")
MODEL = ModelSpec(name="r", use="reference")


def make(solve):
    return reference.create(PolicySpec(model=MODEL, solve=solve))


async def test_each_act_is_one_step_and_returning_is_success(talk, said) -> None:
    seen = []

    async def solve(task, act, look) -> None:
        seen.append((task, look().marks[0].name))
        view = await act("click", mark=look().marks[0])
        seen.append((view.marks[0].name, view.last_result, look() == view))
        await act("type_text", mark=view.marks[0].id, text="hi")

    started, policy = talk("Do it.").show(("button", "one")), make(solve)
    first = await started.ask(policy)
    assert (first.id, first.name, said(first)) == ("call-1", "click", {"mark": 1})
    started.answer(first, ("textbox", "two"), text="clicked")
    second = await started.ask(policy)
    assert (second.id, second.name, said(second)) == ("call-2", "type_text", {"mark": 1, "text": "hi"})
    started.answer(second, ("textbox", "three"))
    last = await started.ask(policy)
    assert (last.name, said(last)["success"]) == ("finish", True)
    assert seen == [("Do it.", "one"), ("two", "clicked", True)]
    await policy.close()


async def test_a_solution_that_raises_ends_without_success(talk, said) -> None:
    async def solve(task, act, look) -> None:
        raise LookupError("no button")

    policy = make(solve)
    call = await talk("t").show("x").ask(policy)
    assert call.name == "finish"
    assert said(call) == {"success": False, "answer": "the reference solution failed: LookupError: no button"}
    await policy.close()


async def test_closing_ends_a_solution_that_waits(talk) -> None:
    ended = []

    async def solve(task, act, look) -> None:
        try:
            await act("look")
        finally:
            ended.append(True)

    policy = make(solve)
    await talk("t").show("x").ask(policy)
    await policy.close()
    assert ended == [True]
    assert len(asyncio.all_tasks()) == 1


async def test_a_solution_that_hangs_is_an_error_at_the_deadline(talk) -> None:
    async def solve(task, act, look) -> None:
        await asyncio.Event().wait()

    policy = make(solve)
    request = policy.render(talk("t").show("x").projection())
    with pytest.raises(PolicyError, match=r"no call within 0\.01 s"):
        await policy.send(request, deadline_s=0.01)
    await policy.close()


async def test_closing_before_the_first_step_is_fine() -> None:
    async def solve(task, act, look) -> None:
        raise AssertionError("never started")

    await make(solve).close()


def test_a_task_without_a_solution_is_refused() -> None:
    with pytest.raises(UsageError, match="no reference solution"):
        reference.create(PolicySpec(model=MODEL))
