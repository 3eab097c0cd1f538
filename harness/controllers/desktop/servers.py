"""What makes a desktop on a machine without a screen: X server, window manager, D-Bus, accessibility bus."""

from __future__ import annotations

import os
import secrets
import select
import signal
import struct
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from harness.controllers.desktop.children import Children
from harness.controllers.desktop.place import MARKER, DesktopPlace
from harness.controllers.desktop.programs import ACCESSIBILITY, DBUS, OPENBOX, XVFB, Program
from harness.errors import ControllerError
from harness.values.geometry import Size

if TYPE_CHECKING:
    from Xlib.display import Display

START_S: Final = 15.0
DOTS_PER_INCH: Final = 96
# Any plain colour but black: an all black picture counts as a failed capture.
ROOT_COLOUR: Final = 0x40586B
_MANAGER_READY: Final = ("_NET_SUPPORTING_WM_CHECK", "_NET_CLIENT_LIST")
_ACCESSIBILITY_READY: Final = ("AT_SPI_BUS",)
_FAMILY_LOCAL: Final = 256
_FAMILY_WILD: Final = 0xFFFF
_OPENBOX_CHANGES: Final = (
    # With one desktop a turn of the wheel over the background can't take every window away.
    ("<number>4</number>", "<number>1</number>"),
    ("<animateIconify>yes</animateIconify>", "<animateIconify>no</animateIconify>"),
)


class Servers:
    """Starts the servers of one desktop, in their order."""

    def __init__(self, children: Children, place: DesktopPlace, allowed: Mapping[str, str]) -> None:
        self._children = children
        self._place = place
        self._allowed = allowed
        self._end_s = time.monotonic() + START_S

    def start(self, size: Size, extra: Mapping[str, str], *, has_accessibility: bool) -> dict[str, str]:
        """Start them all and return the environment of the desktop's applications when they are ready.

        Raises:
            ControllerError: one did not start; the text holds its last message.
        """
        authority = write_authority(self._place.runtime / "Xauthority")
        number = self._start_display(size, authority)
        environment = self._environment(f":{number}", authority, extra, has_accessibility=has_accessibility)
        self._start_bus(environment)
        with self._connected(environment) as display:
            _paint_background(display)
            awaited = list(_MANAGER_READY)
            write_openbox_settings(self._place.home)
            self._server(OPENBOX, environment)
            if has_accessibility:
                self._server(ACCESSIBILITY, environment, "--launch-immediately")
                awaited += _ACCESSIBILITY_READY
            self._wait_for_properties(display, awaited)
        return environment

    def _start_display(self, size: Size, authority: Path) -> int:
        screen = f"{size.width_px}x{size.height_px}x24"
        read_end, write_end = os.pipe()
        self._server(
            XVFB,
            self._allowed,
            *("-displayfd", str(write_end), "-screen", "0", screen, "-dpi", str(DOTS_PER_INCH)),
            *("-auth", str(authority), "-nolisten", "tcp", "-noreset"),
            descriptor=write_end,
        )
        os.close(write_end)
        import Xlib.display  # noqa: F401, PLC0415  # takes as long as the server does to start

        # The server writes digits and newline apart and dies when the pipe closes in between.
        return int(self._read_line(read_end, XVFB))

    def _start_bus(self, environment: Mapping[str, str]) -> None:
        read_end, write_end = os.pipe()
        address = environment["DBUS_SESSION_BUS_ADDRESS"]
        options = ("--session", "--nofork", "--nopidfile", f"--address={address}", f"--print-address={write_end}")
        self._server(DBUS, environment, *options, descriptor=write_end)
        os.close(write_end)
        self._read_line(read_end, DBUS)

    def _server(
        self, program: Program, environment: Mapping[str, str], *options: str, descriptor: int | None = None
    ) -> None:
        found = program.find(environment)
        if found is None:
            raise ControllerError(f"{program.name} is not installed; run: apt-get install {program.package}")
        self._children.start(
            [found, *options],
            environment=environment,
            cwd=self._place.home,
            output=self._place.log(program.name),
            has_error_output=True,
            descriptors=() if descriptor is None else (descriptor,),
            # Killed, the X server would leave its lock file and its socket behind.
            death_signal=signal.SIGTERM if program is XVFB else signal.SIGKILL,
        )

    def _read_line(self, descriptor: int, program: Program) -> str:
        line = b""
        try:
            while not line.endswith(b"\n"):
                if not select.select([descriptor], [], [], self._left_s())[0]:
                    raise self._failure(program, f"gave no sign within {START_S:.0f} s")
                read = os.read(descriptor, 256)
                if not read:
                    raise self._failure(program, "ended at once")
                line += read
        finally:
            os.close(descriptor)
        return line.decode().strip()

    def _wait_for_properties(self, display: Display, names: list[str]) -> None:
        from Xlib import X  # noqa: PLC0415  # loaded while the server starts

        root = display.screen().root
        root.change_attributes(event_mask=X.PropertyChangeMask)
        left = {display.intern_atom(name): name for name in names}
        while True:
            for atom in [atom for atom in left if root.get_full_property(atom, X.AnyPropertyType) is not None]:
                del left[atom]
            if not left:
                return
            if not display.pending_events() and not select.select([display], [], [], self._left_s())[0]:
                program = OPENBOX if set(left.values()) & set(_MANAGER_READY) else ACCESSIBILITY
                raise self._failure(program, f"was not ready after {START_S:.0f} s")
            while display.pending_events():
                display.next_event()

    def _failure(self, program: Program, what: str) -> ControllerError:
        lines = self._place.log(program.name).read_text(errors="replace").strip().splitlines()
        return ControllerError(f"{program.name} {what}: {lines[-1] if lines else 'it said nothing'}")

    def _left_s(self) -> float:
        return max(0.0, self._end_s - time.monotonic())

    @contextmanager
    def _connected(self, environment: Mapping[str, str]) -> Iterator[Display]:
        from Xlib import display  # noqa: PLC0415  # loaded while the server starts

        os.environ["XAUTHORITY"] = environment["XAUTHORITY"]
        connection = display.Display(environment["DISPLAY"])
        try:
            yield connection
        finally:
            connection.close()

    def _environment(
        self, display: str, authority: Path, extra: Mapping[str, str], *, has_accessibility: bool
    ) -> dict[str, str]:
        home = self._place.home
        return {
            **self._allowed,
            "LANG": "C.UTF-8",
            "TMPDIR": str(self._place.temporary),
            "GSETTINGS_BACKEND": "memory",
            "GDK_BACKEND": "x11",
            "QT_QPA_PLATFORM": "xcb",
            "XDG_SESSION_TYPE": "x11",
            "XDG_CURRENT_DESKTOP": "Openbox",
            **(_ACCESSIBLE if has_accessibility else {"NO_AT_BRIDGE": "1"}),
            **extra,
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_DATA_HOME": str(home / ".local" / "share"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "XDG_STATE_HOME": str(home / ".local" / "state"),
            "XDG_RUNTIME_DIR": str(self._place.runtime),
            "DISPLAY": display,
            "XAUTHORITY": str(authority),
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self._place.runtime / 'bus'}",
            MARKER: str(self._place.folder),
        }


