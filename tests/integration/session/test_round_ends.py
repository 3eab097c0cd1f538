"""How a round ends: by the agent, a check, a limit, a question, or because nothing moves."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_session import fake_session, request_texts, run_to_end

from harness.testing.fakes import FakeController, FakeScreen, Fault, fake_mark
from harness.testing.policies import ScriptedPolicy, call, reply
from harness.values.run import RunResult
from harness.values.settings import Limits, SessionSettings
from harness.values.transcript import Exchange


def still_screen(index: int) -> FakeScreen:
    return FakeScreen(number=0, marks=(fake_mark(1),))


@pytest.mark.req("R-RUN-1")
async def test_finish_ends_the_round_with_the_agents_claim(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(call("finish", success=True, answer="42"))])
    async with fake_session(tmp_path, policy) as loop:
        result = await run_to_end(loop)
    assert (result.status, result.success, result.is_verified, result.answer) == ("finished", True, False, "42")


@pytest.mark.req("R-RUN-1")
async def test_a_check_outranks_the_claim(tmp_path: Path) -> None:
    async def check(result: RunResult) -> bool:
        return result.answer == "43"

    policy = ScriptedPolicy([reply(call("finish", success=True, answer="42"))])
    async with fake_session(tmp_path, policy, check=check) as loop:
        result = await run_to_end(loop)
    assert (result.success, result.is_verified) == (False, True)


@pytest.mark.req("R-RUN-1")
async def test_an_answer_that_does_not_fit_is_told_and_the_round_goes_on(tmp_path: Path) -> None:
    policy = ScriptedPolicy(
        [reply(call("finish", success=True, answer="many")), reply(call("finish", success=True, answer="3"))]
    )
    async with fake_session(
        tmp_path, policy, answer_problem=lambda answer: None if answer.isdigit() else "not a number"
    ) as loop:
        result = await run_to_end(loop)
        first = loop.state.transcript.entries[2]
    assert isinstance(first, Exchange)
    assert "not a number" in first.results[0].text
    assert (result.answer, result.steps) == ("3", 2)


@pytest.mark.req("R-RUN-1")
async def test_text_without_a_call_is_told_once_and_ends_the_second_time(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(text="Let me think."), reply(text="Still thinking.")])
    async with fake_session(tmp_path, policy) as loop:
        result = await run_to_end(loop)
    assert (result.status, result.steps) == ("no_action", 2)
    assert any("called no tool" in text for text in request_texts(policy, 1))


@pytest.mark.req("R-RUN-1")
async def test_a_question_without_a_user_ends_as_needs_user(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(call("ask_user", question="Which one?"))])
    async with fake_session(tmp_path, policy) as loop:
        result = await run_to_end(loop)
        exchange = loop.state.exchange
    assert result.status == "needs_user"
    assert exchange is not None
    assert exchange.state == "open"


@pytest.mark.req("R-RUN-1")
async def test_a_users_answer_is_the_calls_result(tmp_path: Path) -> None:
    async def ask(question: str) -> str:
        return f"the left one ({question})"

    policy = ScriptedPolicy([reply(call("ask_user", question="Which?"))])
    async with fake_session(tmp_path, policy, ask=ask) as loop:
        await run_to_end(loop)
    assert any("the left one (Which?)" in text for text in request_texts(policy, 1))


@pytest.mark.req("R-RUN-2")
@pytest.mark.parametrize(
    ("limits", "status"),
    [
        (Limits(steps=3), "step_limit"),
        (Limits(input_tokens=1000), "token_limit"),
        (Limits(seconds=0.0), "time_limit"),
    ],
)
async def test_every_limit_is_a_recorded_stop(tmp_path: Path, limits: Limits, status: str) -> None:
    policy = ScriptedPolicy(lambda number: reply(call("click", mark=1)))
    async with fake_session(tmp_path, policy, settings=SessionSettings(limits=limits)) as loop:
        result = await run_to_end(loop)
        assert loop.state.ended is not None
        assert loop.state.ended.status == status
    assert (result.status, result.success) == (status, False)


@pytest.mark.req("R-RUN-1", "R-ACT-8")
@pytest.mark.parametrize("fault", ["failed_call", "refused"])
async def test_finish_is_not_taken_after_a_call_that_was_not_carried_out(tmp_path: Path, fault: Fault) -> None:
    both = reply(call("click", mark=1), call("finish", success=True, answer="sent"))
    policy = ScriptedPolicy([both, reply(call("finish", success=False, answer="it failed"))])
    async with fake_session(tmp_path, policy, controller=FakeController(faults={1: fault})) as loop:
        result = await run_to_end(loop)
        exchange = next(entry for entry in loop.state.transcript.entries if isinstance(entry, Exchange))
    assert (result.answer, result.success, result.steps) == ("it failed", False, 2)
    assert exchange.results[1].status == "error"


@pytest.mark.req("R-HIS-5")
@pytest.mark.case("G27")
async def test_the_fourth_same_action_on_the_same_screen_stops_the_run(tmp_path: Path) -> None:
    policy = ScriptedPolicy(lambda number: reply(call("click", mark=1)))
    async with fake_session(tmp_path, policy, controller=FakeController(screens=still_screen)) as loop:
        result = await run_to_end(loop)
        exchanges = [entry for entry in loop.state.transcript.entries if isinstance(entry, Exchange)]
    assert (result.status, result.steps) == ("stalled", 4)
    warned = ["same action" in exchange.results[0].text for exchange in exchanges]
    assert warned == [False, True, True, False]


@pytest.mark.req("R-HIS-5")
@pytest.mark.case("G27")
async def test_a_reply_whose_calls_all_fail_counts_as_one_repeat(tmp_path: Path) -> None:
    policy = ScriptedPolicy(lambda number: reply(call("click", mark=7), call("click", mark=8)))
    async with fake_session(tmp_path, policy, controller=FakeController(screens=still_screen)) as loop:
        result = await run_to_end(loop)
    assert (result.status, result.steps) == ("stalled", 4)


@pytest.mark.req("R-HIS-5")
async def test_waiting_counts_apart(tmp_path: Path) -> None:
    policy = ScriptedPolicy(lambda number: reply(call("wait", seconds=1)))
    settings = SessionSettings(limits=Limits(idle_steps=6))
    async with fake_session(
        tmp_path, policy, controller=FakeController(screens=still_screen), settings=settings
    ) as loop:
        result = await run_to_end(loop)
    assert (result.status, result.steps) == ("stalled", 6)


@pytest.mark.req("R-RUN-2")
async def test_the_list_entry_says_how_the_round_ended(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(call("click", mark=1)), reply(call("finish", success=False, answer="no"))])
    async with fake_session(tmp_path, policy) as loop:
        assert loop.directory.read_info().status == "running"
        await run_to_end(loop)
        info = loop.directory.read_info()
    assert (info.status, info.success, info.answer, info.steps) == ("finished", False, "no", 2)
    assert info.ended_at is not None
