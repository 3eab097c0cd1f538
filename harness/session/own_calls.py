"""Calls that the harness answers itself: notes, reads of stored texts, zooms into the current frame."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from harness.errors import NoteConflict, StorageBusy
from harness.session.images import ImageKeeper
from harness.session.parts import SessionParts
from harness.session.reading import read_record
from harness.session.recorder import Recorder
from harness.session.results import ResultKeeper
from harness.session.zooming import zoom_image
from harness.tools.calls import NoteRequest, ReadRecordRequest, ZoomRequest
from harness.values.event import ArtifactStored, EventBody, NoteIngested, ToolResultRecorded
from harness.values.message import ResultStatus, ToolResult
from harness.values.note import Note, NoteReceipt


class OwnCalls:
    """Answers calls that don't reach the device."""

    def __init__(self, parts: SessionParts, recorder: Recorder, keeper: ImageKeeper) -> None:
        self._parts = parts
        self._recorder = recorder
        self._keeper = keeper

    async def run(self, calls: Sequence[NoteRequest | ReadRecordRequest | ZoomRequest]) -> list[EventBody]:
        """Return the events of the calls; notes are durable before this returns.

        Raises:
            StorageError: a store failed for good.
        """
        notes = [call for call in calls if isinstance(call, NoteRequest)]
        events = await self._ingest(notes) if notes else []
        taken = [artifact.id for artifact in self._recorder.state.artifacts]
        for call in calls:
            match call:
                case NoteRequest():
                    continue
                case ReadRecordRequest():
                    events.extend(await self._read(call))
                case ZoomRequest():
                    events.extend(await self._zoom(call, taken))
        return events

    def plain_result(self, call_id: str, status: ResultStatus, text: str) -> ToolResultRecorded:
        """Return the event of a short result."""
        return ToolResultRecorded(
            result=ToolResult(call_id=call_id, name=self._name(call_id), status=status, text=text)
        )

    async def _ingest(self, requests: Sequence[NoteRequest]) -> list[EventBody]:
        assert self._parts.notes is not None, "a note call although notes are off"
        notes = [self._note(request) for request in requests]
        try:
            receipts = await asyncio.to_thread(self._parts.notes.ingest, notes)
        except (StorageBusy, NoteConflict) as exc:
            text = f"storage_busy: the note was not kept: {exc}" if isinstance(exc, StorageBusy) else str(exc)
            return [self.plain_result(request.call_id, "error", text) for request in requests]
        events: list[EventBody] = []
        for note, receipt in zip(notes, receipts, strict=True):
            if receipt.is_new:
                events.append(_ingested(note, receipt))
            events.append(self.plain_result(note.call_id, "ok", _acknowledgement(note, receipt)))
        return events

    def _note(self, request: NoteRequest) -> Note:
        state = self._recorder.state
        return Note(
            round=state.round,
            step=state.step,
            call_index=list(self._recorder.state.call_names).index(request.call_id),
            call_id=request.call_id,
            text=request.text,
            kind=request.note_kind,
            reason=request.reason,
            key=request.key,
        )

    async def _read(self, request: ReadRecordRequest) -> Sequence[EventBody]:
        status, text = await asyncio.to_thread(read_record, request, self._recorder.state, self._parts.blobs)
        result = ToolResult(call_id=request.call_id, name=self._name(request.call_id), status=status, text=text)
        # A page of a record is bounded already and must not become an envelope that asks to be read again.
        return await ResultKeeper(self._recorder, self._parts.blobs, limit_chars=0).keep(result)

    async def _zoom(self, request: ZoomRequest, taken: list[str]) -> Sequence[EventBody]:
        state = self._recorder.state
        zoomed = await asyncio.to_thread(zoom_image, request.box, state, self._parts.blobs)
        if zoomed is None:
            return (self.plain_result(request.call_id, "error", "there is no frame to zoom into; call look first"),)
        artifact = await self._keeper.keep_requested(
            zoomed.data,
            size=zoomed.size,
            base=zoomed.base,
            step=state.step,
            taken=taken,
            call_id=request.call_id,
        )
        taken.append(artifact.id)
        text = f"zoomed into {zoomed.base}: image {artifact.id}, {zoomed.size.width_px}x{zoomed.size.height_px} px"
        result = ToolResult(call_id=request.call_id, name=self._name(request.call_id), status="ok", text=text)
        return ArtifactStored(artifact=artifact), ToolResultRecorded(result=result, images=(artifact.id,))

    def _name(self, call_id: str) -> str:
        return self._recorder.state.call_names[call_id]


def _ingested(note: Note, receipt: NoteReceipt) -> NoteIngested:
    return NoteIngested(note=note, event_id=receipt.event_id, chain=receipt.chain, is_active=receipt.is_active)


def _acknowledgement(note: Note, receipt: NoteReceipt) -> str:
    if not receipt.is_active:
        return f"kept in the audit only: a later step already holds the key {note.key!r}"
    return f"noted under {note.key!r}" if note.key is not None else "noted"
