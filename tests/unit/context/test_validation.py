"""The last check names what is absent, parted or too much."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from harness.context import (
    Expectation,
    HistorySelection,
    ProjectionInputs,
    Projector,
    find_problems,
    find_request_problems,
)
from harness.testing.sessions import SessionBuilder
from harness.values.message import TextPart, ToolCall
from harness.values.profile import PLAIN
from harness.values.projection import ImagePart, ProjectedMessage, Projection, Request, RequestPart
from harness.values.transcript import Entry, Exchange
from harness.window import select_images

_Change = Callable[[list[ProjectedMessage]], list[ProjectedMessage]]


def _request() -> tuple[Projection, Expectation]:
    builder = SessionBuilder(random.Random(4), screens=1000)
    builder.add_task()
    builder.add_capture()
    builder.add_step("large")
    builder.add_instruction()
    builder.add_step("batch")
    entries = builder.moment.transcript.entries
    selection = select_images(
        entries, previous=(), budget=10, low_water_divisor=3, last_step=2, marks_image=True, born_after_seq=0
    )
    inputs = ProjectionInputs(
        step=3,
        system="You act.",
        tools=(),
        history=HistorySelection(kept=entries),
        selection=selection,
        image_budget=10,
        note_view="(none)",
        fence_token="a1b2c3d4e5f6",
    )
    expectation = Expectation(
        entries=entries,
        kept=entries,
        system="You act.",
        note_view="(none)",
        images=selection.shown,
        image_budget=10,
        profile=PLAIN,
    )
    return Projector().project(inputs), expectation


def _changed(change: _Change) -> tuple[str, ...]:
    projection, expectation = _request()
    messages = tuple(change(list(projection.messages)))
    return find_problems(replace(projection, messages=messages), expectation)


def _without(section: str) -> _Change:
    return lambda messages: [message for message in messages if message.section != section]


def _last_tool(messages: Sequence[ProjectedMessage]) -> int:
    return max(index for index, message in enumerate(messages) if message.role == "tool")


def test_a_whole_request_has_no_problems() -> None:
    assert find_problems(*_request()) == ()


@pytest.mark.req("R-PRO-1")
@pytest.mark.parametrize(
    ("section", "problem"),
    [
        ("system", "the system policy does not stand in the request exactly once"),
        ("task", "the task does not stand in the request exactly once and whole"),
        ("notes", "the active note view must stand exactly once and whole; the request has 0 note views"),
        ("observation", "the current observation (step 2) does not stand in the request exactly once"),
        ("history", "is absent"),
    ],
)
def test_each_absent_part_is_named(section: str, problem: str) -> None:
    assert any(problem in found for found in _changed(_without(section)))


@pytest.mark.req("R-PRO-1")
def test_absent_images_are_named() -> None:
    def strip(messages: list[ProjectedMessage]) -> list[ProjectedMessage]:
        return [
            replace(message, parts=tuple(part for part in message.parts if not isinstance(part, ImagePart)))
            for message in messages
        ]

    assert any("s0002-clean" in found for found in _changed(strip))


@pytest.mark.req("R-MEM-6")
def test_a_second_or_altered_note_view_is_refused() -> None:
    assert any(
        "2 note views" in found for found in _changed(lambda messages: [*messages[:3], messages[2], *messages[3:]])
    )
    altered = _changed(
        lambda messages: [*messages[:2], replace(messages[2], parts=(TextPart(text="(n"),)), *messages[3:]]
    )
    assert any("note view" in found for found in altered)
    projection, expectation = _request()
    assert "notes are off but the request has 1 note views" in find_problems(
        projection, replace(expectation, note_view=None)
    )


@pytest.mark.req("R-CTX-5")
def test_an_instruction_that_is_not_whole_is_refused() -> None:
    def shorten(messages: list[ProjectedMessage]) -> list[ProjectedMessage]:
        return [
            replace(message, parts=(TextPart(text="Also look"),))
            if message.section == "task" and message.lifetime == "append_only"
            else message
            for message in messages
        ]

    assert any(found.startswith("the instruction at ") for found in _changed(shorten))


@pytest.mark.req("R-CTX-6")
def test_a_call_without_its_result_is_named() -> None:
    def part(messages: list[ProjectedMessage]) -> list[ProjectedMessage]:
        first = next(index for index, message in enumerate(messages) if message.role == "tool")
        return messages[:first] + messages[first + 1 :]

    assert "the call 'call-1' has no result" in _changed(part)


@pytest.mark.req("R-CTX-6")
def test_a_result_that_does_not_follow_its_call_is_named() -> None:
    late = _changed(lambda messages: [*messages, messages[_last_tool(messages) - 3]])
    assert any("does not follow directly" in found or "more than one result" in found for found in late)
    foreign = _changed(lambda messages: [*messages[:-1], replace(messages[-1], call_id="call-77")])
    assert "the result of 'call-77' does not follow directly on the reply that called it" in foreign


@pytest.mark.req("R-CTX-6")
def test_a_second_result_and_a_repeated_id_are_named() -> None:
    twice = _changed(lambda messages: [*messages, messages[-1]])
    assert any(found.endswith("has more than one result") for found in twice)

    def repeat(messages: list[ProjectedMessage]) -> list[ProjectedMessage]:
        call = ToolCall(id="call-1", name="click", arguments_json="{}")
        at = max(index for index, message in enumerate(messages) if message.role == "assistant")
        parts = (*messages[at].parts, call)
        return [*messages[:at], replace(messages[at], parts=parts), *messages[at + 1 :]]

    assert "the call id 'call-1' stands in the request more than once" in _changed(repeat)


@pytest.mark.req("R-CTX-6")
def test_only_the_newest_exchange_may_be_open() -> None:
    projection, expectation = _request()
    newest = expectation.kept[-1]
    assert isinstance(newest, Exchange)
    open_call = newest.message.calls[0].id
    messages = tuple(message for message in projection.messages if message.call_id != open_call)
    assert find_problems(replace(projection, messages=messages), expectation) == ()


@pytest.mark.req("R-IMG-1")
@pytest.mark.req("R-IMG-12")
def test_too_many_and_too_large_images_are_named() -> None:
    projection, expectation = _request()
    over = find_problems(projection, replace(expectation, image_budget=2))
    assert any("prompt.screenshot_window_images allows 2" in found for found in over)
    capped = replace(expectation, profile=replace(PLAIN, max_images=1, max_image_bytes=5))
    found = find_problems(projection, capped)
    assert any("plain accepts 1" in problem for problem in found)
    assert any(problem.startswith("s0002-clean has ") for problem in found)


@pytest.mark.req("R-IMG-1")
def test_a_blob_that_stands_twice_is_named() -> None:
    projection, expectation = _request()
    image = projection.images[-1]
    messages = (
        *projection.messages[:-1],
        replace(projection.messages[-1], parts=(image, *projection.messages[-1].parts)),
    )
    found = find_problems(replace(projection, messages=messages), expectation)
    assert f"the blob {image.sha256} stands in the request 2 times" in found


@pytest.mark.req("R-CTX-5")
def test_what_a_history_policy_must_not_drop_is_checked_against_the_whole_transcript() -> None:
    projection, expectation = _request()
    kept: tuple[Entry, ...] = tuple(entry for entry in expectation.kept if entry.kind != "instruction")
    messages = tuple(message for message in projection.messages if message.section != "task")
    found = find_problems(replace(projection, messages=messages), replace(expectation, kept=kept))
    assert "the task does not stand in the request exactly once and whole" in found


def test_entries_out_of_order_or_not_retained_are_named() -> None:
    swapped = _changed(lambda messages: [*messages[:3], *messages[5:], *messages[3:5]])
    assert "the retained entries do not stand in their order" in swapped
    projection, expectation = _request()
    found = find_problems(projection, replace(expectation, kept=expectation.kept[:-1]))
    assert any("which is not retained" in problem for problem in found)


def test_nothing_to_show_is_named() -> None:
    projection, expectation = _request()
    found = find_problems(projection, replace(expectation, entries=(), kept=()))
    assert "the task is absent: no round has begun" in found
    assert "the current observation is absent: nothing was captured yet" in found


@pytest.mark.req("R-IMG-12")
def test_a_request_over_the_byte_limit_is_refused() -> None:
    request = Request(dialect="test", parts=(RequestPart(sha256="a", body=b"", size_bytes=11),))
    assert find_request_problems(request, PLAIN) == ()
    assert find_request_problems(request, replace(PLAIN, max_request_bytes=11)) == ()
    assert find_request_problems(request, replace(PLAIN, max_request_bytes=10)) == (
        "the request has 11 bytes but plain accepts 10; lower the image budget",
    )
