"""A grid of coloured blocks on a screen, where an image shows them, and by how much a click missed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from PIL import Image

from harness.controllers.frames import DeviceArea
from harness.values.desktop import DeviceBox
from harness.values.frame import Frame
from harness.values.geometry import DevicePoint, FramePoint, Size

LIMIT: Final = Size(width_px=1280, height_px=800)
GRID: Final = 7
BLOCK_UNITS: Final = 12


@dataclass(frozen=True)
class Block:
    """A block of one colour (blue, green, red) around a point of the desktop."""

    x: float
    y: float
    colour: tuple[int, int, int]


def area_of(box: DeviceBox) -> DeviceArea:
    return DeviceArea(width=box.width, height=box.height, origin_x=box.x, origin_y=box.y)


def grid_blocks(box: DeviceBox) -> Iterator[Block]:
    """Yield a grid of blocks, each in a colour of its own that no mixture of its neighbours has."""
    for column in range(GRID):
        for row in range(GRID):
            x = math.floor(box.x + box.width * (column + 0.5) / GRID)
            y = math.floor(box.y + box.height * (row + 0.5) / GRID)
            yield Block(x=x, y=y, colour=(77, 10 + 25 * row, 10 + 25 * column))


def seen_centre(image: Image.Image, block: Block) -> FramePoint:
    """Return where the model sees a block: the middle of the pixels that have its colour."""
    data, colour = image.tobytes(), bytes(reversed(block.colour))
    first, last = data.find(colour) // 3, data.rfind(colour) // 3
    assert first >= 0, f"{block} can't be seen"
    columns = (first % image.width + last % image.width) / 2
    rows = (first // image.width + last // image.width) / 2
    return FramePoint(x_px=round(columns), y_px=round(rows))


def off_by_px(frame: Frame, landed: DevicePoint, aimed: Block) -> float:
    """Return by how many pixels of the sent image a click missed."""
    transform = frame.transform
    return max(abs(landed.x - aimed.x) * transform.scale_x, abs(landed.y - aimed.y) * transform.scale_y)
