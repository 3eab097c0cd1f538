"""What holds for every request of every session: selection, projection, checks and prefix edits together."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.context import (
    Expectation,
    HistorySelection,
    ProjectionInputs,
    Projector,
    SentRequest,
    SimpleCounter,
    explain_edit,
    find_problems,
    first_change,
    select_history,
)
from harness.testing.sessions import Moment, grow_session
from harness.values.profile import PLAIN, NoteViewPlace
from harness.values.projection import ImagePart, ProjectedMessage, Projection, Request, RequestPart
from harness.values.settings import HistoryPolicy
from harness.values.tool import ToolDeclaration
from harness.values.transcript import Exchange, Instruction
from harness.window import WindowSelection, select_images

_TOOLS = (ToolDeclaration(name="click", description="Click.", parameters_json="{}", owner="device"),)
_many = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
_setups = st.builds(
    lambda seed, budget, policy, place: _Setup(seed=seed, budget=budget, policy=policy, place=place),
    st.integers(0, 2**32),
    st.integers(0, 10),
    st.sampled_from(
        [
            HistoryPolicy(),
            HistoryPolicy(kind="recent_exchanges", amount=3),
            HistoryPolicy(kind="recent_exchanges", amount=8),
            HistoryPolicy(kind="recent_tokens", amount=400),
        ]
    ),
    st.sampled_from(["before_history", "end"]),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setup:
    seed: int
    budget: int
    policy: HistoryPolicy
    place: NoteViewPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sent:
    """One request on its way, with everything it was made from."""

    moment: Moment
    history: HistorySelection
    selection: WindowSelection
    inputs: ProjectionInputs
    projection: Projection
    request: Request

    @property
    def summary(self) -> SentRequest:
        return SentRequest(digests=self.request.digests, kept=tuple(entry.seq for entry in self.history.kept))


def _send_all(setup: _Setup, projector: Projector | None = None) -> Iterator[_Sent]:
    projector = projector or Projector()
    shown: tuple[ImagePart, ...] = ()
    born_after = 0
    for moment in grow_session(random.Random(setup.seed), steps=16):
        history = select_history(moment.transcript.entries, setup.policy, count=projector.count_exchange)
        selection = select_images(
            history.kept,
            previous=shown,
            budget=setup.budget,
            low_water_divisor=3,
            last_step=moment.last_step,
            marks_image=True,
            born_after_seq=born_after,
        )
        inputs = ProjectionInputs(
            step=moment.last_step + 1,
            system="You act on a screen.",
            tools=_TOOLS,
            history=history,
            selection=selection,
            image_budget=setup.budget,
            note_view=f"{moment.notes} notes",
            fence_token="a1b2c3d4e5f6",
            note_view_place=setup.place,
        )
        projection = projector.project(inputs)
        yield _Sent(
            moment=moment,
            history=history,
            selection=selection,
            inputs=inputs,
            projection=projection,
            request=_render(projection),
        )
        shown, born_after = selection.shown, moment.seq


def _render(projection: Projection) -> Request:
    """Render like a dialect: what a provider gets, without sections or lifetimes."""
    bodies = [repr(projection.tools).encode()]
    bodies.extend(
        repr((message.role, message.parts, message.call_id, message.is_error)).encode()
        for message in projection.messages
    )
    return Request(
        dialect="test",
        parts=tuple(
            RequestPart(
                sha256=hashlib.sha256(body).hexdigest(), body=body, size_bytes=len(body), message_index=index - 1
            )
            for index, body in enumerate(bodies)
        ),
    )


def _expect(sent: _Sent) -> Expectation:
    return Expectation(
        entries=sent.moment.transcript.entries,
        kept=sent.history.kept,
        system=sent.inputs.system,
        note_view=sent.inputs.note_view,
        images=sent.selection.shown,
        image_budget=sent.inputs.image_budget,
        profile=PLAIN,
    )


@pytest.mark.req("R-PRO-1")
@pytest.mark.req("R-CTX-6")
@_many
@given(setup=_setups)
def test_every_request_holds_its_five_parts_and_is_valid_for_a_provider(setup: _Setup) -> None:
    for sent in _send_all(setup):
        assert find_problems(sent.projection, _expect(sent)) == ()


@pytest.mark.req("R-PRO-3")
@_many
@given(setup=_setups)
def test_sent_bytes_change_only_with_a_counted_cause(setup: _Setup) -> None:
    previous: _Sent | None = None
    for sent in _send_all(setup):
        if previous is not None:
            _check_edit(previous, sent)
        previous = sent


def _check_edit(previous: _Sent, sent: _Sent) -> None:
    index = first_change(previous.request.digests, sent.request.digests)
    edit = explain_edit(
        previous.summary,
        sent.request,
        sent.projection,
        evicted=sent.selection.evicted,
        counter=SimpleCounter(),
    )
    reasons = _reasons(previous, sent)
    if edit is None:
        assert index is None
        return
    assert reasons, f"bytes at part {index} changed without a reason"
    assert edit.first_changed_index == index
    assert edit.cause == edit.causes[0]
    assert set(edit.causes) <= reasons
    assert edit.evicted == sent.selection.evicted
    assert edit.tokens_resent > 0


def _reasons(previous: _Sent, sent: _Sent) -> set[str]:
    """Every reason there is for sent bytes to change, worked out from the inputs alone."""
    reasons = set()
    if sent.selection.evicted:
        reasons.add("images")
    if not set(previous.summary.kept) <= set(sent.summary.kept):
        reasons.add("history")
    if sent.inputs.note_view != previous.inputs.note_view or sent.inputs.note_view_place == "end":
        reasons.add("note")
    if _task(sent) != _task(previous):
        reasons.add("instruction")
    sight = previous.moment.transcript.current_sight
    assert sight is not None
    assert sight.observation is not None
    if sight is not sent.moment.transcript.current_sight and sight.observation.frame is None:
        reasons.add("observation")
    return reasons


def _task(sent: _Sent) -> Instruction:
    return next(
        entry for entry in reversed(sent.moment.transcript.entries) if isinstance(entry, Instruction) and entry.is_task
    )


@pytest.mark.req("R-MEM-6")
@_many
@given(setup=_setups)
def test_the_note_view_stands_once_where_the_profile_says(setup: _Setup) -> None:
    for sent in _send_all(setup):
        sections = [message.section for message in sent.projection.messages]
        assert sections.count("notes") == 1
        if setup.place == "end":
            assert sections[-1] == "notes"
        else:
            assert sections[:3] == ["system", "task", "notes"]


@pytest.mark.req("R-CTX-2")
@pytest.mark.req("R-CTX-5")
@_many
@given(setup=_setups)
def test_history_drops_complete_exchanges_only_and_says_which(setup: _Setup) -> None:
    for sent in _send_all(setup):
        entries = sent.moment.transcript.entries
        gone = [entry for entry in entries if entry not in sent.history.kept]
        assert all(not isinstance(entry, Instruction) for entry in gone)
        assert sent.moment.transcript.current_sight in sent.history.kept
        steps = [entry.step for entry in gone if isinstance(entry, Exchange)]
        ranges = [range(item.first, item.last + 1) for item in sent.history.dropped]
        assert [step for item in ranges for step in item] == steps
        if setup.policy.kind == "recent_exchanges":
            newest = [entry for entry in entries if isinstance(entry, Exchange)][-setup.policy.amount :]
            assert all(entry in sent.history.kept for entry in newest)
            kept = [entry for entry in sent.history.kept if isinstance(entry, Exchange)]
            assert len(kept) <= setup.policy.amount + 2


@_many
@given(setup=_setups)
def test_every_message_is_counted_in_one_section(setup: _Setup) -> None:
    for sent in _send_all(setup):
        sections = {message.section for message in sent.projection.messages} | {"tools"}
        assert [item.name for item in sent.projection.sections] == [
            name for name in ("system", "tools", "task", "notes", "history", "observation") if name in sections
        ]
        assert all(item.tokens > 0 for item in sent.projection.sections)


@_many
@given(setup=_setups)
def test_what_a_projector_remembers_changes_nothing(setup: _Setup) -> None:
    for sent in _send_all(setup):
        assert Projector().project(sent.inputs) == sent.projection
    again = Projector()
    for sent in _send_all(setup, again):
        assert Projector().project(replace(sent.inputs, fence_token="ffffffffffff")) == again.project(
            replace(sent.inputs, fence_token="ffffffffffff")
        )


@pytest.mark.req("R-IMG-11")
@_many
@given(setup=_setups)
def test_a_marks_list_stands_as_long_as_its_frame(setup: _Setup) -> None:
    for sent in _send_all(setup):
        covered = sent.selection.covered
        sight = sent.moment.transcript.current_sight
        for entry in sent.history.kept:
            if isinstance(entry, Instruction) or entry.observation is None or not entry.observation.marks:
                continue
            frame = next((item.id for item in entry.images if item.kind == "clean"), None)
            stands = setup.budget == 0 or entry is sight or frame in covered
            assert _lists_marks(sent.projection.messages, entry.seq) is stands


def _lists_marks(messages: tuple[ProjectedMessage, ...], seq: int) -> bool:
    texts = [
        part.text for message in messages if message.entry_seq == seq for part in message.parts if part.kind == "text"
    ]
    return any(text.startswith("<<page ") for text in texts)
