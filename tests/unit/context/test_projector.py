"""What stands in a request, and in which words."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from harness.context import HistorySelection, ProjectionInputs, Projector, select_history
from harness.testing.sessions import SessionBuilder
from harness.values.message import AssistantMessage, TextPart, ToolCall
from harness.values.projection import ImagePart, ProjectedMessage, Projection
from harness.values.settings import HistoryPolicy
from harness.values.transcript import Entry, Exchange, Instruction
from harness.values.window import WindowSelection
from harness.window import select_images


def _builder(*, screens: int = 1000) -> SessionBuilder:
    builder = SessionBuilder(random.Random(5), screens=screens)
    builder.add_task()
    builder.add_capture()
    return builder


def _inputs(entries: Sequence[Entry], *, budget: int = 3, previous: tuple[ImagePart, ...] = ()) -> ProjectionInputs:
    last_step = max((entry.step for entry in entries if isinstance(entry, Exchange)), default=0)
    return ProjectionInputs(
        step=last_step + 1,
        system="You act on a screen.",
        tools=(),
        history=HistorySelection(kept=tuple(entries)),
        selection=select_images(
            entries, previous=previous, budget=budget, low_water_divisor=3, last_step=last_step, marks_image=True
        ),
        image_budget=budget,
        note_view="<<notes a1b2c3d4e5f6>>\n(none)\n<</notes a1b2c3d4e5f6>>",
        fence_token="a1b2c3d4e5f6",
    )


def _texts(message: ProjectedMessage) -> list[str]:
    return [part.text for part in message.parts if isinstance(part, TextPart)]


def _of(projection: Projection, entry: Entry) -> list[ProjectedMessage]:
    return [message for message in projection.messages if message.entry_seq == entry.seq]


@pytest.mark.req("R-PRO-3")
def test_the_order_is_system_task_notes_history() -> None:
    builder = _builder()
    builder.add_step("act")
    projection = Projector().project(_inputs(builder.moment.transcript.entries))
    shape = [(message.role, message.section, message.lifetime) for message in projection.messages]
    assert shape[:4] == [
        ("system", "system", "fixed"),
        ("user", "task", "fixed"),
        ("user", "notes", "event"),
        ("user", "history", "append_only"),
    ]
    assert shape[4] == ("assistant", "history", "append_only")
    assert shape[-1] == ("tool", "observation", "append_only")


@pytest.mark.req("R-MEM-6")
def test_the_note_view_can_stand_last() -> None:
    inputs = replace(_inputs(_builder().moment.transcript.entries), note_view_place="end")
    projection = Projector().project(inputs)
    assert [message.section for message in projection.messages] == ["system", "task", "observation", "notes"]
    assert projection.messages[-1].lifetime == "volatile"


@pytest.mark.req("R-CFG-5")
def test_without_notes_there_is_no_view() -> None:
    inputs = replace(_inputs(_builder().moment.transcript.entries), note_view=None)
    assert all(message.section != "notes" for message in Projector().project(inputs).messages)


@pytest.mark.req("R-IMG-11")
def test_a_result_carries_text_observation_marks_and_labelled_images() -> None:
    builder = _builder()
    exchange = builder.add_step("large")
    projection = Projector().project(_inputs(builder.moment.transcript.entries, budget=3))
    carrier = _of(projection, exchange)[-1]
    kinds = [part.kind for part in carrier.parts]
    assert kinds == ["text", "text", "text", "text", "image", "text", "image", "text", "image"]
    texts = _texts(carrier)
    assert texts[0] == exchange.results[-1].text
    assert texts[1].startswith("Screen after step 1: frame s0001-clean, ")
    assert texts[2].startswith("<<page a1b2c3d4e5f6>>\n[1] button ")
    assert texts[3:] == [
        "Image s0001-action (action of step 1, drawn on the frame it was decided on):",
        "Image s0001-clean (clean frame after step 1):",
        "Image s0001-marks (frame after step 1 with numbered marks):",
    ]


@pytest.mark.req("R-IMG-13")
@pytest.mark.case("G34")
def test_an_evicted_frame_leaves_one_plain_sentence_and_takes_its_marks_along() -> None:
    builder = _builder()
    first = builder.add_step("large")
    before = _inputs(builder.moment.transcript.entries).selection.shown
    builder.add_step("large")
    entries = builder.moment.transcript.entries
    inputs = _inputs(entries, previous=before)
    selection = select_images(
        entries,
        previous=before,
        budget=3,
        low_water_divisor=3,
        last_step=2,
        marks_image=True,
        born_after_seq=first.seq,
    )
    projection = Projector().project(replace(inputs, selection=selection))
    texts = _texts(_of(projection, first)[-1])
    assert texts[1].startswith("Screen after step 1: frame s0001-clean, ")
    assert texts[2:] == [
        "s0001-action, s0001-clean and s0001-marks are not shown: image budget 3;"
        " the marks of that frame are not listed either."
    ]
    assert not set(texts[2]) & set("[]{}<>()|=")


@pytest.mark.req("R-IMG-2")
def test_a_requested_image_stands_with_its_call_and_one_without_a_slot_is_said_for_good() -> None:
    builder = _builder()
    recall = builder.add_step("recall")
    own = {image.action_id for image in recall.images}
    shown = Projector().project(_inputs(builder.moment.transcript.entries, budget=4))
    for message in _of(shown, recall):
        has_image = any(isinstance(part, ImagePart) for part in message.parts)
        assert has_image is (message.call_id in own)
    unshown = _inputs(builder.moment.transcript.entries, budget=1)
    first = _of(Projector().project(unshown), recall)
    assert any("not shown: image budget 1." in text for message in first for text in _texts(message))
    builder.add_step("note")
    later = replace(unshown, history=HistorySelection(kept=builder.moment.transcript.entries))
    assert _of(Projector().project(replace(later, selection=unshown.selection)), recall) == first


@pytest.mark.req("R-IMG-8")
def test_equal_pixels_are_named_where_they_stand_and_change_no_sent_bytes() -> None:
    builder = _builder(screens=1)
    capture = next(entry for entry in builder.moment.transcript.entries if not isinstance(entry, Instruction))
    before = _inputs(builder.moment.transcript.entries, budget=10)
    exchange = builder.add_step("act")
    after = _inputs(builder.moment.transcript.entries, budget=10, previous=before.selection.shown)
    projector = Projector()
    sent, again = _of(projector.project(before), capture), _of(projector.project(after), capture)
    assert [message.parts for message in again] == [message.parts for message in sent]
    clean = f"s{exchange.step:04d}-clean"
    assert f"Frame {clean} has the same pixels as s0000-clean, which is shown above." in [
        text for message in _of(projector.project(after), exchange) for text in _texts(message)
    ]
    assert next((part.artifact, part.also) for part in projector.project(after).images) == ("s0000-clean", (clean,))


@pytest.mark.req("R-IMG-3")
def test_at_budget_0_marks_lists_stay_for_good() -> None:
    builder = _builder()
    first = builder.add_step("large")
    projector = Projector()
    before = _of(projector.project(_inputs(builder.moment.transcript.entries, budget=0)), first)
    builder.add_step("large")
    after = _of(projector.project(_inputs(builder.moment.transcript.entries, budget=0)), first)
    assert [message.parts for message in after] == [message.parts for message in before]
    assert any(text.startswith("<<page ") for text in _texts(after[-1]))


@pytest.mark.req("R-CTX-5")
def test_an_instruction_stands_as_a_user_message_where_it_arrived() -> None:
    builder = _builder()
    builder.add_step("act")
    added = builder.add_instruction()
    builder.add_step("note")
    projection = Projector().project(_inputs(builder.moment.transcript.entries))
    roles = [message.role for message in projection.messages]
    message = _of(projection, added)[0]
    at = projection.messages.index(message)
    assert (message.role, message.section, _texts(message)) == ("user", "task", [added.text])
    assert roles[at - 1] == "tool"
    assert roles[at + 1] == "assistant"


def test_the_task_of_an_earlier_round_stands_in_the_history() -> None:
    builder = _builder()
    builder.add_step("act")
    second = builder.add_task()
    first = builder.moment.transcript.entries[0]
    projection = Projector().project(_inputs(builder.moment.transcript.entries))
    assert [message.entry_seq for message in projection.messages if message.section == "task"] == [second.seq]
    assert projection.messages[1].entry_seq == second.seq
    assert [message.section for message in _of(projection, first)] == ["history"]


@pytest.mark.req("R-RUN-1")
def test_a_reply_without_a_call_is_told_so() -> None:
    builder = _builder()
    exchange = builder.add_step("text")
    messages = _of(Projector().project(_inputs(builder.moment.transcript.entries)), exchange)
    assert [message.role for message in messages] == ["assistant", "user"]
    assert "called no tool" in _texts(messages[1])[0]
    empty = replace(exchange, message=AssistantMessage(parts=()))
    entries = (*builder.moment.transcript.entries[:-1], empty)
    assert [message.role for message in _of(Projector().project(_inputs(entries)), empty)] == ["user"]


@pytest.mark.req("R-CTX-2")
def test_steps_left_out_are_named_with_the_tool_that_reads_them() -> None:
    builder = _builder()
    for _ in range(6):
        builder.add_step("act")
    history = select_history(
        builder.moment.transcript.entries, HistoryPolicy(kind="recent_exchanges", amount=2), count=lambda _: 1
    )
    inputs = replace(_inputs(history.kept), history=history)
    text = _texts(Projector().project(inputs).messages[3])[0]
    assert text.startswith("Steps 1 to 4 are left out here.")
    assert "read_record" in text


@pytest.mark.req("R-CTX-6")
def test_an_open_call_has_no_result_and_a_repeated_or_foreign_result_is_not_shown() -> None:
    builder = _builder()
    exchange = builder.add_step("act")
    extra = ToolCall(id="call-open", name="click", arguments_json="{}")
    result = exchange.results[0]
    broken = replace(
        exchange,
        message=AssistantMessage(parts=(*exchange.message.parts, extra)),
        results=(*exchange.results, replace(result, text="again"), replace(result, call_id="call-foreign")),
    )
    entries = (*builder.moment.transcript.entries[:-1], broken)
    messages = _of(Projector().project(_inputs(entries)), broken)
    assert [message.call_id for message in messages if message.role == "tool"] == [
        call.id for call in exchange.message.calls
    ]
    assert "again" not in {text for message in messages for text in _texts(message)}


def test_a_failed_call_is_marked_as_an_error() -> None:
    builder = _builder()
    exchange = builder.add_step("refused")
    messages = _of(Projector().project(_inputs(builder.moment.transcript.entries)), exchange)
    assert all(message.is_error for message in messages if message.role == "tool")


def test_an_empty_result_says_so() -> None:
    builder = _builder()
    exchange = builder.add_step("note")
    silent = replace(exchange, results=tuple(replace(result, text="") for result in exchange.results))
    messages = _of(Projector().project(_inputs((*builder.moment.transcript.entries[:-1], silent))), silent)
    assert {text for message in messages if message.role == "tool" for text in _texts(message)} == {
        "The tool returned no text."
    }


def test_unchanged_messages_are_the_same_objects() -> None:
    builder = _builder()
    exchange = builder.add_step("act")
    projector = Projector()
    first = _of(projector.project(_inputs(builder.moment.transcript.entries)), exchange)
    builder.add_step("note")
    second = _of(projector.project(_inputs(builder.moment.transcript.entries)), exchange)
    assert all(one is other for one, other in zip(first, second, strict=True))


def test_a_selection_that_shows_nothing_gives_no_images() -> None:
    inputs = replace(_inputs(_builder().moment.transcript.entries), selection=WindowSelection())
    assert Projector().project(inputs).images == ()


def test_an_exchange_is_counted_without_images_and_marks() -> None:
    builder = _builder()
    exchange = builder.add_step("act")
    projector = Projector()
    plain = projector.count_exchange(exchange)
    projector.project(_inputs(builder.moment.transcript.entries))
    assert projector.count_exchange(exchange) == plain > 0
