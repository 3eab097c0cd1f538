"""The image window: who owns a slot. Pure; imports values alone."""

from harness.values.window import WindowSelection
from harness.window.selection import select_images

__all__ = ["WindowSelection", "select_images"]
