"""What makes a desktop on a machine without a screen: X server, window manager, D-Bus, accessibility bus."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from harness.controllers.desktop.authority import write_authority
from harness.controllers.desktop.children import Children
from harness.controllers.desktop.place import MARKER, DesktopPlace
from harness.controllers.desktop.programs import ACCESSIBILITY, DBUS, OPENBOX, XVFB, Program
from harness.controllers.desktop.root_window import RootWindow
from harness.errors import ControllerError
from harness.values.geometry import Size

START_S: Final = 15.0
DOTS_PER_INCH: Final = 96
# Any plain colour but black: an all black picture counts as a failed capture.
ROOT_COLOUR: Final = 0x40586B
OPENBOX_SETTINGS: Final = Path(__file__).with_name("openbox.xml")
# The window manager reads the table of composed characters, which it has no use for, at each change of the keyboard's
# map: 70 ms of work, where 2 are left without it. Typing other scripts makes many such changes.
_NO_COMPOSING: Final = {"XCOMPOSEFILE": os.devnull}
_SIGNS_OF_LIFE: Final = {
    "_NET_SUPPORTING_WM_CHECK": OPENBOX,
    "_NET_CLIENT_LIST": OPENBOX,
    "AT_SPI_BUS": ACCESSIBILITY,
}
_ACCESSIBLE: Final = {
    "NO_AT_BRIDGE": "0",
    "GTK_MODULES": "gail:atk-bridge",
    "GTK_A11Y": "atspi",
    "QT_ACCESSIBILITY": "1",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
}
_INACCESSIBLE: Final = {"NO_AT_BRIDGE": "1", "GTK_A11Y": "none"}


class Servers:
    """Starts the servers of one desktop, and knows when one has ended."""

    def __init__(self, children: Children, place: DesktopPlace, allowed: Mapping[str, str]) -> None:
        self._children = children
        self._place = place
        self._allowed = allowed
        self._running: dict[Program, int] = {}
        self._end_s = time.monotonic() + START_S

    def start(self, size: Size, extra: Mapping[str, str], *, has_accessibility: bool) -> dict[str, str]:
        """Start them all and return the environment of the desktop's applications when they are ready.

        Raises:
            ControllerError: one did not start; the text holds its last message.
        """
        authority = self._place.runtime / "Xauthority"
        cookie = write_authority(authority)
        number = self._start_display(size, authority)
        environment = {
            **self._allowed,
            **_settings(self._place),
            **(_ACCESSIBLE if has_accessibility else _INACCESSIBLE),
            **extra,
            **_addresses(self._place, f":{number}", authority),
        }
        self._start_bus(environment)
        with RootWindow(number, cookie, timeout_s=START_S) as root:
            root.paint(ROOT_COLOUR)
            root.park_pointer(size.width_px - 1, size.height_px - 1)
            root.wake_keyboard()
            if has_accessibility:  # takes longest, so it comes first
                self._start(ACCESSIBILITY, environment, "--launch-immediately")
            self._start(OPENBOX, {**environment, **_NO_COMPOSING}, "--config-file", str(OPENBOX_SETTINGS))
            signs = [sign for sign, program in _SIGNS_OF_LIFE.items() if program in self._running]
            root.wait_for_properties(signs, self._check)
        return environment

    def ended(self) -> Program | None:
        """Return a server that has ended, or None."""
        for program, process_id in self._running.items():
            if self._children.returncode(process_id) is not None:
                return program
        return None

    def _start_display(self, size: Size, authority: Path) -> int:
        read_end, write_end = os.pipe()
        self._start(
            XVFB,
            {**self._allowed, MARKER: str(self._place.folder)},
            *("-displayfd", str(write_end), "-screen", "0", f"{size.width_px}x{size.height_px}x24"),
            *("-dpi", str(DOTS_PER_INCH), "-auth", str(authority), "-nolisten", "tcp", "-noreset"),
            descriptor=write_end,
        )
        # The server writes digits and newline apart and dies when the pipe closes in between.
        return int(self._read_line(read_end, XVFB))

    def _start_bus(self, environment: Mapping[str, str]) -> None:
        read_end, write_end = os.pipe()
        address = environment["DBUS_SESSION_BUS_ADDRESS"]
        options = ("--session", "--nofork", "--nopidfile", f"--address={address}", f"--print-address={write_end}")
        self._start(DBUS, environment, *options, descriptor=write_end)
        self._read_line(read_end, DBUS)

    def _start(
        self, program: Program, environment: Mapping[str, str], *options: str, descriptor: int | None = None
    ) -> None:
        """Start a server; `descriptor` is handed over to it and closed here."""
        found = program.require(environment)
        self._running[program] = self._children.start(
            [found, *options],
            environment=environment,
            cwd=self._place.home,
            output=self._place.log(program.name),
            has_error_output=True,
            descriptors=() if descriptor is None else (descriptor,),
            # Killed, the X server would leave its lock file and its socket behind.
            death_signal=signal.SIGTERM if program is XVFB else signal.SIGKILL,
        )
        if descriptor is not None:
            os.close(descriptor)

    def _read_line(self, descriptor: int, program: Program) -> str:
        line = b""
        try:
            while not line.endswith(b"\n"):
                if not select.select([descriptor], [], [], max(0.0, self._end_s - time.monotonic()))[0]:
                    raise self._failure(program, f"gave no sign within {START_S:.0f} s")
                read = os.read(descriptor, 256)
                if not read:
                    raise self._failure(program, "ended at once")
                line += read
        finally:
            os.close(descriptor)
        return line.decode().strip()

    def _check(self) -> None:
        ended = self.ended()
        if ended is not None:
            raise self._failure(ended, "ended at once")
        if time.monotonic() > self._end_s:
            names = ", ".join(program.name for program in self._running)
            raise ControllerError(f"the virtual desktop was not ready within {START_S:.0f} s; started: {names}")

    def _failure(self, program: Program, what: str) -> ControllerError:
        lines = self._place.log(program.name).read_text(errors="replace").strip().splitlines()
        return ControllerError(f"{program.name} {what}: {lines[-1] if lines else 'it said nothing'}")


def _settings(place: DesktopPlace) -> dict[str, str]:
    """Return what makes applications behave alike everywhere and touch nothing outside the desktop."""
    return {
        "LANG": "C.UTF-8",
        "TMPDIR": str(place.temporary),
        "GSETTINGS_BACKEND": "memory",
        "GDK_BACKEND": "x11",
        "QT_QPA_PLATFORM": "xcb",
        "XDG_SESSION_TYPE": "x11",
        "XDG_CURRENT_DESKTOP": "Openbox",
    }


def _addresses(place: DesktopPlace, display: str, authority: Path) -> dict[str, str]:
    """Return what says where the desktop is; nobody else sets these."""
    home = place.home
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_RUNTIME_DIR": str(place.runtime),
        "DISPLAY": display,
        "XAUTHORITY": str(authority),
        "DBUS_SESSION_BUS_ADDRESS": f"unix:path={place.runtime / 'bus'}",
        MARKER: str(place.folder),
    }
