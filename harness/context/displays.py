"""How each entry is shown in one request: which images stand in it, and whether its marks are listed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.context.entries import Display, SharedImage
from harness.values.artifact import Artifact
from harness.values.projection import ImagePart
from harness.values.transcript import Entry
from harness.values.window import WindowSelection, placed_images

_Images = Mapping[str, ImagePart | SharedImage]
_NO_IMAGES: _Images = {}
_BARE = Display(section="history", lists_marks=False, images=_NO_IMAGES)
_LISTED = Display(section="history", lists_marks=True, images=_NO_IMAGES)
_TASK = Display(section="task", lists_marks=False, images=_NO_IMAGES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Displays:
    """The displays of all entries of one request.

    Attributes:
        sight_seq: The entry that holds the current observation, or None.
        round: The current round; its instructions count as the task.
        keeps_marks: Whether marks lists stay for good, because no image is ever evicted.
        images: By sequence number, the images that an entry shows or shares.
        listed: Entries whose clean frame stands in the window.
    """

    sight_seq: int | None
    round: int
    keeps_marks: bool
    images: Mapping[int, _Images]
    listed: frozenset[int]

    def of(self, entry: Entry) -> Display:
        """Return how `entry` is shown; equal displays of entries without images are one object."""
        seq = entry.seq
        if seq == self.sight_seq:
            return Display(section="observation", lists_marks=True, images=self.images.get(seq, _NO_IMAGES))
        if seq in self.images:
            lists_marks = self.keeps_marks or seq in self.listed
            return Display(section="history", lists_marks=lists_marks, images=self.images[seq])
        if entry.kind == "instruction":
            return _TASK if entry.round == self.round else _BARE
        return _LISTED if self.keeps_marks else _BARE


def plan_displays(kept: Sequence[Entry], selection: WindowSelection, *, round_: int, keeps_marks: bool) -> Displays:
    """Return the displays of the entries that a request keeps."""
    touched = _find_touched(kept, set(selection.covered))
    order = {item.id: (seq, index) for seq, placed in touched.items() for index, item in enumerate(placed)}
    shown = dict(_show(selection, order))
    return Displays(
        sight_seq=_sight_seq(kept),
        round=round_,
        keeps_marks=keeps_marks,
        images={
            seq: {item.id: shown[item.id] for item in placed if item.id in shown} for seq, placed in touched.items()
        },
        listed=frozenset(
            seq for seq, placed in touched.items() if any(item.kind == "clean" and item.id in shown for item in placed)
        ),
    )


def _find_touched(kept: Sequence[Entry], wanted: set[str]) -> dict[int, tuple[Artifact, ...]]:
    """Return the images of each entry that shows or shares one, newest entry first."""
    touched = {}
    for entry in reversed(kept):
        if not wanted:
            break
        if entry.kind == "instruction" or wanted.isdisjoint(item.id for item in entry.images):
            continue
        placed = tuple(image.artifact for image in placed_images(entry))
        touched[entry.seq] = placed
        wanted.difference_update(item.id for item in placed)
    return touched


def _show(
    selection: WindowSelection, order: Mapping[str, tuple[int, int]]
) -> Iterator[tuple[str, ImagePart | SharedImage]]:
    """Yield what stands for each artifact: its image, or where its pixels are shown."""
    for part in selection.shown:
        # Sent bytes must not change when a later artifact turns out to have the same pixels.
        yield part.artifact, replace(part, also=()) if part.also else part
        for name in part.also:
            is_above = name in order and part.artifact in order and order[part.artifact] < order[name]
            yield name, SharedImage(shown_as=part.artifact, is_above=is_above)


def _sight_seq(kept: Sequence[Entry]) -> int | None:
    for entry in reversed(kept):
        if entry.kind != "instruction" and entry.observation is not None:
            return entry.seq
    return None
