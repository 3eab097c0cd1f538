"""`read_record`: any stored text of the session, a page at a time; text only."""

from __future__ import annotations

from harness.context import SimpleCounter
from harness.session.state import SessionState
from harness.store.blobs import BlobStore
from harness.tools.calls import ReadRecordRequest, StepRange
from harness.tools.records import RECORD_TOKENS, describe_exchange, read_text
from harness.values.fence import fence, new_fence_token
from harness.values.mark import screen_lines
from harness.values.message import ResultStatus
from harness.values.transcript import Exchange

_COUNTER = SimpleCounter()
_FENCE_TOKENS = 2 * _COUNTER.count_text(fence("", source="record", token=new_fence_token()))


def read_record(request: ReadRecordRequest, state: SessionState, blobs: BlobStore) -> tuple[ResultStatus, str]:
    """Return status and text of one read; at most 2,000 tokens with the fence that it will stand in.

    Raises:
        StorageDamaged: the record's bytes are missing or changed.
    """
    if request.steps is not None:
        text = _steps_text(request.steps, state)
        if text is None:
            last = max(0, state.step - 1)
            return "error", f"no such steps; give step_range as [first, last] between 1 and {last}"
    else:
        record = next((item for item in state.records if item.id == request.ref), None)
        if record is None:
            return "error", _unknown_record(state)
        text = blobs.get(record.blob).decode("utf-8", "replace")
    limit_tokens = RECORD_TOKENS - _FENCE_TOKENS
    page = read_text(
        text, count=_COUNTER.count_text, find=request.find, offset=request.offset, limit_tokens=limit_tokens
    )
    return "ok", page


def _unknown_record(state: SessionState) -> str:
    known = ", ".join(item.id for item in state.records[-5:])
    return f"there is no such record; the newest are {known}" if known else "no result was long enough to be a record"


def _steps_text(steps: StepRange, state: SessionState) -> str | None:
    wanted = [
        entry
        for entry in state.transcript.entries
        if isinstance(entry, Exchange) and steps.first <= entry.step <= steps.last and entry.step < state.step
    ]
    return "\n\n".join(_step_text(entry) for entry in wanted) or None


def _step_text(exchange: Exchange) -> str:
    lines = [describe_exchange(exchange)]
    if exchange.observation is not None:
        lines.extend(screen_lines(exchange.observation.marks, exchange.observation.texts))
    return "\n".join(lines)
