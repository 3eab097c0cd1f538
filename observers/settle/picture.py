"""Where a picture of a screen differs from the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from PIL import Image, ImageChops

from harness.protocols import Pixels
from harness.values.desktop import DeviceBox

_PIXEL_BYTES: Final = 4
# A caret and a scrollbar that change at the same moment are two places; the letters of a word are one.
_GAP_PX: Final = 16
# In tall bands every fourth row tells enough, at a quarter of the time.
_TALL_PX: Final = 64
_TALL_STEP: Final = 4


class Picture:
    """Remembers the last picture of one part of a screen."""

    def __init__(self) -> None:
        self._last: Pixels | None = None

    def renew(self, pixels: Pixels, area: DeviceBox) -> tuple[DeviceBox, ...]:
        """Take the picture of now and return where it differs from the last one.

        Takes 0.1 ms for a million pixels when nothing does, and about 2 ms when everything does.

        Args:
            pixels: The picture.
            area: What it shows, in device units.

        Returns:
            Boxes in device units, from top to bottom; the whole area when the picture has another size. The first
            picture differs from nothing.
        """
        last, self._last = self._last, pixels
        if last is None or last.bgrx == pixels.bgrx:
            return ()
        if last.size != pixels.size:
            return (area,)
        return tuple(_to_device(place, pixels, area) for place in _different_places(last, pixels))

    def forget(self) -> None:
        """Begin anew with the next picture."""
        self._last = None


_PixelBox = tuple[int, int, int, int]


def _different_places(one: Pixels, other: Pixels) -> Iterator[_PixelBox]:
    """Yield left, top, right and bottom of each place; exact but in tall bands, there to `_TALL_STEP` rows."""
    for top, bottom in _different_rows(one, other):
        step = 1 if bottom - top <= _TALL_PX else _TALL_STEP
        found = tuple(_places_in_band(one, other, top, bottom, step))
        yield from found or _places_in_band(one, other, top, bottom, 1)


def _places_in_band(one: Pixels, other: Pixels, top: int, bottom: int, step: int) -> Iterator[_PixelBox]:
    difference = ImageChops.difference(_rows(one, top, bottom, step), _rows(other, top, bottom, step))
    columns, _ = difference.getprojection()
    for left, right in _runs(columns):
        around = difference.crop((left, 0, right, difference.height)).getbbox(alpha_only=False)
        assert around is not None, "the projection says that its pixels differ"
        yield left, top + around[1] * step, right, top + around[3] * step


def _different_rows(one: Pixels, other: Pixels) -> Iterator[tuple[int, int]]:
    """Yield bands of rows in which something differs; whole chunks, since comparing bytes is faster by far."""
    height, row_bytes = one.size.height_px, one.size.width_px * _PIXEL_BYTES
    chunks = [(top, min(top + _GAP_PX, height)) for top in range(0, height, _GAP_PX)]
    begun = None
    for top, bottom in chunks:
        start, end = top * row_bytes, bottom * row_bytes
        # Not through memoryview, which compares byte by byte.
        is_different = one.bgrx[start:end] != other.bgrx[start:end]
        if is_different and begun is None:
            begun = top
        elif not is_different and begun is not None:
            yield begun, top
            begun = None
    if begun is not None:
        yield begun, height


def _runs(projection: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield start and end of each run of ones; those with less than `_GAP_PX` between them are one run."""
    places = [place for place, is_different in enumerate(projection) if is_different]
    begun = 0
    for index, place in enumerate(places):
        is_last = index + 1 == len(places)
        if is_last or places[index + 1] - place > _GAP_PX:
            yield places[begun], place + 1
            begun = index + 1


def _rows(pixels: Pixels, top: int, bottom: int, step: int) -> Image.Image:
    """Return every `step`th row as an image, without a copy; a difference does not care about the order of colours."""
    size = (pixels.size.width_px, (bottom - top) // step)
    row_bytes = pixels.size.width_px * _PIXEL_BYTES
    band = memoryview(pixels.bgrx)[top * row_bytes : bottom * row_bytes]
    return Image.frombuffer("RGBA", size, band, "raw", "RGBA", row_bytes * step, 1)  # type: ignore[arg-type]  # any buffer


def _to_device(place: _PixelBox, pixels: Pixels, area: DeviceBox) -> DeviceBox:
    left, top, right, bottom = place
    unit_x, unit_y = area.width / pixels.size.width_px, area.height / pixels.size.height_px
    return DeviceBox(
        x=area.x + left * unit_x,
        y=area.y + top * unit_y,
        width=(right - left) * unit_x,
        height=(bottom - top) * unit_y,
    )
