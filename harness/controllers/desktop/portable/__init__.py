"""A desktop driven through pyautogui and mss: macOS, Windows, and X11 on request."""

from harness.controllers.desktop.portable.backend import PortableBackend

__all__ = ["PortableBackend"]
