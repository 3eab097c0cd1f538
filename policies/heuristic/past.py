"""What the policy did before, read from its own words in the request.

Each reply says beside its call which part of the task it serves, the mark and the screen it was decided on. Nothing
else is remembered: a step that the request no longer shows is forgotten.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from harness.protocols import SeenMark
from harness.values.mark import quote_page_text
from policies.mark_text import parse_mark_line
from policies.view import PastCall

Purpose = Literal["do", "explore", "dismiss"]
_THOUGHT = re.compile(
    rf"Task (?P<task>[0-9a-f]+), part (?P<part>[0-9]+), (?P<purpose>{'|'.join(get_args(Purpose))}): .*"
    r"\nScreen (?P<screen>\w+)(?:\nMark (?P<mark>.*))?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PastStep:
    """One earlier step.

    Attributes:
        part: The task part it served, from 1.
        purpose: Doing the part, looking for its target, or getting a popup out of the way.
        screen: Fingerprint of the screen it was decided on.
        mark: The mark it acted on, as it was then, or None.
        tool: The tool it called.
        is_error: Whether the call failed.
    """

    part: int
    purpose: Purpose
    screen: str
    mark: SeenMark | None
    tool: str
    is_error: bool


def write_thought(*, task: str, part: int, purpose: Purpose, why: str, screen: str, mark: SeenMark | None) -> str:
    """Return the words of a step; `why` becomes one line."""
    lines = [f"Task {_tag(task)}, part {part}, {purpose}: {' '.join(why.split())}", f"Screen {screen}"]
    if mark is not None:
        lines.append(f"Mark {_line(mark)}")
    return "\n".join(lines)


def _line(mark: SeenMark) -> str:
    words = [f"[{mark.id}] {mark.role} {quote_page_text(mark.name)}"]
    if mark.value is not None:
        words.append(f"value {quote_page_text(mark.value)}")
    return " ".join([*words, *mark.states])


def read_past(calls: Iterable[PastCall], *, task: str) -> tuple[PastStep, ...]:
    """Return the earlier steps for a task, oldest first; calls without such words are left out."""
    return tuple(step for call in calls if (step := _read_step(call, _tag(task))) is not None)


def _tag(task: str) -> str:
    """Return what tells the steps of one round from those of another."""
    return hashlib.sha256(task.encode("utf-8", "replace")).hexdigest()[:6]


def _read_step(call: PastCall, tag: str) -> PastStep | None:
    found = _THOUGHT.fullmatch(call.thought)
    if found is None or found["task"] != tag:
        return None
    purpose = next(item for item in get_args(Purpose) if item == found["purpose"])
    return PastStep(
        part=int(found["part"]),
        purpose=purpose,
        screen=found["screen"],
        mark=None if found["mark"] is None else parse_mark_line(found["mark"]),
        tool=call.name,
        is_error=call.is_error,
    )
