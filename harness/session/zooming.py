"""Zoom: a part of the current frame, cut from the sharpest image of it there is."""

from __future__ import annotations

import io
from dataclasses import dataclass

from PIL import Image

from harness.session.state import SessionState
from harness.store.blobs import BlobStore
from harness.values.artifact import Artifact
from harness.values.geometry import FrameBox, Size

_MAX_FACTOR = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Zoomed:
    """A cut: its PNG bytes, its size, and the artifact it was cut from."""

    data: bytes
    size: Size
    base: str


def zoom_image(box: FrameBox, state: SessionState, blobs: BlobStore) -> Zoomed | None:
    """Cut `box` (pixels of the current frame) out and enlarge it at most fourfold within the sent size.

    The raw capture is used where there is one, so a resized frame loses nothing. None without a frame.
    """
    sight = state.transcript.current_sight
    frame = None if sight is None or sight.observation is None else sight.observation.frame
    if sight is None or frame is None or state.opened is None:
        return None
    source = _sharpest(sight.images)
    with Image.open(io.BytesIO(blobs.get(source.blob))) as image:
        factor = source.width_px / frame.width_px
        cut = image.convert("RGB").crop(
            (
                round(box.x_px * factor),
                round(box.y_px * factor),
                round(box.right_px * factor),
                round(box.bottom_px * factor),
            )
        )
    limit = state.opened.profile.max_sent
    scale = min(_MAX_FACTOR, limit.width_px / cut.width, limit.height_px / cut.height)
    size = Size(width_px=max(1, round(cut.width * scale)), height_px=max(1, round(cut.height * scale)))
    larger = cut.resize((size.width_px, size.height_px), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    larger.save(buffer, "PNG", compress_level=1)
    clean = next(image.id for image in sight.images if image.kind == "clean")
    return Zoomed(data=buffer.getvalue(), size=size, base=clean)


def _sharpest(images: tuple[Artifact, ...]) -> Artifact:
    by_kind = {image.kind: image for image in images}
    return by_kind.get("raw") or by_kind["clean"]
