"""The pointer through pyautogui."""

from __future__ import annotations

import math

from harness.controllers.aim import CallFailed
from harness.controllers.desktop.portable.driver import Driver
from harness.values.action import Button
from harness.values.geometry import DevicePoint


class PortablePointer:
    """Moves and presses the pointer, in device units of the whole desktop."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._held: list[Button] = []

    def move(self, to: DevicePoint) -> None:
        """Move to the unit that covers a point; a drag where a button is held."""
        x, y = math.floor(to.x), math.floor(to.y)
        if self._held:
            self._driver.drag(x, y, self._held[-1])
        else:
            self._driver.move(x, y)

    def press(self, button: Button) -> None:
        """Press a button where the pointer is."""
        self._held.append(button)
        self._driver.press_button(button)

    def release(self, button: Button) -> None:
        """Release a button; harmless when it is up."""
        self._held = [held for held in self._held if held != button]
        self._driver.release_button(button)

    def turn_wheel(self, dx: int, dy: int) -> None:
        """Turn the wheel where the pointer is: right and down, negative left and up.

        Raises:
            CallFailed: on Windows it does not turn sideways.
        """
        if dx and self._driver.platform == "win32":
            raise CallFailed("the wheel does not turn sideways on Windows; hold Shift and scroll down or up instead")
        if dy:
            self._driver.scroll_down(dy)
        if dx:
            self._driver.scroll_right(dx)

    def position(self) -> DevicePoint:
        """Return the middle of the unit that the pointer is on."""
        x, y = self._driver.position()
        return DevicePoint(x=x + 0.5, y=y + 0.5)

    def release_all(self) -> None:
        """Release every button that was pressed here."""
        for button in tuple(self._held):
            self.release(button)
