"""The one function that chooses the images of a request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from harness.values.artifact import Artifact, ImageKind
from harness.values.projection import ImagePart
from harness.values.transcript import Entry
from harness.values.window import WindowSelection, placed_images
from harness.window.claims import Candidate, Claims, Rank, find_claims, requested_by

_LAST: Rank = (9, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slot:
    """The images that share one blob, and so one slot."""

    members: tuple[Candidate, ...]

    @property
    def rank(self) -> Rank:
        """The best hold of its members; `_LAST` when none has one."""
        return min(member.rank or _LAST for member in self.members)


def select_images(
    entries: Sequence[Entry],
    *,
    previous: Sequence[ImagePart],
    budget: int,
    low_water_divisor: int,
    last_step: int,
    marks_image: bool,
    born_after_seq: int = 0,
) -> WindowSelection:
    """Choose every image of a request; nothing else adds one.

    What stood in the previous request stays where it is until a new step exceeds the budget; then the window
    shrinks in one go to its low-water mark. An image that had its chance and was not shown never enters later.

    Args:
        entries: The entries that the request keeps, oldest first.
        previous: The images of the previous request, in its order.
        budget: Images a request may carry, overlays included; 0 shows none.
        low_water_divisor: An eviction leaves `budget // low_water_divisor` images, at least the current claims.
        last_step: The newest finished step; the images it requested have priority, at most two.
        marks_image: Whether marks overlays may claim a slot.
        born_after_seq: The highest sequence number in the previous request; entries after it are new. 0 at the start.

    Returns:
        At most `budget` images with distinct blobs, in request order; at 1 the current clean frame alone.

    Raises:
        ValueError: `budget` is negative or `low_water_divisor` is below 1.
    """
    if budget < 0 or low_water_divisor < 1:
        raise ValueError(f"need budget >= 0 and low_water_divisor >= 1, got {budget} and {low_water_divisor}")
    claims = find_claims(entries, last_step=last_step, has_marks=marks_image)
    standing = {name for part in previous for name in (part.artifact, *part.also)}
    slots = _group(_candidates(entries, claims=claims, standing=standing, born_after_seq=born_after_seq))
    kept = _hold(slots, budget=budget, low_water=budget // low_water_divisor)
    shown = _show(kept, standing_first={part.artifact for part in previous})
    covered = WindowSelection(shown=shown).covered
    return WindowSelection(
        shown=shown,
        evicted=tuple(name for part in previous for name in (part.artifact, *part.also) if name not in covered),
        not_shown=tuple(item.id for item in requested_by(entries, step=last_step) if item.id not in covered),
    )


def _candidates(
    entries: Sequence[Entry], *, claims: Claims, standing: set[str], born_after_seq: int
) -> Iterator[Candidate]:
    wanted = set(standing)
    for entry in reversed(entries):
        is_new = entry.seq > born_after_seq
        if not is_new and not wanted:
            return
        if entry.kind == "instruction" or (not is_new and wanted.isdisjoint(item.id for item in entry.images)):
            continue
        wanted.difference_update(item.id for item in entry.images)
        for index, placed in enumerate(placed_images(entry)):
            artifact = placed.artifact
            if (is_new or artifact.id in standing) and (claims.has_marks or artifact.kind != "marks"):
                rank = claims.rank(artifact, entry, index)
                yield Candidate(artifact=artifact, place=(entry.seq, index), rank=rank)


def _group(candidates: Iterable[Candidate]) -> list[_Slot]:
    by_blob: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_blob.setdefault(candidate.artifact.blob, []).append(candidate)
    slots = [_Slot(members=tuple(members)) for members in by_blob.values()]
    return [slot for slot in slots if slot.rank != _LAST]


def _hold(slots: list[_Slot], *, budget: int, low_water: int) -> list[_Slot]:
    """Return the slots that stay: all of them, or those with the best hold down to the low-water mark."""
    if len(slots) <= budget:
        return slots
    current = sum(1 for slot in slots if slot.rank[0] == 0)
    return sorted(slots, key=lambda slot: slot.rank)[: min(budget, max(current, low_water))]


def _show(slots: Iterable[_Slot], *, standing_first: set[str]) -> tuple[ImagePart, ...]:
    placed = []
    for slot in slots:
        stays = (member for member in slot.members if member.artifact.id in standing_first)
        owner = next(stays, None) or min(slot.members, key=lambda member: (member.rank or _LAST, member.place))
        also = sorted((member for member in slot.members if member is not owner), key=lambda member: member.place)
        placed.append((owner.place, _part(owner.artifact, also=tuple(member.artifact.id for member in also))))
    return tuple(part for _, part in sorted(placed, key=lambda item: item[0]))


def _part(artifact: Artifact, *, also: tuple[str, ...]) -> ImagePart:
    return ImagePart(
        artifact=artifact.id,
        image_kind=_image_kind(artifact),
        step=artifact.step,
        sha256=artifact.blob,
        media_type=artifact.media_type,
        width_px=artifact.width_px,
        height_px=artifact.height_px,
        size_bytes=artifact.size_bytes,
        also=also,
    )


def _image_kind(artifact: Artifact) -> ImageKind:
    kind = artifact.kind
    assert kind != "raw", f"{artifact.id} is a raw capture"
    assert kind != "record", f"{artifact.id} is text"
    assert kind != "accessibility", f"{artifact.id} is a recording"
    return kind
