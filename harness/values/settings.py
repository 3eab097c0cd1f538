"""The settings of one session, resolved; the event log keeps them so that every reader folds alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

ContextMode = Literal["off", "shadow", "enforce"]
HistoryKind = Literal["full", "recent_exchanges", "recent_tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPolicy:
    """What mode `off` keeps of the history.

    Attributes:
        kind: `full`, the newest `amount` exchanges, or the newest exchanges within `amount` tokens.
        amount: Exchanges or tokens; 0 for `full`.
    """

    kind: HistoryKind = "full"
    amount: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a session stops by itself; None switches one limit off.

    Attributes:
        steps: Model steps in the round.
        seconds: Wall time of the round.
        cost_usd: Cost, where the price is known.
        input_tokens: Input tokens, where the price is not known.
        idle_steps: Consecutive steps that only wait or read.
        step_seconds: Deadline of one device call or one model call.
    """

    steps: int | None = 100
    seconds: float | None = 1800.0
    cost_usd: float | None = 5.0
    input_tokens: int | None = 2_000_000
    idle_steps: int | None = 30
    step_seconds: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """What the loop, the window and the projection need to know.

    Attributes:
        image_budget: `prompt.screenshot_window_images`: all images of a request.
        note_view_chars: Size of the note view in characters, framing included; 0 switches notes off.
        mode: `context_management.mode`.
        history: `context_management.history`.
        result_chars: Results longer than this many characters become envelopes; 0 never.
        marks_image: Whether a marks overlay may claim a slot. What is configured holds for devices whose marks are
            text by default; a session's recorded settings hold what its own device came to.
        limits: When the session stops.
    """

    image_budget: int = 3
    note_view_chars: int = 12_000
    mode: ContextMode = "off"
    history: HistoryPolicy = HistoryPolicy()
    result_chars: int = 10_000
    marks_image: bool = False
    limits: Limits = field(default_factory=Limits)
