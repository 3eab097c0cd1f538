"""The programs that a virtual desktop is made of, and the applications of the desktop suite."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harness.errors import ControllerError


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program, or a module that programs load, which has to be on this machine.

    Attributes:
        name: What it is called.
        package: The package of Debian and Ubuntu that brings it.
        places: Where it may stand besides the folders of PATH; `*` stands for any one folder.
    """

    name: str
    package: str
    places: tuple[str, ...] = ()

    def find(self, environment: Mapping[str, str]) -> str | None:
        """Return where it stands, or None; looks through the PATH of `environment`."""
        found = shutil.which(self.name, path=environment.get("PATH", os.defpath))
        if found is not None:
            return found
        found_places = (str(place) for pattern in self.places for place in Path("/").glob(pattern.lstrip("/")))
        return next(found_places, None)

    def require(self, environment: Mapping[str, str]) -> str:
        """Return where it stands, as `find` does.

        Raises:
            ControllerError: it is not on this machine; the text says how to install it.
        """
        found = self.find(environment)
        if found is None:
            raise ControllerError(f"{self.name} is not installed; run: {install_command((self,))}")
        return found


XVFB: Final = Program(name="Xvfb", package="xvfb")
OPENBOX: Final = Program(name="openbox", package="openbox")
DBUS: Final = Program(name="dbus-daemon", package="dbus")
ACCESSIBILITY: Final = Program(
    name="at-spi-bus-launcher",
    package="at-spi2-core",
    places=(
        "/usr/libexec/at-spi-bus-launcher",
        "/usr/lib/at-spi2-core/at-spi-bus-launcher",
        "/usr/lib/at-spi-bus-launcher",
    ),
)
SETXKBMAP: Final = Program(name="setxkbmap", package="x11-xkb-utils")
XRANDR: Final = Program(name="xrandr", package="x11-xserver-utils")

DESKTOP_PROGRAMS: Final = (XVFB, OPENBOX, DBUS, ACCESSIBILITY, SETXKBMAP, XRANDR)
# Without these two a GTK 2 application, such as pcmanfm, shows no elements to the accessibility bus.
GTK2_ACCESSIBILITY: Final = tuple(
    Program(
        name=name,
        package=package,
        places=(f"/usr/lib/*/gtk-2.0/modules/{name}", f"/usr/lib*/gtk-2.0/modules/{name}"),
    )
    for name, package in (("libgail.so", "libgail-common"), ("libatk-bridge.so", "libatk-adaptor"))
)
SUITE_APPLICATIONS: Final = (
    *(
        Program(name=name, package=name)
        for name in ("mousepad", "featherpad", "galculator", "pcmanfm", "gnumeric", "xterm", "zenity")
    ),
    *GTK2_ACCESSIBILITY,
)


def missing(programs: Sequence[Program], environment: Mapping[str, str]) -> tuple[Program, ...]:
    """Return those that are not on this machine, in their order; `environment` gives the PATH."""
    return tuple(program for program in programs if program.find(environment) is None)


def missing_text(who: str, absent: Sequence[Program]) -> str:
    """Return what to tell a person when `who` can't work without programs that are absent."""
    names = ", ".join(program.name for program in absent)
    return (
        f"{who} needs programs that are not installed: {names}; "
        f"run `transom doctor --fix`, or: {install_command(absent)}"
    )


def install_command(programs: Sequence[Program]) -> str:
    """Return the command that a person types to install programs on Debian and Ubuntu."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return f"{'' if is_root else 'sudo '}apt-get install --no-install-recommends {' '.join(packages(programs))}"


def packages(programs: Sequence[Program]) -> tuple[str, ...]:
    """Return the packages that bring programs, each once."""
    return tuple(dict.fromkeys(program.package for program in programs))
