"""The fold: one pure function from events to state, used by every reader."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harness.session.state import CAPTURE_ACTION, SessionState, Totals, evolve
from harness.values.artifact import Artifact
from harness.values.event import (
    ArtifactStored,
    CallRefused,
    Event,
    EventBody,
    InstructionAdded,
    IntentRecorded,
    Interrupted,
    NoteIngested,
    OutcomeRecorded,
    PrefixEdited,
    QuestionAsked,
    ReplyReceived,
    RequestBuilt,
    RoundEnded,
    RoundStarted,
    SessionOpened,
    StepValidated,
    ToolResultRecorded,
    UnknownEvent,
)
from harness.values.note import Note
from harness.values.transcript import Entry, Exchange, Instruction, RuntimeCapture, Transcript
from harness.values.validation import StallState

_IMAGE_ORDER = {"raw": 0, "clean": 1, "zoom": 2, "recall": 2, "skill": 2, "marks": 3, "action": 4, "record": 5}


def fold(events: Iterable[Event], state: SessionState | None = None) -> SessionState:
    """Return the state after `events`, starting from `state` or from nothing."""
    current = state if state is not None else SessionState()
    last_seq = current.seq
    for event in events:
        last_seq = event.seq
        if not isinstance(event.body, UnknownEvent):
            current = _apply_body(current, event, event.body)
    return current if last_seq == current.seq else evolve(current, seq=last_seq)


def _apply_body(state: SessionState, event: Event, body: EventBody) -> SessionState:  # noqa: C901, PLR0912 - one arm an event kind
    match body:
        case SessionOpened():
            return evolve(state, opened=body)
        case RoundStarted():
            return _start_round(state, event, body)
        case InstructionAdded():
            return _instruct(state, event.seq, body.text, is_task=False)
        case ArtifactStored():
            return _store_artifact(state, body.artifact)
        case RequestBuilt():
            return _note_request(state, event, body)
        case ReplyReceived():
            return _open_exchange(state, event, body)
        case IntentRecorded():
            return evolve(state, intent=body)
        case OutcomeRecorded():
            return _attach_outcome(state, event, body)
        case ToolResultRecorded():
            return _attach_result(state, body)
        case NoteIngested():
            return _ingest_note(state, body)
        case StepValidated():
            return evolve(state, validation=body.validation, stall=body.stall)
        case PrefixEdited():
            totals = replace(state.totals, prefix_edits=state.totals.prefix_edits + 1)
            return evolve(state, totals=totals)
        case RoundEnded():
            return evolve(state, ended=body)
        case CallRefused() | QuestionAsked() | Interrupted():
            return state


def _store_artifact(state: SessionState, artifact: Artifact) -> SessionState:
    records = (*state.records, artifact) if artifact.kind == "record" else state.records
    return evolve(state, artifacts=(*state.artifacts, artifact), records=records)


def _start_round(state: SessionState, event: Event, body: RoundStarted) -> SessionState:
    state = evolve(
        state,
        round=body.round,
        task=body.task,
        url=body.url,
        round_started_s=event.at_s,
        notes=(),
        validation=None,
        stall=StallState(),
        textual_replies=0,
        totals=Totals(),
        ended=None,
    )
    return _instruct(state, event.seq, body.task, is_task=True)


def _instruct(state: SessionState, seq: int, text: str, *, is_task: bool) -> SessionState:
    instruction = Instruction(seq=seq, step=state.step, round=state.round, text=text, is_task=is_task)
    return _add_entry(evolve(state, instructions=(*state.instructions, instruction)), instruction)


def _add_entry(state: SessionState, entry: Entry) -> SessionState:
    return evolve(state, transcript=Transcript(entries=(*state.transcript.entries, entry)))


def _note_request(state: SessionState, event: Event, body: RequestBuilt) -> SessionState:
    return evolve(
        state, shown=body.images, kept=body.kept, born_after=event.seq, estimated_tokens=body.estimated_tokens
    )


def _open_exchange(state: SessionState, event: Event, body: ReplyReceived) -> SessionState:
    usage = body.reply.usage
    reported = usage.input_tokens
    totals = replace(
        state.totals,
        steps=state.totals.steps + 1,
        input_tokens=state.totals.input_tokens + (state.estimated_tokens if reported is None else reported),
        cached_tokens=state.totals.cached_tokens + (usage.cached_tokens or 0),
        output_tokens=state.totals.output_tokens + (usage.output_tokens or 0),
    )
    message = body.reply.message
    state = evolve(
        state,
        step=event.step,
        artifacts=(),
        outcome=None,
        textual_replies=0 if message.calls else state.textual_replies + 1,
        totals=totals,
    )
    return _add_entry(state, Exchange(seq=event.seq, step=event.step, round=state.round, message=message))


def _attach_outcome(state: SessionState, event: Event, body: OutcomeRecorded) -> SessionState:
    images = _in_order(_named(state.artifacts, body.images))
    if body.action_id == CAPTURE_ACTION:
        if body.observation is None:
            return state
        capture = RuntimeCapture(
            seq=event.seq, step=state.step, round=state.round, observation=body.observation, images=images
        )
        return _add_entry(state, capture)
    state = evolve(state, intent=None, outcome=body)
    return _update_exchange(state, observation=body.observation, carrier=body.carrier, images=images)


def _attach_result(state: SessionState, body: ToolResultRecorded) -> SessionState:
    exchange = state.exchange
    assert exchange is not None, "a tool result without an exchange"
    results = (*exchange.results, body.result)
    order = {call.id: index for index, call in enumerate(exchange.message.calls)}
    ordered = tuple(sorted(results, key=lambda result: order.get(result.call_id, len(order))))
    images = _in_order((*exchange.images, *_named(state.artifacts, body.images)))
    return _update_exchange(state, results=ordered, images=images)


def _update_exchange(state: SessionState, **changes: object) -> SessionState:
    entries = list(state.transcript.entries)
    for index in range(len(entries) - 1, -1, -1):
        entry = entries[index]
        if isinstance(entry, Exchange):
            entries[index] = replace(entry, **changes)  # type: ignore[arg-type]  # replace() can't be typed by field
            break
    return evolve(state, transcript=Transcript(entries=tuple(entries)))


def _named(artifacts: tuple[Artifact, ...], wanted: tuple[str, ...]) -> tuple[Artifact, ...]:
    return tuple(artifact for artifact in artifacts if artifact.id in wanted)


def _in_order(images: Iterable[Artifact]) -> tuple[Artifact, ...]:
    return tuple(sorted(images, key=lambda artifact: _IMAGE_ORDER[artifact.kind]))


def _ingest_note(state: SessionState, body: NoteIngested) -> SessionState:
    state = evolve(state, note_count=body.event_id, note_chain=body.chain)
    if not body.is_active or body.note.round != state.round:
        return state
    return evolve(state, notes=(*_without_key(state.notes, body.note.key), body.note))


def _without_key(notes: tuple[Note, ...], key: str | None) -> tuple[Note, ...]:
    return notes if key is None else tuple(note for note in notes if note.key != key)
