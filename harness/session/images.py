"""Images of a step: draw the overlays, store every image once, name each as an artifact."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

from harness.protocols import OverlayPainter, Stroke
from harness.store.blobs import BlobStore
from harness.values.artifact import Artifact, ArtifactKind
from harness.values.frame import Capture, Frame
from harness.values.geometry import Size, Transform
from harness.values.observation import Observation
from harness.values.outcome import Outcome

_WORTH_A_THREAD_PX = 200_000  # below it a second thread costs more than the second drawing


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The frame a step decided on, and the artifact that names it."""

    frame: Frame
    artifact: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Image:
    """One image about to be stored."""

    kind: ArtifactKind
    data: bytes
    media_type: str
    size: Size
    base: str | None = None
    transform: Transform | None = None


def artifact_id(step: int, kind: str, taken: Collection[str]) -> str:
    """Return a fresh id made from step and kind, for example `s0007-clean`, then `s0007-clean-2`."""
    base = f"s{step:04d}-{kind}"
    number, candidate = 1, base
    while candidate in taken:
        number += 1
        candidate = f"{base}-{number}"
    return candidate


class ImageKeeper:
    """Draws and stores the images of steps; drawing, hashing and writing run in threads."""

    def __init__(self, blobs: BlobStore, painter: OverlayPainter) -> None:
        self._blobs = blobs
        self._painter = painter

    async def keep_sight(
        self, observation: Observation, capture: Capture | None, *, step: int, taken: Collection[str], has_marks: bool
    ) -> tuple[Artifact, ...]:
        """Store the clean frame, the raw capture where it differs, and with `has_marks` the marks overlay.

        Returns:
            The artifacts in the order raw, clean, marks; empty without a frame.

        Raises:
            StorageError: an image could not be stored.
        """

        def keep() -> tuple[Artifact, ...]:
            images = self._sight_images(observation, capture, step, taken, has_marks)
            return self._store(images, step, taken, action_id=None)

        return await asyncio.to_thread(keep)

    async def keep_step(
        self, outcome: Outcome, decision: Decision | None, strokes: Sequence[Stroke], *, step: int, has_marks: bool
    ) -> tuple[Artifact, ...]:
        """Store what a step shows afterwards, and what it did drawn on the frame it decided on.

        No marks overlay is drawn without `has_marks`: where marks are text only, nothing could show it.

        Returns:
            The artifacts in the order raw, clean, marks, action; without an observation or strokes fewer.

        Raises:
            StorageError: an image could not be stored.
        """
        frame = None if outcome.capture is None else outcome.capture.frame
        sight = partial(self._sight_images, outcome.observation, outcome.capture, step, (), has_marks)
        action = partial(self._action_images, decision, strokes)
        store = partial(self._store, step=step, taken=(), action_id=outcome.action_id)
        if frame is None or frame.width_px * frame.height_px < _WORTH_A_THREAD_PX:
            return await asyncio.to_thread(lambda: store([*sight(), *action()]))
        both = await asyncio.gather(
            asyncio.to_thread(lambda: store(sight())), asyncio.to_thread(lambda: store(action()))
        )
        return (*both[0], *both[1])

    async def keep_requested(
        self, data: bytes, *, size: Size, base: str, step: int, taken: Collection[str], call_id: str
    ) -> Artifact:
        """Store an image that the model asked to see (a zoom) under the call that asked."""
        image = _Image(kind="zoom", data=data, media_type="image/png", size=size, base=base)
        return (await asyncio.to_thread(self._store, [image], step, taken, action_id=call_id))[0]

    def _action_images(self, decision: Decision | None, strokes: Sequence[Stroke]) -> list[_Image]:
        if decision is None or not strokes:
            return []
        frame = decision.frame
        drawn = self._painter.draw_actions(self._blobs.get(frame.sha256), strokes)
        return [_Image(kind="action", data=drawn, media_type="image/png", size=frame.size, base=decision.artifact)]

    def _sight_images(
        self,
        observation: Observation | None,
        capture: Capture | None,
        step: int,
        taken: Collection[str],
        has_marks: bool,
    ) -> list[_Image]:
        if observation is None or observation.frame is None or capture is None:
            return []
        frame = capture.frame
        images = []
        if capture.raw_image is not None and capture.raw_size is not None:
            images.append(_Image(kind="raw", data=capture.raw_image, media_type="image/png", size=capture.raw_size))
        clean = _Image(
            kind="clean", data=capture.image, media_type=frame.media_type, size=frame.size, transform=frame.transform
        )
        images.append(clean)
        if observation.marks and has_marks:
            drawn = self._painter.draw_marks(capture.image, observation.marks)
            base = artifact_id(step, "clean", taken)
            images.append(_Image(kind="marks", data=drawn, media_type="image/png", size=frame.size, base=base))
        return images

    def _store(
        self, images: Sequence[_Image], step: int, taken: Collection[str], *, action_id: str | None
    ) -> tuple[Artifact, ...]:
        hashes = self._blobs.put_many([image.data for image in images])
        return tuple(
            Artifact(
                id=artifact_id(step, image.kind, taken),
                kind=image.kind,
                step=step,
                blob=sha256,
                media_type=image.media_type,
                size_bytes=len(image.data),
                width_px=image.size.width_px,
                height_px=image.size.height_px,
                base=image.base,
                action_id=action_id,
                transform=image.transform,
            )
            for image, sha256 in zip(images, hashes, strict=True)
        )
