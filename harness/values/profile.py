"""Model profiles: what a model accepts, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.values.geometry import Size

CoordinateSpace = Literal["pixels", "unit", "thousand"]
NoteViewPlace = Literal["before_history", "end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProfile:
    """What a model accepts.

    Attributes:
        name: Its name; `plain` for keyless policies.
        max_sent: The largest image that is sent; larger captures are resized once, aspect ratio kept.
        coordinates: The space in which the model writes points: frame pixels, 0 to 1, or 0 to 1000.
        max_images: Images a request may carry, whatever the budget says; None for no cap.
        max_image_bytes: Encoded bytes of one image; None for no cap.
        max_request_bytes: Bytes of one request; None for no cap.
        context_tokens: Window of the model; None where it has none.
        max_output_tokens: Tokens reserved for the reply.
        low_water_divisor: An eviction shrinks the window to `budget // low_water_divisor` images, at least to
            what one step brings.
        note_view_place: Where the note view stands.
    """

    name: str = "plain"
    max_sent: Size = Size(width_px=1280, height_px=800)
    coordinates: CoordinateSpace = "pixels"
    max_images: int | None = None
    max_image_bytes: int | None = None
    max_request_bytes: int | None = None
    context_tokens: int | None = None
    max_output_tokens: int = 4096
    low_water_divisor: int = 3
    note_view_place: NoteViewPlace = "before_history"


PLAIN = ModelProfile()
