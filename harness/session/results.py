"""Results of calls: clean them, store the long ones whole, shorten them at birth."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from harness.session.images import artifact_id
from harness.session.recorder import Recorder
from harness.store.blobs import BlobStore
from harness.tools.envelope import make_envelope, needs_envelope
from harness.values.artifact import Artifact
from harness.values.event import ArtifactStored, EventBody, ToolResultRecorded
from harness.values.fence import fence
from harness.values.message import ResultStatus, ToolResult
from harness.values.outcome import CallOutcome, CallStatus

_STATUS: Mapping[CallStatus, ResultStatus] = {
    "executed": "ok",
    "failed": "error",
    "not_executed": "not_executed",
    "unknown": "unknown",
}
# Tools whose results are found text, by the word that their fence opens with.
_FOUND_BY: Mapping[str, str] = {"list_windows": "windows", "read_clipboard": "clipboard", "read_record": "record"}


def result_of(outcome: CallOutcome, *, name: str) -> ToolResult:
    """Return the tool result of a device call."""
    return ToolResult(call_id=outcome.call_id, name=name, status=_STATUS[outcome.status], text=outcome.text)


class ResultKeeper:
    """Turns results into events; a text over the limit is stored whole first and then shown as an envelope.

    What a tool found in applications or in the store stands in a fence, shortened or not.
    """

    def __init__(self, recorder: Recorder, blobs: BlobStore, *, limit_chars: int) -> None:
        self._recorder = recorder
        self._blobs = blobs
        self._limit_chars = limit_chars

    async def keep(self, result: ToolResult, *, notice: str | None = None) -> tuple[EventBody, ...]:
        """Return the events of one result, its record artifact first when it is long; `notice` ends what is shown.

        Raises:
            StorageError: the whole text could not be stored; nothing was shortened.
        """
        added = len(self._dress(result, "x", notice)) - 1
        limit_chars = max(1, self._limit_chars - added) if self._limit_chars else 0
        if not needs_envelope(result.text, limit_chars=limit_chars):
            return (ToolResultRecorded(result=replace(result, text=self._dress(result, result.text, notice))),)
        data = result.text.encode("utf-8", "replace")
        blob = await asyncio.to_thread(self._blobs.put, data)
        record = self._record(blob, len(data), result.call_id)
        envelope = make_envelope(result.text, limit_chars=limit_chars, ref=record.id, status=result.status)
        short = replace(result, text=self._dress(result, envelope, notice), record=record.id)
        return ArtifactStored(artifact=record), ToolResultRecorded(result=short)

    def _dress(self, result: ToolResult, text: str, notice: str | None) -> str:
        opened = self._recorder.state.opened
        assert opened is not None, "a result before the session was opened"
        source = _FOUND_BY.get(result.name) if result.status == "ok" else None
        dressed = fence(text, source=source, token=opened.fence_token) if source is not None and text else text
        return dressed if notice is None else f"{dressed}\n{notice}"

    def _record(self, blob: str, size_bytes: int, call_id: str) -> Artifact:
        state = self._recorder.state
        call_number = list(state.call_names).index(call_id) + 1
        return Artifact(
            id=artifact_id(state.step, f"record-{call_number}", ()),
            kind="record",
            step=state.step,
            blob=blob,
            media_type="text/plain",
            size_bytes=size_bytes,
            action_id=call_id,
        )
