"""Prefix edits: changes to bytes that were already sent, found and explained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.context.counter import Counter, count_message, count_tools
from harness.values.event import PrefixEditCause, PrefixEdited
from harness.values.message import ReasoningPart
from harness.values.projection import Projection, Request, RequestPart, SectionName

_BY_SECTION: dict[SectionName, PrefixEditCause] = {
    "system": "resume",
    "tools": "resume",
    "task": "instruction",
    "skills": "chunk",
    "digests": "chunk",
    "notes": "note",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRequest:
    """What an earlier request tells the comparison; all of it stands in the session log.

    Attributes:
        digests: The hash of each part, in order.
        kept: Entries that stood in it.
    """

    digests: tuple[str, ...]
    kept: tuple[int, ...]


def first_change(previous: Sequence[str], current: Sequence[str]) -> int | None:
    """Return the index of the first part that differs; None when `previous` is a prefix of `current`.

    The index is the length of `current` when parts at its end were only taken away.
    """
    for index, digest in enumerate(previous):
        if index == len(current) or current[index] != digest:
            return index
    return None


def explain_edit(
    previous: SentRequest,
    request: Request,
    projection: Projection,
    *,
    evicted: tuple[str, ...],
    counter: Counter,
) -> PrefixEdited | None:
    """Return why and from where sent bytes change, or None when `previous` is a prefix of `request`.

    Args:
        previous: The request before.
        request: The request about to be sent.
        projection: The projection that `request` renders.
        evicted: Artifacts that left the window since `previous`.
        counter: Estimates what is sent again.
    """
    index = first_change(previous.digests, request.digests)
    if index is None:
        return None
    causes = tuple(dict.fromkeys(_causes(previous, request, projection, evicted)))
    cause = _first_cause(index, causes, request.parts, projection)
    changed = request.parts[index:]
    return PrefixEdited(
        cause=cause,
        causes=(cause, *(item for item in causes if item != cause)),
        first_changed_index=index,
        evicted=evicted,
        voided_reasoning=sum(_count_reasoning(part, projection) for part in changed),
        tokens_resent=_count_from(index, request.parts, projection, counter),
    )


def _section(part: RequestPart, projection: Projection) -> SectionName:
    return "tools" if part.message_index < 0 else projection.messages[part.message_index].section


def _causes(
    previous: SentRequest, request: Request, projection: Projection, evicted: tuple[str, ...]
) -> Iterator[PrefixEditCause]:
    """Yield every reason there is, in the order in which history depends on them."""
    if evicted:
        yield "images"
    if not {message.entry_seq for message in projection.messages}.issuperset(previous.kept):
        yield "history"
    place = {digest: index for index, digest in enumerate(previous.digests)}
    for index, part in enumerate(request.parts):
        section = _section(part, projection)
        if section not in _BY_SECTION or _is_append_only(part, projection):
            continue
        is_moved = section == "notes" and place.get(part.sha256, index) != index
        if part.sha256 not in place or is_moved:
            yield _BY_SECTION[section]


def _is_append_only(part: RequestPart, projection: Projection) -> bool:
    return part.message_index >= 0 and projection.messages[part.message_index].lifetime == "append_only"


def _first_cause(
    index: int, causes: tuple[PrefixEditCause, ...], parts: Sequence[RequestPart], projection: Projection
) -> PrefixEditCause:
    """Return the reason for the change at `index`; one that can't be told apart there is the first that applies."""
    if index < len(parts):
        section = _section(parts[index], projection)
        if section in _BY_SECTION:
            return _BY_SECTION[section]
        if section == "history" and projection.messages[parts[index].message_index].entry_seq is None:
            return "history"
    if causes:
        return causes[0]
    return "observation"


def _count_reasoning(part: RequestPart, projection: Projection) -> int:
    if part.message_index < 0:
        return 0
    blocks = projection.messages[part.message_index].parts
    return sum(1 for block in blocks if isinstance(block, ReasoningPart) and block.raw_json is not None)


def _count_from(index: int, parts: Sequence[RequestPart], projection: Projection, counter: Counter) -> int:
    """Return the estimated tokens of the parts from `index` on, counting whichever side of it is shorter."""
    if index > len(parts) // 2:
        return sum(_count_part(part, projection, counter) for part in parts[index:])
    before = sum(_count_part(part, projection, counter) for part in parts[:index])
    return projection.estimated_tokens - before


def _count_part(part: RequestPart, projection: Projection, counter: Counter) -> int:
    if part.message_index < 0:
        return count_tools(projection.tools, counter)
    return count_message(projection.messages[part.message_index], counter)
