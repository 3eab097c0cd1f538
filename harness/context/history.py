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
    instructions: Sequence[Instruction] | None = None,
) -> HistorySelection:
    """Keep the newest complete exchanges that the policy allows.

    Instructions, open exchanges and the entries that hold the current frame and the newest observation stay
    whatever the policy says. A harness capture goes with the exchanges around it.

    Args:
        entries: The transcript, oldest first; each step has one exchange.
        policy: What to keep; an `amount` below 1 counts as 1.
        count: Estimated tokens of one exchange; asked for `recent_tokens` only, newest first.
        closed_until_seq: Entries up to this one are known to wait for nothing: they stood before a request that was
            already sent. Saves looking at each of them again.
        instructions: All instructions among `entries`, where the caller has them; saves looking for them.
    """
    if policy.kind == "full":
        return HistorySelection(kept=tuple(entries))
    first_kept = _first_kept(entries, policy, count)
    early = _early(entries, first_kept, closed_until_seq, instructions)
    dropped = tuple(_dropped(entries, first_kept, early))
    if not dropped:
        return HistorySelection(kept=tuple(entries))
    return HistorySelection(kept=(*early, *entries[first_kept:]), dropped=dropped)


def _early(
    entries: Sequence[Entry], first_kept: int, closed_until_seq: int, instructions: Sequence[Instruction] | None
) -> list[Entry]:
    """Return what stays of the entries before `first_kept`, oldest first, without walking over all of them."""
    limit_seq = entries[first_kept].seq if first_kept < len(entries) else entries[-1].seq + 1 if entries else 0
    if instructions is None:
        instructions = [entry for entry in entries[:first_kept] if entry.kind == "instruction"]
    stays: dict[int, Entry] = {id(entry): entry for entry in instructions if entry.seq < limit_seq}
    stays.update((id(entry), entry) for entry in _sights(entries) if entry.seq < limit_seq)
    for index in range(first_kept - 1, -1, -1):
        entry = entries[index]
        if entry.seq <= closed_until_seq:
            break
        if is_open(entry):
            stays[id(entry)] = entry
    return sorted(stays.values(), key=lambda entry: entry.seq)


def _dropped(entries: Sequence[Entry], first_kept: int, early: Sequence[Entry]) -> Iterator[StepRange]:
    """Yield the ranges of steps before `first_kept` whose exchange does not stay; each step has one exchange."""
    oldest = next((entry.step for entry in entries[:first_kept] if entry.kind == "exchange"), None)
    if oldest is None:
        return
    newest = next(entries[at].step for at in range(first_kept - 1, -1, -1) if entries[at].kind == "exchange")
    first = oldest
    for step in sorted(entry.step for entry in early if entry.kind == "exchange"):
        if step > first:
            yield StepRange(first=first, last=step - 1)
        first = step + 1
    if first <= newest:
        yield StepRange(first=first, last=newest)


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


def _sights(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the newest entry with an observation and the newest one with a frame; usually they are one."""
    newest: Entry | None = None
    for entry in reversed(entries):
        if isinstance(entry, Instruction) or entry.observation is None:
            continue
        newest = entry if newest is None else newest
        if entry.observation.frame is not None:
            return (newest, entry)
    return () if newest is None else (newest,)
