"""Where images stand in a request, and which of them the window shows."""

from __future__ import annotations

from dataclasses import dataclass

from harness.values.artifact import REQUESTED_KINDS, Artifact
from harness.values.projection import ImagePart
from harness.values.transcript import Entry, Exchange, Instruction

_PLACE = {"action": 0, "clean": 1, "marks": 2, "zoom": 3, "recall": 3, "skill": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSelection:
    """All images of one request.

    Attributes:
        shown: In request order.
        evicted: Artifacts that stood in the previous request and don't any more, in the order they stood.
        not_shown: Artifacts requested by the last step that have no slot.
    """

    shown: tuple[ImagePart, ...] = ()
    evicted: tuple[str, ...] = ()
    not_shown: tuple[str, ...] = ()

    @property
    def covered(self) -> frozenset[str]:
        """Every artifact that an image of this request shows, itself or by equal bytes."""
        return frozenset(name for part in self.shown for name in (part.artifact, *part.also))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedImage:
    """An image of an entry; `call_id` names the call whose result holds it, None for a harness capture."""

    artifact: Artifact
    call_id: str | None


def carrier_call(exchange: Exchange) -> str | None:
    """Return the call whose result carries observation and images: the carrier, else the last answered call.

    None while no call has a result; then nothing of the exchange can be shown.
    """
    answered = {result.call_id for result in exchange.results}
    if exchange.carrier in answered:
        return exchange.carrier
    return next((call.id for call in reversed(exchange.message.calls) if call.id in answered), None)


def placed_images(entry: Entry) -> tuple[PlacedImage, ...]:
    """Return the images of an entry in request order: by call, then action, clean, marks, requested.

    A requested image stands in the result of the call that asked for it, every other one in the carrier's.
    Images of calls without a result have no place yet and are left out; `raw` and `record` are never images.
    """
    if isinstance(entry, Instruction) or not entry.images:
        return ()
    images = sorted((item for item in entry.images if item.kind in _PLACE), key=lambda item: _PLACE[item.kind])
    if not isinstance(entry, Exchange):
        return tuple(PlacedImage(artifact=item, call_id=None) for item in images)
    carrier = carrier_call(entry)
    answered = {result.call_id for result in entry.results}
    placed: dict[str, list[PlacedImage]] = {call.id: [] for call in entry.message.calls if call.id in answered}
    for item in images:
        own = item.action_id if item.kind in REQUESTED_KINDS and item.action_id in placed else carrier
        if own is not None and own in placed:
            placed[own].append(PlacedImage(artifact=item, call_id=own))
    return tuple(image for images_of_call in placed.values() for image in images_of_call)
