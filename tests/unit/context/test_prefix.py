"""Prefix edits are found, explained and measured."""

from __future__ import annotations

import pytest

from harness.context import SentRequest, SimpleCounter, count_message, explain_edit, first_change
from harness.context.counter import count_tools
from harness.values.event import PrefixEdited
from harness.values.message import ReasoningPart, TextPart
from harness.values.projection import (
    ContentPart,
    Lifetime,
    ProjectedMessage,
    Projection,
    Request,
    RequestPart,
    SectionName,
    SectionTokens,
)
from harness.values.tool import ToolDeclaration

_TOOLS = (ToolDeclaration(name="click", description="Click.", parameters_json="{}", owner="device"),)
_COUNTER = SimpleCounter()
_Line = tuple[SectionName, Lifetime, str, int | None]

_SYSTEM: _Line = ("system", "fixed", "S", None)
_TASK: _Line = ("task", "fixed", "T", 1)
_NOTES: _Line = ("notes", "event", "N", None)
_ONE: _Line = ("history", "append_only", "one", 10)
_TWO: _Line = ("history", "append_only", "two", 20)


def _request(*lines: _Line) -> tuple[Request, Projection]:
    messages = tuple(
        ProjectedMessage(role="user", section=section, lifetime=lifetime, parts=_parts(text), entry_seq=seq)
        for section, lifetime, text, seq in lines
    )
    ledger = (
        SectionTokens(name="tools", tokens=count_tools(_TOOLS, _COUNTER)),
        SectionTokens(name="history", tokens=sum(count_message(message, _COUNTER) for message in messages)),
    )
    projection = Projection(step=1, tools=_TOOLS, messages=messages, sections=ledger, images=())
    bodies = ["tools", *(f"{section}:{text}" for section, _, text, _ in lines)]
    parts = tuple(
        RequestPart(sha256=body, body=body.encode(), size_bytes=len(body), message_index=index - 1)
        for index, body in enumerate(bodies)
    )
    return Request(dialect="test", parts=parts), projection


def _parts(text: str) -> tuple[ContentPart, ...]:
    if text.startswith("thought"):
        return (ReasoningPart(text="hm", raw_json="{}", dialect="test"), TextPart(text=text))
    return (TextPart(text=text),)


def _explain(
    before: tuple[_Line, ...], after: tuple[_Line, ...], *, evicted: tuple[str, ...] = ()
) -> PrefixEdited | None:
    previous, _ = _request(*before)
    request, projection = _request(*after)
    kept = tuple(seq for _, _, _, seq in before if seq is not None)
    sent = SentRequest(digests=previous.digests, kept=kept)
    return explain_edit(sent, request, projection, evicted=evicted, counter=_COUNTER)


@pytest.mark.parametrize(
    ("previous", "current", "index"),
    [("", "abc", None), ("ab", "abc", None), ("ab", "ab", None), ("ab", "ax", 1), ("ab", "a", 1), ("ab", "", 0)],
)
def test_first_change(previous: str, current: str, index: int | None) -> None:
    assert first_change(previous, current) == index


@pytest.mark.req("R-PRO-3")
def test_appending_is_no_edit() -> None:
    assert _explain((_SYSTEM, _TASK, _ONE), (_SYSTEM, _TASK, _ONE, _TWO)) is None


@pytest.mark.req("R-PRO-3")
@pytest.mark.parametrize(
    ("before", "after", "evicted", "causes", "index"),
    [
        pytest.param(
            (_SYSTEM, _TASK, _NOTES, _ONE),
            (_SYSTEM, _TASK, _NOTES, ("history", "append_only", "one without", 10)),
            ("s0001-clean",),
            ("images",),
            4,
            id="eviction",
        ),
        pytest.param(
            (_SYSTEM, _TASK, _NOTES, _ONE),
            (_SYSTEM, _TASK, ("notes", "event", "N2", None), _ONE),
            (),
            ("note",),
            3,
            id="note",
        ),
        pytest.param(
            (_SYSTEM, _TASK, _ONE, ("notes", "volatile", "N", None)),
            (_SYSTEM, _TASK, _ONE, _TWO, ("notes", "volatile", "N", None)),
            (),
            ("note",),
            4,
            id="note view that moves to the end",
        ),
        pytest.param(
            (_SYSTEM, _TASK, _ONE, ("notes", "volatile", "N", None)),
            (_SYSTEM, _TASK, _ONE, _TWO, ("notes", "volatile", "N2", None)),
            (),
            ("note",),
            4,
            id="new note view at the end",
        ),
        pytest.param(
            (_SYSTEM, _TASK, _ONE, _TWO),
            (_SYSTEM, _TASK, ("history", "event", "left out", None), _TWO),
            ("s0001-clean",),
            ("history", "images"),
            3,
            id="history and its images",
        ),
        pytest.param(
            (_SYSTEM, _TASK, _NOTES, _ONE),
            (
                _SYSTEM,
                ("task", "fixed", "T2", 30),
                ("notes", "event", "N2", None),
                ("history", "append_only", "T", 1),
                _ONE,
            ),
            (),
            ("instruction", "note"),
            2,
            id="next round",
        ),
        pytest.param(
            (_SYSTEM, _TASK), (("system", "fixed", "S2", None), _TASK), (), ("resume",), 1, id="new system policy"
        ),
        pytest.param(
            (_SYSTEM, _TASK, ("observation", "append_only", "blind, marks", 10)),
            (_SYSTEM, _TASK, ("history", "append_only", "blind", 10)),
            (),
            ("observation",),
            3,
            id="marks of a lost frame",
        ),
    ],
)
def test_every_change_has_its_cause(
    before: tuple[_Line, ...], after: tuple[_Line, ...], evicted: tuple[str, ...], causes: tuple[str, ...], index: int
) -> None:
    edit = _explain(before, after, evicted=evicted)
    assert edit is not None
    assert (edit.causes, edit.cause, edit.first_changed_index) == (causes, causes[0], index)
    assert edit.evicted == evicted


@pytest.mark.req("R-PRO-3")
def test_what_an_edit_costs_is_counted_from_the_first_change_on() -> None:
    lines: tuple[_Line, ...] = (_SYSTEM, ("history", "append_only", "thought one", 10), _ONE)
    tail: tuple[_Line, ...] = (("history", "append_only", "thought two", 30), _TWO)
    edit = _explain((*lines, *tail), (*lines[:2], ("history", "append_only", "changed", 10), *tail), evicted=("s",))
    assert edit is not None
    assert edit.voided_reasoning == 1
    assert edit.tokens_resent == (4 + 2) + (4 + 1 + 3) + (4 + 1)


def test_a_part_taken_from_the_end_is_an_edit() -> None:
    edit = _explain((_SYSTEM, _TASK, _ONE), (_SYSTEM, _TASK))
    assert edit is not None
    assert (edit.cause, edit.first_changed_index, edit.tokens_resent) == ("history", 3, 0)
