"""A desktop driven through pyautogui and mss: macOS, Windows, and X11 on request.

On macOS and Windows it has been run against stand-ins for the system alone; on X11 against real applications.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from harness.controllers.desktop.backend import Clipboard, WindowSystem
from harness.controllers.desktop.portable.clipboard import SystemClipboard
from harness.controllers.desktop.portable.driver import load_driver
from harness.controllers.desktop.portable.keyboard import PortableKeyboard
from harness.controllers.desktop.portable.native_text import NativeTyping, native_sender
from harness.controllers.desktop.portable.pointer import PortablePointer
from harness.controllers.desktop.portable.windows import load_windows
from harness.controllers.desktop.screen import open_screen
from harness.errors import ControllerError


class PortableBackend:
    """One desktop a process: pyautogui binds to its display for good."""

    name = "pyautogui"

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Take over a desktop.

        Args:
            environment: Its variables; on X11 DISPLAY and XAUTHORITY are read.

        Raises:
            ControllerError: there is no display, a driver is missing, or this process drives another display.
        """
        driver = load_driver(environment)
        self.pointer = PortablePointer(driver)
        self.clipboard: Clipboard
        self.windows: WindowSystem
        self._endings: list[Callable[[], None]] = []
        self._release_others: Callable[[], None] | None = None
        try:
            self.screen = open_screen(environment)
            self._endings.append(self.screen.close)
            if driver.platform == "x11":
                from harness.controllers.desktop.portable.x11_parts import X11Parts  # noqa: PLC0415  # needs python-xlib

                parts = X11Parts(driver, environment)
                self._endings.append(parts.close)
                self.clipboard, self.windows = parts.clipboard, parts.windows
                self.keyboard = PortableKeyboard(driver, parts.typing, parts.pasting)
                self._release_others = parts.release_held
            else:
                self.clipboard, self.windows = SystemClipboard.load(), load_windows(driver.platform)
                self.keyboard = PortableKeyboard(driver, NativeTyping(driver, native_sender(driver)), None)
        except BaseException:
            self.close()
            raise

    def release_all(self) -> None:
        """Release what was pressed here; on X11 also what others left down, where else nobody can tell."""
        self.keyboard.release_all()
        self.pointer.release_all()
        if self._release_others is not None:
            self._release_others()

    def close(self) -> None:
        """Give everything back but pyautogui's own connection, which stays for the life of the process."""
        for end in reversed(self._endings):
            with suppress(ControllerError):
                end()
        self._endings.clear()
