"""A system with any layout of monitors, in the form that mss gives, whose screens show coloured blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from click_grid import BLOCK_UNITS, Block
from mss.exception import ScreenShotError

from harness.controllers.desktop.screen import Capturer, Place

BACKGROUND = bytes((200, 200, 200, 0))


def place(left: int, top: int, width: int, height: int) -> Place:
    return {"left": left, "top": top, "width": width, "height": height}


THREE_MONITORS = (
    place(-1920, -120, 5120, 1200),
    place(-1920, -120, 1920, 1080),
    place(0, 0, 1920, 1080),
    place(1920, 0, 1280, 800),
)


@dataclass
class FakeShot:
    raw: bytearray
    size: tuple[int, int]


@dataclass
class FakeCapturer:
    """One connection: it keeps the list of monitors that it saw first, as mss does."""

    monitors: list[Place]
    scale: float
    blocks: Sequence[Block]
    failures: list[Exception] = field(default_factory=list)
    closing_failure: Exception | None = None
    is_closed: bool = False

    def grab(self, monitor: Place, /) -> FakeShot:
        if self.failures:
            raise self.failures.pop()
        if monitor not in self.monitors:
            raise ScreenShotError("no such region")
        width_px, height_px = round(monitor["width"] * self.scale), round(monitor["height"] * self.scale)
        raw = bytearray(BACKGROUND * (width_px * height_px))
        for block in self.blocks:
            columns = self._covered(block.x - monitor["left"], width_px)
            row_bytes = bytes((*block.colour, 0)) * len(columns)
            for row in self._covered(block.y - monitor["top"], height_px) if columns else ():
                start = (row * width_px + columns.start) * 4
                raw[start : start + len(row_bytes)] = row_bytes
        return FakeShot(raw=raw, size=(width_px, height_px))

    def _covered(self, centre: float, length_px: int) -> range:
        start_px = max(0, round((centre - BLOCK_UNITS / 2) * self.scale))
        return range(start_px, min(length_px, round((centre + BLOCK_UNITS / 2) * self.scale)))

    def close(self) -> None:
        self.is_closed = True
        if self.closing_failure is not None:
            raise self.closing_failure


@dataclass
class FakeSystem:
    """Hands out connections; its monitors may change, and it may go away."""

    places: Sequence[Place] = THREE_MONITORS
    scale: float = 1.0
    blocks: Sequence[Block] = ()
    is_gone: bool = False
    closing_failure: Exception | None = None
    capturers: list[FakeCapturer] = field(default_factory=list)

    def connect(self) -> Capturer:
        if self.is_gone:
            raise ScreenShotError("Cannot connect to display")
        made = FakeCapturer(
            monitors=list(self.places), scale=self.scale, blocks=self.blocks, closing_failure=self.closing_failure
        )
        self.capturers.append(made)
        return made
