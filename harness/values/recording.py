"""Recordings: what an observer wrote down beside the frames; never part of a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

RecordingKind = Literal["accessibility"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One recording, on the way from the device to the store.

    Attributes:
        kind: What was recorded.
        frame_sha256: The clean frame that it belongs to.
        body: Its bytes, JSON lines in UTF-8.
    """

    kind: RecordingKind
    frame_sha256: str
    body: bytes
