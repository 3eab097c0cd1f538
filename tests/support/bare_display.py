"""An X server of a test's own, on which there is nothing: no window manager, no colour, no secret."""

from __future__ import annotations

import subprocess
from contextlib import closing
from pathlib import Path

from desktop_session import LIMIT_S, DesktopSession, read_when_written, wait_for

from harness.controllers.desktop.x11.connection import open_display
from harness.values.geometry import Size

SMALL = Size(width_px=800, height_px=600)


class BareDisplay:
    """An X server that a desktop keeps, and that goes when the desktop is reset.

    Attributes:
        environment: Its DISPLAY; the variables of an application are the desktop's beside it.
    """

    def __init__(self, desktop: DesktopSession, folder: Path, *, size: Size = SMALL) -> None:
        screen = f"{size.width_px}x{size.height_px}x24"
        self._desktop = desktop
        self._server = desktop.start(
            ["Xvfb", "-displayfd", "1", "-screen", "0", screen, "-nolisten", "tcp", "-noreset"],
            stdout=folder / "number",
        )
        number = read_when_written(folder / "number", lambda text: text.endswith("\n")).strip()
        self.environment = {"DISPLAY": f":{number}"}

    @property
    def process_id(self) -> int:
        """The server's process."""
        return self._server

    def manage(self) -> int:
        """Start a window manager and return its process id once it is ready."""
        manager = self._desktop.start(["openbox"], environment=self.environment)
        with closing(open_display(self.environment)) as display:
            names = {display.intern_atom(name) for name in ("_NET_SUPPORTING_WM_CHECK", "_NET_CLIENT_LIST")}
            wait_for(lambda: names <= set(display.screen().root.list_properties()), "a window manager")
        return manager

    def xrandr(self, *options: str) -> None:
        """Change its monitors."""
        subprocess.run(
            ["xrandr", *options], env={**self._desktop.environment, **self.environment}, check=True, timeout=LIMIT_S
        )

    def end(self) -> None:
        """End the server."""
        self._desktop.blocking.end(self._server)
