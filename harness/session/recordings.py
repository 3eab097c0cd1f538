"""Recordings beside the steps: their bytes are stored in the background, their rows with events that come anyway."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from harness.errors import InfrastructureError, StorageError
from harness.protocols import Controller
from harness.session.images import artifact_id
from harness.session.limits import GRACE_S
from harness.session.state import SessionState
from harness.store.blobs import BlobStore
from harness.values.artifact import Artifact
from harness.values.event import ArtifactStored
from harness.values.recording import Recording
from harness.values.transcript import Instruction

RECORDINGS_S: Final = 5.0
MEDIA_TYPE: Final = "application/jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pending:
    """A recording whose row is not written yet; `base` is its clean frame where that was known when it came."""

    recording: Recording
    base: Artifact | None
    writing: asyncio.Task[str]


class RecordingKeeper:
    """Keeps recordings apart from steps, requests and images: nothing waits for one until the round ends.

    A recording that can't be stored is left out: it is a by-product, and a store that is broken fails the step that
    needs it.
    """

    def __init__(self, blobs: BlobStore, *, limit_s: float = RECORDINGS_S) -> None:
        self._blobs = blobs
        self._limit_s = limit_s
        self._pending: list[_Pending] = []
        self._based: set[str] = set()
        self._ids: set[str] = set()

    def accept(self, recordings: Iterable[Recording], state: SessionState) -> None:
        """Begin to store recordings that came with an outcome; `state` is that before the outcome."""
        for recording in recordings:
            base = self._base(recording, state)
            writing = asyncio.create_task(asyncio.to_thread(self._blobs.put, recording.body))
            self._pending.append(_Pending(recording=recording, base=base, writing=writing))

    async def wait_stored(self, limit_s: float) -> None:
        """Wait until the bytes of everything accepted are in the store, for at most `limit_s` seconds."""
        if self._pending:
            await asyncio.wait({item.writing for item in self._pending}, timeout=limit_s)

    def rows(self, state: SessionState, *, is_last: bool = False) -> list[ArtifactStored]:
        """Return the rows of the recordings that are stored by now, each once; waits for nothing.

        One whose clean frame is not recorded yet stays for the next time, unless this is the last.
        """
        rows: list[ArtifactStored] = []
        waiting: list[_Pending] = []
        for item in self._pending:
            base = item.base or self._base(item.recording, state)
            if item.writing.done() and (base is not None or is_last):
                rows.extend(self._row(item, base, state))
            else:
                waiting.append(replace(item, base=base))
        self._pending = waiting
        return rows

    async def last_rows(self, controller: Controller, state: SessionState) -> list[ArtifactStored]:
        """Collect what the device finishes within the limit, and return the rows of everything stored in as long."""
        with contextlib.suppress(TimeoutError, InfrastructureError):
            async with asyncio.timeout(self._limit_s + GRACE_S):
                self.accept(await controller.collect_recordings(self._limit_s), state)
        await self.wait_stored(self._limit_s)
        return self.rows(state, is_last=True)

    def _row(self, item: _Pending, base: Artifact | None, state: SessionState) -> Iterator[ArtifactStored]:
        try:
            blob = item.writing.result()
        except StorageError:
            return
        recording = item.recording
        step = state.step if base is None else base.step
        artifact = Artifact(
            id=artifact_id(step, recording.kind, self._ids),
            kind=recording.kind,
            step=step,
            blob=blob,
            media_type=MEDIA_TYPE,
            size_bytes=len(recording.body),
            base=None if base is None else base.id,
        )
        self._ids.add(artifact.id)
        yield ArtifactStored(artifact=artifact)

    def _base(self, recording: Recording, state: SessionState) -> Artifact | None:
        """Return the newest clean frame with those pixels that has no recording yet, and remember it as taken."""
        for entry in reversed(state.transcript.entries):
            for image in () if isinstance(entry, Instruction) else entry.images:
                is_it = image.kind == "clean" and image.blob == recording.frame_sha256
                if is_it and image.id not in self._based:
                    self._based.add(image.id)
                    return image
        return None
