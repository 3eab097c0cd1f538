"""The state of a session: what the loop, resume, `show` and the viewer know, folded from events."""

from __future__ import annotations

from dataclasses import dataclass

from harness.values.artifact import Artifact
from harness.values.event import IntentRecorded, OutcomeRecorded, RoundEnded, SessionOpened
from harness.values.note import Note
from harness.values.projection import ImagePart
from harness.values.transcript import Exchange, Instruction, Transcript
from harness.values.validation import StallState, Validation

CAPTURE_ACTION = "capture"


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums over the round.

    Attributes:
        steps: Replies received.
        input_tokens: Reported input tokens; where a provider reports none, the estimate.
        cached_tokens: Reported tokens read from a cache.
        output_tokens: Reported output tokens.
        prefix_edits: Requests that changed bytes already sent.
    """

    steps: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    prefix_edits: int = 0


@dataclass(frozen=True, kw_only=True)  # without slots: the fold copies it many times a step, see `evolve`
class SessionState:
    """Everything known at one point of a session.

    Attributes:
        opened: The session's header, None before the first event.
        seq: The last event.
        step: The last step that got a reply; 0 before the first.
        round: The current round; 0 before the first.
        task: Its task.
        url: Where it starts, or None.
        round_started_s: Unix time of its start.
        transcript: All entries.
        instructions: The instructions among them.
        shown: Images of the last request.
        kept: Entries that stood in the last request.
        born_after: The highest entry that could have stood in the last request; newer entries are new to the model.
        estimated_tokens: Estimate of the last request.
        notes: Active notes of the round, oldest replacement first.
        note_count: Events in the note store that this log knows of.
        note_chain: Head of the note store's chain that this log knows of; empty for none.
        artifacts: Artifacts of the current step, stored but perhaps not yet attached.
        records: Texts stored whole, oldest first.
        intent: An intent without an outcome, or None.
        outcome: The outcome of the current step, or None.
        validation: The last step's validation, or None.
        stall: Where the stall rule stands.
        textual_replies: Replies in a row without a tool call.
        totals: Sums over the round.
        ended: How the round ended, or None while it runs.
    """

    opened: SessionOpened | None = None
    seq: int = 0
    step: int = 0
    round: int = 0
    task: str = ""
    url: str | None = None
    round_started_s: float = 0.0
    transcript: Transcript = Transcript()
    instructions: tuple[Instruction, ...] = ()
    shown: tuple[ImagePart, ...] = ()
    kept: tuple[int, ...] = ()
    born_after: int = 0
    estimated_tokens: int = 0
    notes: tuple[Note, ...] = ()
    note_count: int = 0
    note_chain: str = ""
    artifacts: tuple[Artifact, ...] = ()
    records: tuple[Artifact, ...] = ()
    intent: IntentRecorded | None = None
    outcome: OutcomeRecorded | None = None
    validation: Validation | None = None
    stall: StallState = StallState()
    textual_replies: int = 0
    totals: Totals = Totals()
    ended: RoundEnded | None = None

    @property
    def exchange(self) -> Exchange | None:
        """The newest exchange, or None."""
        for entry in reversed(self.transcript.entries):
            if isinstance(entry, Exchange):
                return entry
        return None

    @property
    def call_names(self) -> dict[str, str]:
        """The tools that the newest exchange calls, by call id, in the order of the calls."""
        exchange = self.exchange
        return {} if exchange is None else {call.id: call.name for call in exchange.message.calls}


def evolve(state: SessionState, **changes: object) -> SessionState:
    """Return a copy with some fields changed, as `dataclasses.replace` does at a tenth of its cost.

    A misspelt field is an assertion error.
    """
    fields = state.__dict__
    assert changes.keys() <= fields.keys(), f"no such fields: {changes.keys() - fields.keys()}"
    copied = object.__new__(SessionState)
    copied.__dict__.update(fields)
    copied.__dict__.update(changes)
    return copied
