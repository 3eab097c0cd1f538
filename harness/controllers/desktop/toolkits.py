"""Settings of the applications' toolkits on a virtual desktop: what stands still is the same picture twice.

A caret that blinks and a scroll bar that fades make new bytes of a screen on which nothing happened.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_GTK3: Final = "[Settings]\ngtk-cursor-blink=0\ngtk-enable-animations=0\n"
_GTK2: Final = "gtk-cursor-blink = 0\n"


def write_settings(home: Path) -> None:
    """Write the settings of GTK 2 and GTK 3 into a home folder that is empty."""
    folder = home / ".config" / "gtk-3.0"
    folder.mkdir(parents=True)
    (folder / "settings.ini").write_text(_GTK3, encoding="utf-8")
    (home / ".gtkrc-2.0").write_text(_GTK2, encoding="utf-8")
