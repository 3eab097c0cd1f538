"""Artifacts: rows that say what a stored blob is and in which step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.values.geometry import Transform

ImageKind = Literal["clean", "marks", "action", "zoom", "recall", "skill"]
ArtifactKind = Literal["raw", "clean", "marks", "action", "zoom", "recall", "skill", "record", "accessibility"]
REQUESTED_KINDS: frozenset[str] = frozenset({"zoom", "recall", "skill"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A row that names a blob.

    Attributes:
        id: Made by the harness from step and kind, for example `s0007-clean`; unique in the session.
        kind: What it is; `record` is text stored whole, `raw` a capture before it was resized, `accessibility` a
            recording of the accessibility tree.
        step: The step that produced it; 0 is the first capture of a session.
        blob: The sha256 that names its bytes.
        media_type: For example `image/png` or `text/plain`.
        size_bytes: Length of the bytes.
        width_px: Width of an image, 0 for text.
        height_px: Height of an image, 0 for text.
        base: The artifact it was drawn on or cut from, or None.
        action_id: The action it shows or that produced it, or None.
        transform: Frame pixels to device units where it is a frame, else None.
    """

    id: str
    kind: ArtifactKind
    step: int
    blob: str
    media_type: str
    size_bytes: int
    width_px: int = 0
    height_px: int = 0
    base: str | None = None
    action_id: str | None = None
    transform: Transform | None = None