_ACCESSIBLE: Final = {
    "NO_AT_BRIDGE": "0",
    "GTK_MODULES": "gail:atk-bridge",
    "GTK_A11Y": "atspi",
    "QT_ACCESSIBILITY": "1",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
}


def write_authority(file: Path) -> Path:
    """Write a fresh secret that X server and clients share.

    It is entered twice: clients of the C library take the entry for any address, python-xlib only one of this host.
    """
    name, secret = b"MIT-MAGIC-COOKIE-1", secrets.token_bytes(16)
    entries = b""
    for family, address in ((_FAMILY_LOCAL, os.uname().nodename.encode()), (_FAMILY_WILD, b"")):
        entries += struct.pack(">H", family)
        for part in (address, b"", name, secret):
            entries += struct.pack(">H", len(part)) + part
    file.touch(mode=0o600)
    file.write_bytes(entries)
    return file


def write_openbox_settings(home: Path, system: Path = Path("/etc/xdg/openbox/rc.xml")) -> None:
    """Write the window manager's settings: the system's own, with one desktop and no animation."""
    if not system.is_file():
        return
    text = system.read_text(encoding="utf-8")
    for old, new in _OPENBOX_CHANGES:
        text = text.replace(old, new)
    file = home / ".config" / "openbox" / "rc.xml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _paint_background(display: Display) -> None:
    root = display.screen().root
    root.change_attributes(background_pixel=ROOT_COLOUR)
    root.clear_area()
    display.sync()
