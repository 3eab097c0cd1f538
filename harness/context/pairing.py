"""Tool calls and their results: what every provider demands of their order."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Sequence

from harness.values.projection import ProjectedMessage


def find_pairing_problems(messages: Sequence[ProjectedMessage], *, open_seq: int | None) -> tuple[str, ...]:
    """Return each broken pair of call and result, named by the call's id.

    Every call is answered exactly once, directly after its message; a result answers a call of the assistant
    message directly before it; ids are unique in the whole request.

    Args:
        messages: In request order.
        open_seq: The newest exchange, whose calls may still be open; None for none.
    """
    return (*_repeated_ids(messages), *_broken_pairs(messages, open_seq))


def _calls(message: ProjectedMessage) -> list[str]:
    return [part.id for part in message.parts if part.kind == "tool_call"]


def _repeated_ids(messages: Sequence[ProjectedMessage]) -> Iterator[str]:
    calls = [call_id for message in messages if message.role == "assistant" for call_id in _calls(message)]
    if len(set(calls)) < len(calls):
        repeated = (call_id for call_id, times in Tally(calls).items() if times > 1)
        yield from (f"the call id {call_id!r} stands in the request more than once" for call_id in repeated)


def _broken_pairs(messages: Sequence[ProjectedMessage], open_seq: int | None) -> Iterator[str]:
    calls: list[str] = []
    answered: list[str] = []
    may_wait = False
    for message in messages:
        if message.role == "tool":
            answered.append(message.call_id or "")
            continue
        if calls != answered:
            yield from _batch_problems(calls, answered, may_wait=may_wait)
        calls, answered = _calls(message) if message.role == "assistant" else [], []
        may_wait = open_seq is not None and message.entry_seq == open_seq
    yield from _batch_problems(calls, answered, may_wait=may_wait)


def _batch_problems(calls: Sequence[str], answered: Sequence[str], *, may_wait: bool) -> Iterator[str]:
    """Compare the calls of one message with the results that follow it directly."""
    for call_id in dict.fromkeys(answered):
        if call_id not in calls:
            yield f"the result of {call_id!r} does not follow directly on the reply that called it"
        elif answered.count(call_id) > 1:
            yield f"the call {call_id!r} has more than one result"
    if not may_wait:
        yield from (f"the call {call_id!r} has no result" for call_id in calls if call_id not in answered)
