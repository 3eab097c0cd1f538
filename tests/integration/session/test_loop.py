"""The session loop over fakes: windows, notes, refusals, the log."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_session import TASK, fake_session, request_texts, run_to_end

from harness.memory.store import read_notes, select_active
from harness.session.fold import fold
from harness.session.log import open_readonly
from harness.testing.fakes import FakeController
from harness.testing.policies import ScriptedPolicy, call, reply
from harness.values.event import CallRefused, IntentRecorded, OutcomeRecorded, PrefixEdited
from harness.values.message import Reply
from harness.values.profile import PLAIN
from harness.values.settings import HistoryPolicy, Limits, SessionSettings
from harness.values.transcript import Exchange, RuntimeCapture

NOTE = call("web_note", text="the code is 7731", kind="fact", reason="needed later", key="code")


def note_files(folder: Path) -> list[Path]:
    return list(folder.rglob("working_memory*"))


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
    views = [text for text in request_texts(policy, 1) if "the code is 7731" in text]
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
    view = next(text for text in request_texts(policy, 3) if "ask for Ada" in text)
    assert ("7731" in view, "8842" in view) == (False, True)


@pytest.mark.req("R-CFG-5", "R-MEM-1")
async def test_with_notes_off_there_is_neither_tool_nor_view_nor_store(tmp_path: Path) -> None:
    policy = ScriptedPolicy([reply(NOTE)])
    async with fake_session(tmp_path, policy, settings=SessionSettings(note_view_chars=0)) as loop:
        await run_to_end(loop)
        exchange = next(entry for entry in loop.state.transcript.entries if isinstance(entry, Exchange))
    assert exchange.results[0].is_error
    assert not any(message.section == "notes" for message in policy.projections[-1].messages)
    assert not note_files(tmp_path)


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
    assert any('[1] button "OK"' in text for text in request_texts(policy, -1))
    assert any("-marks" in text for text in request_texts(policy, -1)) is has_image, (
        "what can't be shown is never missed"
    )


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
    texts = request_texts(policy, -1)
    assert texts.count("Use the second button now.") == 1
    assert TASK in texts
    assert ("user", "task") in roles


def test_replies_are_typed() -> None:
    assert isinstance(reply(call("look")), Reply)
