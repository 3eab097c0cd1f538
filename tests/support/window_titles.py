"""Windows by their titles."""

from __future__ import annotations

from harness.controllers.desktop.x11.windows import X11Windows
from harness.values.desktop import DesktopWindow


def named(windows: X11Windows, title: str) -> DesktopWindow:
    found = [window for window in windows.windows() if title in window.title]
    assert len(found) == 1, f"{title!r} is {len(found)} of {windows.windows()}"
    return found[0]


def titles(windows: X11Windows) -> list[str]:
    return [window.title for window in windows.windows()]
