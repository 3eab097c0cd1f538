"""What a request keeps of the history when nothing is compacted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from harness.values.settings import HistoryPolicy
from harness.values.transcript import Entry, Exchange, Instruction


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRange:
    """Steps `first` to `last`, both included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySelection:
    """The entries that a request keeps, and what it leaves out.

    Attributes:
        kept: Oldest first.
        dropped: Ranges of steps whose exchanges are left out, oldest first.
    """

    kept: tuple[Entry, ...] = ()
    dropped: tuple[StepRange, ...] = ()


def select_history(
    entries: Sequence[Entry],
    policy: HistoryPolicy,
    *,
    count: Callable[[Exchange], int],
    closed_until_seq: int = 0,
) -> HistorySelection:
    """Keep the newest complete exchanges that the policy allows.

    Instructions, open exchanges and the entries that hold the current frame and the newest observation stay
    whatever the policy says. A harness capture goes with the exchanges around it.

    Args:
        entries: The transcript, oldest first.
        policy: What to keep; an `amount` below 1 counts as 1.
        count: Estimated tokens of one exchange; asked for `recent_tokens` only, newest first.
        closed_until_seq: Entries up to this one are known to wait for nothing: they stood before a request that was
            already sent. Saves looking at each of them again.
    """
    if policy.kind == "full":
        return HistorySelection(kept=tuple(entries))
    first_kept = _first_kept(entries, policy, count)
    pinned = _sights(entries)
    kept: list[Entry] = []
    gone: list[int] = []
    for entry in entries[:first_kept]:
        seq = entry.seq
        if entry.kind == "instruction" or seq in pinned or (seq > closed_until_seq and is_open(entry)):
            kept.append(entry)
        elif entry.kind == "exchange":
            gone.append(entry.step)
    if not gone:
        return HistorySelection(kept=tuple(entries))
    return HistorySelection(kept=(*kept, *entries[first_kept:]), dropped=tuple(_join(gone)))


def is_open(entry: Entry) -> bool:
    """Return whether `entry` is an exchange that still waits for a result."""
    if not isinstance(entry, Exchange) or entry.is_dead:
        return False
    waiting = {part.id for part in entry.message.parts if part.kind == "tool_call"}
    waiting.difference_update([result.call_id for result in entry.results])
    return bool(waiting)


def _first_kept(entries: Sequence[Entry], policy: HistoryPolicy, count: Callable[[Exchange], int]) -> int:
    """Return the index of the oldest complete exchange that the policy keeps; the length when there is none."""
    first_kept = len(entries)
    left = max(1, policy.amount)
    for index in range(len(entries) - 1, -1, -1):
        entry = entries[index]
        if not isinstance(entry, Exchange) or is_open(entry):
            continue
        left -= 1 if policy.kind == "recent_exchanges" else count(entry)
        if left < 0 and first_kept < len(entries):
            break
        first_kept = index
        if left <= 0:
            break
    return first_kept


def _sights(entries: Sequence[Entry]) -> frozenset[int]:
    """Return the newest entry with an observation and the newest one with a frame; usually they are one."""
    newest: int | None = None
    for entry in reversed(entries):
        if isinstance(entry, Instruction) or entry.observation is None:
            continue
        newest = entry.seq if newest is None else newest
        if entry.observation.frame is not None:
            return frozenset({newest, entry.seq})
    return frozenset() if newest is None else frozenset({newest})


def _join(steps: Sequence[int]) -> Iterator[StepRange]:
    first = last = steps[0]
    for step in steps[1:]:
        if step > last + 1:
            yield StepRange(first=first, last=last)
            first = step
        last = step
    yield StepRange(first=first, last=last)
