"""The pointer of a page: buttons, moves and the wheel, in CSS pixels of the viewport."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from playwright.async_api import Page

from harness.values.action import Button
from harness.values.geometry import DevicePoint

WHEEL_CLICK_PX: Final = 100
# Pages tell a drag from a click by the moves in between.
DRAG_MOVES: Final = 8


class Pointer:
    """Moves and presses on a page and remembers the button it holds, so that it can be released."""

    def __init__(self) -> None:
        self._held: tuple[Page, Button] | None = None

    async def move(self, page: Page, to: DevicePoint) -> None:
        """Move to a point."""
        await page.mouse.move(to.x, to.y)

    async def click(self, page: Page, button: Button, count: int) -> None:
        """Press and release `button` where the pointer is, `count` times as one double or triple click."""
        for number in range(1, count + 1):
            self._held = (page, button)
            await page.mouse.down(button=button, click_count=number)
            await page.mouse.up(button=button, click_count=number)
            self._held = None

    async def drag(self, page: Page, path: Sequence[DevicePoint]) -> None:
        """Press where the pointer is, move through `path` and release at its end."""
        self._held = (page, "left")
        await page.mouse.down()
        for point in path:
            await page.mouse.move(point.x, point.y, steps=DRAG_MOVES)
        await page.mouse.up()
        self._held = None

    async def scroll(self, page: Page, dx: int, dy: int) -> None:
        """Turn the wheel where the pointer is, one event a click; diagonal clicks turn both ways at once."""
        for number in range(max(abs(dx), abs(dy))):
            await page.mouse.wheel(_one_click(dx, number), _one_click(dy, number))

    async def release(self) -> None:
        """Release the button that is held, if any."""
        if self._held is None:
            return
        page, button = self._held
        if not page.is_closed():
            await page.mouse.up(button=button)
        self._held = None


def _one_click(clicks: int, number: int) -> int:
    if number >= abs(clicks):
        return 0
    return WHEEL_CLICK_PX if clicks > 0 else -WHEEL_CLICK_PX
