"""How each entry is shown in one request: which images stand in it, and whether its marks are listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from harness.context.entries import Display, SharedImage
from harness.values.projection import ImagePart
from harness.values.transcript import Entry, Instruction
from harness.values.window import WindowSelection, placed_images

_NO_IMAGES: Mapping[str, ImagePart | SharedImage] = {}
_Images = Mapping[str, ImagePart | SharedImage]


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
        """Return how `entry` is shown."""
        if isinstance(entry, Instruction):
            is_current = entry.round == self.round
            return Display(section="task" if is_current else "history", lists_marks=False, images=_NO_IMAGES)
        is_sight = entry.seq == self.sight_seq
        return Display(
            section="observation" if is_sight else "history",
            lists_marks=self.keeps_marks or is_sight or entry.seq in self.listed,
            images=self.images.get(entry.seq, _NO_IMAGES),
        )


def plan_displays(kept: Sequence[Entry], selection: WindowSelection, *, round_: int, keeps_marks: bool) -> Displays:
    """Return the displays of the entries that a request keeps."""
    covered = selection.covered
    touched = {
        entry.seq: tuple(image.artifact for image in placed_images(entry))
        for entry in kept
        if not isinstance(entry, Instruction) and any(item.id in covered for item in entry.images)
    }
    order = {item.id: (seq, index) for seq, placed in touched.items() for index, item in enumerate(placed)}
    shown: dict[str, ImagePart | SharedImage] = {}
    for part in selection.shown:
        # Sent bytes must not change when a later artifact turns out to have the same pixels.
        shown[part.artifact] = replace(part, also=()) if part.also else part
        for name in part.also:
            is_above = name in order and part.artifact in order and order[part.artifact] < order[name]
            shown[name] = SharedImage(shown_as=part.artifact, is_above=is_above)
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


def _sight_seq(kept: Sequence[Entry]) -> int | None:
    for entry in reversed(kept):
        if not isinstance(entry, Instruction) and entry.observation is not None:
            return entry.seq
    return None
