"""What a session is made of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from harness.memory.store import NoteStore
from harness.protocols import Clock, Controller, OverlayPainter, Policy
from harness.session.log import EventLog
from harness.store.blobs import BlobStore
from harness.store.layout import SessionDirectory
from harness.values.run import RunResult

Ask = Callable[[str], Awaitable[str]]
Check = Callable[[RunResult], Awaitable[bool]]
AnswerProblem = Callable[[str], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionParts:
    """The open resources and hooks of one session; the session closes them.

    Attributes:
        directory: Where everything lands.
        log: The event log.
        blobs: Image and text bytes.
        notes: The note store; None when notes are off.
        controller: The device, not yet opened.
        policy: Who decides.
        painter: Draws overlays.
        observers: Entry-point names of the mark observers.
        clock: Time.
        ask: Asks the user a question; None when nobody is there.
        check: The verdict on a finished round; None leaves the agent's claim.
        answer_problem: Says what is wrong with an answer, or None; None accepts every answer.
    """

    directory: SessionDirectory
    log: EventLog
    blobs: BlobStore
    notes: NoteStore | None
    controller: Controller
    policy: Policy
    painter: OverlayPainter
    observers: tuple[str, ...]
    clock: Clock
    ask: Ask | None = None
    check: Check | None = None
    answer_problem: AnswerProblem | None = None
