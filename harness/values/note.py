"""Working memory: what the agent chose to keep."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One note event, exactly as the agent wrote it.

    Attributes:
        round: The round it belongs to, from 1.
        step: The session step that wrote it.
        call_index: Its place among the calls of that step; orders notes within a step.
        call_id: The tool call that wrote it. (round, step, call_id) identifies the event.
        text: The note, byte-exact.
        kind: The agent's word for what it is, for example `fact` or `plan`.
        reason: Why it was kept.
        key: Replaces the active note of that key in the round; None appends an entry of its own.
    """

    round: int
    step: int
    call_index: int
    call_id: str
    text: str
    kind: str
    reason: str
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteReceipt:
    """Proof that a note is durable.

    Attributes:
        event_id: Row number of the event in the note store, from 1.
        chain: Head of the store's hash chain after the event.
        is_new: False when the same event was already there.
        is_active: False when a later step already holds the key.
    """

    event_id: int
    chain: str
    is_new: bool
    is_active: bool
