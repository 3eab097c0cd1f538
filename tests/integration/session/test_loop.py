"""The session loop over fakes: windows, notes, refusals, ends."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fake_session import TASK, fake_session

from harness.memory.store import read_notes, select_active
from harness.session.fold import fold
from harness.session.log import open_readonly
from harness.session.loop import SessionLoop
from harness.testing.fakes import FakeController, FakeScreen, Fault, fake_mark
from harness.testing.policies import ScriptedPolicy, call, reply
from harness.values.event import CallRefused, IntentRecorded, OutcomeRecorded, PrefixEdited
from harness.values.message import Reply
from harness.values.profile import PLAIN
from harness.values.run import RunResult
from harness.values.settings import HistoryPolicy, Limits, SessionSettings
from harness.values.transcript import Exchange, RuntimeCapture

NOTE = call("web_note", text="the code is 7731", kind="fact", reason="needed later", key="code")


async def run_to_end(loop: SessionLoop) -> RunResult:
    async for _ in loop.steps():
        pass
    return loop.result()


def note_files(folder: Path) -> list[Path]:
    return list(folder.rglob("working_memory*"))


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
    assert any("called no tool" in text for text in _texts(policy, 1))


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
    assert any("the left one (Which?)" in text for text in _texts(policy, 1))


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


@pytest.mark.req("R-ACT-5")
async def test_a_wrong_call_moves_nothing_and_says_what_is_valid(tmp_path: Path) -> None:
    controller = FakeController()
    policy = ScriptedPolicy([reply(call("click", mark=99)), reply(call("clik", mark=1))])
    async with fake_session(tmp_path, policy, controller=controller) as loop:
        await run_to_end(loop)
        exchanges = [entry for entry in loop.state.transcript.entries if isinstance(entry, Exchange)]
    assert controller.performed == []
    assert "numbered 1 to 2" in exchanges[0].results[0].text
    assert "click" in exchanges[1].results[0].text
    assert all(result.is_error for exchange in exchanges[:2] for result in exchange.results)


@pytest.mark.req("R-ACT-5", "R-ACT-8")
async def test_calls_after_a_refused_one_are_not_executed(tmp_path: Path) -> None:
    controller = FakeController()
    policy = ScriptedPolicy(
        [
            reply(
                call("click", mark=1),
                call("click", mark=99),
                call("click", mark=2),
                call("finish", success=True, answer=""),
            )
        ]
    )
    async with fake_session(tmp_path, policy, controller=controller) as loop:
        async for _ in loop.steps():
            break
        exchange = loop.state.exchange
    assert exchange is not None
    assert [len(calls) for calls in controller.performed] == [1]
    assert [result.status for result in exchange.results] == ["ok", "error", "not_executed", "not_executed"]


@pytest.mark.req("R-IMG-5", "R-IMG-6")
async def test_the_runtime_captures_only_where_no_result_has_a_frame(tmp_path: Path) -> None:
    controller = FakeController(faults={2: "no_frame", 3: "refused"})
    policy = ScriptedPolicy([reply(call("click", mark=1)), reply(call("click", mark=1)), reply(call("click", mark=1))])
    async with fake_session(tmp_path, policy, controller=controller) as loop:
        await run_to_end(loop)
        captures = [entry for entry in loop.state.transcript.entries if isinstance(entry, RuntimeCapture)]
    assert controller.captures == 1
    assert [capture.step for capture in captures] == [0, 2]


@pytest.mark.req("R-IMG-5")
async def test_a_note_keeps_frame_and_window(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(call("click", mark=1)), reply(NOTE), reply(NOTE)])
    async with fake_session(tmp_path, policy) as loop:
        await run_to_end(loop)
    shown = [[image.sha256 for image in projection.images] for projection in policy.projections[1:]]
    assert shown[0]
    assert shown == [shown[0]] * len(shown)


@pytest.mark.req("R-IMG-1", "R-IMG-6")
@pytest.mark.case("G01")
@pytest.mark.case("G03")
@pytest.mark.parametrize(("budget", "most"), [(0, 0), (1, 1), (3, 3), (5, 5), (7, 6)])
async def test_each_request_holds_the_budget_and_each_action_takes_one_screenshot(
    tmp_path: Path, budget: int, most: int
) -> None:
    controller = FakeController()
    policy = ScriptedPolicy([reply(call("click", mark=1)) for _ in range(12)])
    async with fake_session(
        tmp_path, policy, controller=controller, settings=SessionSettings(image_budget=budget)
    ) as loop:
        await run_to_end(loop)
    counts = [sum(part.body.decode().count('"type":"image"') for part in request.parts) for request in policy.requests]
    assert len(counts) == 13
    assert max(counts) == most
    assert controller.captures == 0


@pytest.mark.req("R-MEM-1", "R-MEM-2", "R-MEM-6")
async def test_a_note_is_in_the_next_view_and_in_the_store(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(NOTE)])
    async with fake_session(tmp_path, policy) as loop:
        await run_to_end(loop)
        assert [note.text for note in loop.state.notes] == ["the code is 7731"]
    views = [text for text in _texts(policy, 1) if "the code is 7731" in text]
    assert len(views) == 1


@pytest.mark.req("R-MEM-1", "R-MEM-6")
async def test_a_key_replaces_the_active_note_and_the_view_is_the_stores(tmp_path: Path) -> None:
    later = call("web_note", text="the code is 8842", kind="fact", reason="it changed", key="code")
    keyless = call("web_note", text="ask for Ada", kind="plan", reason="later")
    policy = ScriptedPolicy([reply(NOTE), reply(keyless, keyless), reply(later)])
    async with fake_session(tmp_path, policy) as loop:
        await run_to_end(loop)
        kept = loop.state.notes
        stored = [item.note for item in read_notes(loop.directory.notes_path)]
    assert [note.text for note in kept] == ["ask for Ada", "ask for Ada", "the code is 8842"]
    assert kept == select_active(stored, 1)
    assert stored[0].text == "the code is 7731"
    view = next(text for text in _texts(policy, 3) if "ask for Ada" in text)
    assert ("7731" in view, "8842" in view) == (False, True)


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


@pytest.mark.req("R-CFG-5", "R-MEM-1")
async def test_with_notes_off_there_is_neither_tool_nor_view_nor_store(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(NOTE)])
    async with fake_session(tmp_path, policy, settings=SessionSettings(note_view_chars=0)) as loop:
        await run_to_end(loop)
        exchange = next(entry for entry in loop.state.transcript.entries if isinstance(entry, Exchange))
    assert exchange.results[0].is_error
    assert not any(message.section == "notes" for message in policy.projections[-1].messages)
    assert not note_files(tmp_path)


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


@pytest.mark.req("R-HIS-6")
async def test_an_intent_is_durable_before_and_an_outcome_after_the_action(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(call("click", mark=1)), reply(call("click", mark=2))])
    controller = FakeController(faults={2: "lost"})
    async with fake_session(tmp_path, policy, controller=controller) as loop:
        result = await run_to_end(loop)
        exchange = loop.state.exchange
        directory = loop.directory
    with open_readonly(directory) as log:
        kinds = [event.body for event in log.events() if isinstance(event.body, IntentRecorded | OutcomeRecorded)]
    names = [body.kind for body in kinds if getattr(body, "action_id", "") != "capture"]
    assert names == ["intent", "outcome", "intent", "outcome"]
    assert exchange is not None
    assert exchange.results[0].status == "unknown"
    assert "may or may not have happened" in exchange.results[0].text
    assert result.status == "infrastructure"


@pytest.mark.req("R-PRO-2")
async def test_the_fold_of_the_log_is_the_live_state_after_every_step(tmp_path: Path) -> None:
    policy = ScriptedPolicy(
        [
            reply(call("click", mark=1), NOTE),
            reply(call("click", mark=5)),
            reply(call("zoom", box=[0, 0, 8, 8])),
            reply(text="hm"),
            reply(call("read_record", step_range=[1, 2])),
        ]
    )
    async with fake_session(tmp_path, policy) as loop:
        async for _ in loop.steps():
            with open_readonly(loop.directory) as log:
                assert fold(log.events()) == loop.state


@pytest.mark.req("R-PRO-2", "R-PRO-3")
async def test_each_request_can_be_shown_byte_for_byte(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(call("click", mark=1)), reply(NOTE), reply(call("click", mark=2))])
    async with fake_session(tmp_path, policy) as loop:
        await run_to_end(loop)
        directory = loop.directory
    with open_readonly(directory) as log:
        for step, request in enumerate(policy.requests, start=1):
            assert log.request_parts(step) == [part.body for part in request.parts]


@pytest.mark.req("R-PRO-3")
async def test_every_change_of_sent_bytes_is_a_recorded_prefix_edit(tmp_path: Path) -> None:
    policy = ScriptedPolicy(lambda number: reply(NOTE) if number % 3 == 0 else reply(call("click", mark=1)))
    settings = SessionSettings(
        image_budget=5, limits=Limits(steps=12), history=HistoryPolicy(kind="recent_exchanges", amount=4)
    )
    async with fake_session(tmp_path, policy, settings=settings) as loop:
        await run_to_end(loop)
        directory = loop.directory
    with open_readonly(directory) as log:
        edits = {event.step: event.body for event in log.events() if isinstance(event.body, PrefixEdited)}
    for step, (before, after) in enumerate(zip(policy.requests, policy.requests[1:], strict=False), start=2):
        is_edited = after.digests[: len(before.digests)] != before.digests
        assert (step in edits) == is_edited
    assert {"images", "note", "history"} <= {cause for edit in edits.values() for cause in edit.causes}


@pytest.mark.req("R-IMG-4")
@pytest.mark.parametrize(
    ("by_device", "by_setting", "has_image"),
    [(True, False, True), (False, False, False), (False, True, True)],
    ids=["web", "desktop", "desktop.marks_image"],
)
async def test_marks_are_an_image_where_device_or_setting_says_so(
    tmp_path: Path, by_device: bool, by_setting: bool, has_image: bool
) -> None:
    policy = ScriptedPolicy([reply(call("click", mark=1))])
    settings = SessionSettings(marks_image=by_setting)
    controller = FakeController(marks_image=by_device)
    async with fake_session(tmp_path, policy, controller=controller, settings=settings) as loop:
        await run_to_end(loop)
        assert loop.state.opened is not None
        assert loop.state.opened.settings.marks_image is has_image
    shown = {image.image_kind for projection in policy.projections for image in projection.images}
    assert shown == ({"clean", "marks", "action"} if has_image else {"clean", "action"})
    assert any('[1] button "OK"' in text for text in _texts(policy, -1))
    assert any("-marks" in text for text in _texts(policy, -1)) is has_image, "what can't be shown is never missed"


@pytest.mark.req("R-IMG-4")
async def test_an_image_of_marks_on_a_desktop_takes_a_slot_of_the_same_budget(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(call("click", mark=1))])
    settings = SessionSettings(image_budget=2, marks_image=True)
    controller = FakeController(marks_image=False)
    async with fake_session(tmp_path, policy, controller=controller, settings=settings) as loop:
        await run_to_end(loop)
    assert [[image.image_kind for image in projection.images] for projection in policy.projections] == [
        ["clean", "marks"],
        ["clean", "marks"],
    ]


@pytest.mark.req("R-IMG-2")
async def test_waiting_and_looking_draw_no_overlay(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(call("wait", seconds=0), call("look")), reply(call("click", mark=1))])
    async with fake_session(tmp_path, policy) as loop:
        await run_to_end(loop)
        exchanges = [entry for entry in loop.state.transcript.entries if isinstance(entry, Exchange)]
    kinds = [[image.kind for image in exchange.images] for exchange in exchanges]
    assert kinds == [["clean", "marks"], ["clean", "marks", "action"], []]


@pytest.mark.req("R-IMG-12", "R-PRO-1")
async def test_a_request_that_breaks_a_promise_is_named_and_never_sent(tmp_path: Path) -> None:
    policy = ScriptedPolicy([], model_profile=replace(PLAIN, max_request_bytes=100))
    async with fake_session(tmp_path, policy) as loop:
        result = await run_to_end(loop)
    assert (result.status, result.steps, policy.requests) == ("infrastructure", 0, [])
    assert "accepts 100" in result.reason


@pytest.mark.req("R-RUN-2")
async def test_the_list_entry_says_how_the_round_ended(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(call("click", mark=1)), reply(call("finish", success=False, answer="no"))])
    async with fake_session(tmp_path, policy) as loop:
        assert loop.directory.read_info().status == "running"
        await run_to_end(loop)
        info = loop.directory.read_info()
    assert (info.status, info.success, info.answer, info.steps) == ("finished", False, "no", 2)
    assert info.ended_at is not None


@pytest.mark.req("R-CTX-14")
async def test_a_long_result_is_stored_whole_and_shown_as_an_envelope(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(call("click", mark=1), text="x"), reply(call("press_keys", keys="q" * 3000))])
    settings = SessionSettings(result_chars=60)
    async with fake_session(tmp_path, policy, settings=settings) as loop:
        await run_to_end(loop)
        records = loop.state.records
        blobs = loop.directory.blobs
        long = [entry for entry in loop.state.transcript.entries if isinstance(entry, Exchange)][1].results[0]
    assert long.record == records[-1].id
    assert len(long.text) <= 60
    assert len(blobs.get(records[-1].blob)) > 60


@pytest.mark.req("R-CTX-6")
async def test_repeated_call_ids_are_replaced_before_anything_is_stored(tmp_path: Path) -> None:
    policy = ScriptedPolicy(
        [reply(call("click", "a", mark=1), call("click", "a", mark=2)), reply(call("click", "a", mark=1))]
    )
    async with fake_session(tmp_path, policy) as loop:
        await run_to_end(loop)
        ids = [
            item.id
            for entry in loop.state.transcript.entries
            if isinstance(entry, Exchange)
            for item in entry.message.calls
        ]
    assert len(set(ids)) == len(ids)


async def test_a_refusal_is_recorded_with_its_reason(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(call("click", mark=1, at=[1, 2]))])
    async with fake_session(tmp_path, policy) as loop:
        await run_to_end(loop)
        directory = loop.directory
    with open_readonly(directory) as log:
        refused = [event.body for event in log.events() if isinstance(event.body, CallRefused)]
    assert "exactly one" in refused[0].reason


@pytest.mark.req("R-CTX-5")
async def test_an_instruction_stands_where_it_arrived(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(call("click", mark=1)), reply(call("click", mark=2))])
    async with fake_session(tmp_path, policy) as loop:
        async for step in loop.steps():
            if step.step == 1:
                await loop.instruct("Use the second button now.")
    roles = [(message.role, message.section) for message in policy.projections[-1].messages]
    texts = _texts(policy, -1)
    assert texts.count("Use the second button now.") == 1
    assert TASK in texts
    assert ("user", "task") in roles


def _texts(policy: ScriptedPolicy, index: int) -> list[str]:
    bodies = [json.loads(part.body) for part in policy.requests[index].parts]
    return [part["text"] for body in bodies for part in body.get("parts", []) if part["type"] == "text"]


def test_replies_are_typed() -> None:
    assert isinstance(reply(call("look")), Reply)
