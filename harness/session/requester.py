"""From state to a stored, validated request."""

from __future__ import annotations

from dataclasses import dataclass

from harness.context import (
    Expectation,
    HistorySelection,
    ProjectionInputs,
    Projector,
    SentRequest,
    SimpleCounter,
    explain_edit,
    find_problems,
    find_request_problems,
    select_history,
)
from harness.errors import InvalidRequest
from harness.memory.view import render_note_view
from harness.protocols import Policy
from harness.session.recorder import Recorder
from harness.session.state import SessionState
from harness.values.event import EventBody, RequestBuilt, SessionOpened
from harness.values.profile import ModelProfile
from harness.values.projection import Projection, Request
from harness.values.settings import SessionSettings
from harness.window import WindowSelection, select_images


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A request on its way: what was chosen, what it shows, its bytes."""

    history: HistorySelection
    selection: WindowSelection
    note_view: str | None
    projection: Projection
    request: Request


def image_budget(settings: SessionSettings, profile: ModelProfile) -> int:
    """Return the images a request may carry: the configured budget within the model's cap."""
    cap = profile.max_images
    return settings.image_budget if cap is None else min(settings.image_budget, cap)


class Requester:
    """Builds the request of the next step and records what it changed."""

    def __init__(self, recorder: Recorder, policy: Policy) -> None:
        self._recorder = recorder
        self._policy = policy
        self._counter = policy.counter or SimpleCounter()
        self._projector = Projector(self._counter)
        self._sent: SentRequest | None = None

    def build(self) -> Request:
        """Select, project, render, validate, store; return the request to send.

        Raises:
            InvalidRequest: the request would break a promise; nothing was recorded or sent.
            StorageError: it could not be stored.
        """
        state = self._recorder.state
        opened = state.opened
        assert opened is not None, "a request before the session was opened"
        draft = self._draft(state, opened)
        _validate(state, opened, draft)
        self._recorder.record_request(draft.request, self._events(state, draft), step=state.step + 1, attempt=1)
        self._sent = SentRequest(digests=draft.request.digests, kept=self._recorder.state.kept)
        return draft.request

    def _draft(self, state: SessionState, opened: SessionOpened) -> _Draft:
        settings, profile = opened.settings, opened.profile
        history = select_history(
            state.transcript.entries,
            settings.history,
            count=self._projector.count_exchange,
            closed_until_seq=state.born_after,
            instructions=state.instructions,
        )
        selection = select_images(
            history.kept,
            previous=state.shown,
            budget=image_budget(settings, profile),
            low_water_divisor=profile.low_water_divisor,
            last_step=state.step,
            marks_image=settings.marks_image,
            born_after_seq=state.born_after,
        )
        note_view = _note_view(state, opened)
        projection = self._projector.project(
            ProjectionInputs(
                step=state.step + 1,
                system=opened.system,
                tools=opened.tools,
                history=history,
                selection=selection,
                image_budget=image_budget(settings, profile),
                note_view=note_view,
                fence_token=opened.fence_token,
                note_view_place=profile.note_view_place,
                result_chars=settings.result_chars,
            )
        )
        return _Draft(
            history=history,
            selection=selection,
            note_view=note_view,
            projection=projection,
            request=self._policy.render(projection),
        )

    def _events(self, state: SessionState, draft: _Draft) -> tuple[EventBody, ...]:
        evicted = draft.selection.evicted
        sent, request, projection = self._sent, draft.request, draft.projection
        edit = None if sent is None else explain_edit(sent, request, projection, evicted=evicted, counter=self._counter)
        built = RequestBuilt(
            attempt=1,
            dialect=request.dialect,
            images=projection.images,
            not_shown=draft.selection.not_shown,
            sections=projection.sections,
            kept=tuple(entry.seq for entry in draft.history.kept),
            estimated_tokens=projection.estimated_tokens,
            size_bytes=request.size_bytes,
            parts=len(request.parts),
            reused_parts=0 if sent is None else len(sent.digests) if edit is None else edit.first_changed_index,
        )
        return (built,) if edit is None else (edit, built)


def _note_view(state: SessionState, opened: SessionOpened) -> str | None:
    limit_chars = opened.settings.note_view_chars
    if limit_chars == 0:
        return None
    return render_note_view(state.notes, limit_chars=limit_chars, token=opened.fence_token)


def _validate(state: SessionState, opened: SessionOpened, draft: _Draft) -> None:
    expectation = Expectation(
        entries=state.transcript.entries,
        kept=draft.history.kept,
        system=opened.system,
        note_view=draft.note_view,
        images=draft.selection.shown,
        image_budget=image_budget(opened.settings, opened.profile),
        profile=opened.profile,
        instructions=state.instructions,
    )
    problems = (
        *find_problems(draft.projection, expectation),
        *find_request_problems(draft.request, opened.profile),
    )
    if problems:
        raise InvalidRequest(
            f"the request of step {state.step + 1} was not sent: {'; '.join(problems)}; "
            "please report this with the session directory"
        )
