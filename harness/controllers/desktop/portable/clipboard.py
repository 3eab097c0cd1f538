"""The clipboard of Windows and macOS, by pyperclip, which pyautogui brings."""

from __future__ import annotations

import importlib
from typing import Any

from harness.controllers.aim import CallFailed
from harness.errors import ControllerError


class SystemClipboard:
    """Reads and writes the text on the clipboard."""

    def __init__(self, module: Any) -> None:  # Any: pyperclip has no types
        self._module = module

    @classmethod
    def load(cls) -> SystemClipboard:
        """Return the clipboard of this system.

        Raises:
            ControllerError: pyperclip is not there.
        """
        try:
            return cls(importlib.import_module("pyperclip"))
        except ImportError as exc:
            raise ControllerError(f"pyperclip can't be imported: {exc}; install pyautogui again") from exc

    def read(self) -> str:
        """Return the text; empty when there is none, or something that is no text.

        Raises:
            CallFailed: another program keeps the clipboard to itself.
        """
        try:
            return str(self._module.paste())
        except (self._module.PyperclipException, OSError) as exc:
            raise CallFailed(f"the clipboard can't be read: {exc}; try again") from exc

    def write(self, text: str) -> None:
        """Replace the text.

        Raises:
            CallFailed: another program keeps the clipboard to itself.
        """
        try:
            self._module.copy(text)
        except (self._module.PyperclipException, OSError) as exc:
            raise CallFailed(f"the clipboard can't be written: {exc}; try again") from exc
