"""Claims: which image holds its slot against which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.values.artifact import REQUESTED_KINDS, Artifact
from harness.values.transcript import Entry, Exchange, Instruction, RuntimeCapture
from harness.values.window import placed_images

REQUESTED_AT_MOST = 2

Rank = tuple[int, int, int, int]
"""Smaller holds longer. The first number: 0 a claim of the current step, 1 earlier overlays and clean frames,
2 earlier requested images, 3 earlier marks."""

Place = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An image that may stand in the request.

    Attributes:
        artifact: What it is.
        place: Where it stands: sequence number of the entry, then its order inside.
        rank: Its hold on a slot; None when it may only share a slot that another image holds.
    """

    artifact: Artifact
    place: Place
    rank: Rank | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Who claims a slot for the current step.

    Attributes:
        sight_seq: The entry that brought the current frame; -1 before the first.
        sight_step: Its step.
        last_step: The step whose requested images have priority now.
        requested_blobs: Blobs of those images that get the priority.
        has_marks: Whether marks overlays may claim a slot.
    """

    sight_seq: int
    sight_step: int
    last_step: int
    requested_blobs: frozenset[str]
    has_marks: bool

    def rank(self, artifact: Artifact, entry: Exchange | RuntimeCapture, index: int) -> Rank | None:
        """Return the hold of an image that stands in `entry` as the image number `index`."""
        is_last = entry.step == self.last_step and isinstance(entry, Exchange)
        if artifact.kind in REQUESTED_KINDS:
            if not is_last:
                return (2, -entry.seq, index, 0)
            return (0, 1, index, 0) if artifact.blob in self.requested_blobs else None
        if artifact.kind == "action":
            is_current = entry.step == self.sight_step
            return (0, 3, -entry.seq, index) if is_current else (1, -entry.step, 0, -entry.seq)
        is_current = entry.seq == self.sight_seq
        if artifact.kind == "clean":
            return (0, 0, index, 0) if is_current else (1, -entry.step, 1, -entry.seq)
        return (0, 2, index, 0) if is_current else (3, -entry.seq, index, 0)


def find_claims(entries: Sequence[Entry], *, last_step: int, has_marks: bool) -> Claims:
    """Return the claims of the step that brought the newest frame and of the images that `last_step` requested."""
    sight: Exchange | RuntimeCapture | None = None
    for entry in reversed(entries):
        if isinstance(entry, Instruction) or entry.observation is None or entry.observation.frame is None:
            continue
        sight = entry
        break
    requested = dict.fromkeys(artifact.blob for artifact in requested_by(entries, step=last_step))
    return Claims(
        sight_seq=-1 if sight is None else sight.seq,
        sight_step=-1 if sight is None else sight.step,
        last_step=last_step,
        requested_blobs=frozenset(tuple(requested)[:REQUESTED_AT_MOST]),
        has_marks=has_marks,
    )


def requested_by(entries: Sequence[Entry], *, step: int) -> Iterator[Artifact]:
    """Yield the images that a step requested, in request order."""
    for entry in reversed(entries):
        if isinstance(entry, Exchange):
            if entry.step == step:
                images = placed_images(entry)
                yield from (image.artifact for image in images if image.artifact.kind in REQUESTED_KINDS)
            if entry.step <= step:
                return
