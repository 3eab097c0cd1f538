"""Arrange the calls of one reply: what is refused, what reaches the device, what the harness does itself. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from harness.tools.calls import (
    AskRequest,
    DeviceRequest,
    FinishRequest,
    NoteRequest,
    ParsedCall,
    ReadRecordRequest,
    Refusal,
    ZoomRequest,
)

AFTER_REFUSED = "not executed: an earlier call of this reply was refused"
AFTER_END = "not executed: an earlier call of this reply ended the round"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked:
    """A valid call that is not carried out, and why."""

    call_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """The calls of one reply by who handles them; each call stands in exactly one place.

    Attributes:
        refused: Calls that are wrong.
        blocked: Calls that are right but stand after a refused or an ending one.
        device: Calls for the device, in order.
        own: Notes, reads and zooms, in order; they don't depend on the device.
        ending: `finish` or `ask_user`, or None.
    """

    refused: tuple[Refusal, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    device: tuple[DeviceRequest, ...] = ()
    own: tuple[NoteRequest | ReadRecordRequest | ZoomRequest, ...] = ()
    ending: FinishRequest | AskRequest | None = None


def arrange(parsed: Sequence[ParsedCall | Refusal]) -> Arrangement:
    """Return who handles which call.

    After a refused call no later device call and no `finish` is carried out: they were planned on top of it.
    After `finish` or `ask_user` nothing is.
    """
    plan = Arrangement()
    for call in parsed:
        plan = _place(plan, call)
    return plan


def _place(plan: Arrangement, call: ParsedCall | Refusal) -> Arrangement:
    if plan.ending is not None:
        return _block(plan, call.call_id, AFTER_END)
    if isinstance(call, Refusal):
        return replace(plan, refused=(*plan.refused, call))
    if isinstance(call, NoteRequest | ReadRecordRequest | ZoomRequest):
        return replace(plan, own=(*plan.own, call))
    if plan.refused:
        return _block(plan, call.call_id, AFTER_REFUSED)
    if isinstance(call, DeviceRequest):
        return replace(plan, device=(*plan.device, call))
    return replace(plan, ending=call)


def _block(plan: Arrangement, call_id: str, reason: str) -> Arrangement:
    return replace(plan, blocked=(*plan.blocked, Blocked(call_id=call_id, reason=reason)))
