"""What `transom doctor` looks at for desktop agents. Nothing here is a failure: web runs need none of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from harness.cli.doctor_checks import Check, installed_version
from harness.controllers.desktop.packages import driver_problem, missing_packages
from harness.controllers.desktop.preflight import check_display, display_notices
from harness.controllers.desktop.programs import (
    DESKTOP_PROGRAMS,
    SUITE_APPLICATIONS,
    Program,
    install_command,
    missing,
)

_EXTRA: Final = "pip install 'transom[desktop]'"


def desktop_checks(environ: Mapping[str, str], platform: str) -> Iterator[Check]:
    """Yield what concerns desktop agents; little where their extra is not installed."""
    yield check_screen(environ, platform)
    yield check_desktop_packages(missing_packages(platform))
    groups = wanted_groups(platform)
    if groups:
        yield check_driver(driver_problem())
    for name, programs in groups.items():
        yield check_programs(name, programs, environ)


def check_screen(environ: Mapping[str, str], platform: str) -> Check:
    """Say whether there is a screen that a desktop agent can drive, or a browser's window be shown on."""
    problem = check_display(environ, platform)
    if problem is not None:
        return Check(name="display", status="warn", seen="none to drive; web runs work headless", advice=problem)
    seen = f"DISPLAY={environ['DISPLAY']}" if platform.startswith("linux") else f"the desktop of {platform}"
    notices = display_notices(environ, platform)
    return Check(name="display", status="warn" if notices else "ok", seen=seen, advice="; ".join(notices))


def check_desktop_packages(lacking: Sequence[str]) -> Check:
    """Say whether the extra `desktop` is installed; one that was never wanted is fine."""
    if lacking:
        seen = f"not installed: {', '.join(lacking)}"
        return Check(name="desktop", status="ok", seen=seen, advice=f"for desktop agents run: {_EXTRA}")
    return Check(name="desktop", status="ok", seen="its packages are installed")


def check_driver(problem: str | None) -> Check:
    """Say whether python-xlib is the one that was installed."""
    if problem is None:
        return Check(name="python-xlib", status="ok", seen="whole")
    return Check(name="python-xlib", status="warn", seen="not as it was installed", advice=problem)


def check_programs(name: str, programs: Sequence[Program], environ: Mapping[str, str]) -> Check:
    """Say which of some programs are not on this machine."""
    absent = missing(programs, environ)
    if not absent:
        return Check(name=name, status="ok", seen=", ".join(program.name for program in programs))
    seen = f"not installed: {', '.join(program.name for program in absent)}"
    advice = f"run: transom doctor --fix, or: {install_command(absent)}"
    return Check(name=name, status="warn", seen=seen, advice=advice)


def wants_suite() -> bool:
    """Return whether the extra `evals` is installed too, so that the desktop suite is of use."""
    return installed_version("miniwob") is not None


def wanted_groups(platform: str) -> Mapping[str, Sequence[Program]]:
    """Return the programs that go with the extras that are installed, by what they are for; none but on Linux."""
    if missing_packages(platform) or not platform.startswith("linux"):
        return {}
    suite = {"desktop suite": SUITE_APPLICATIONS} if wants_suite() else {}
    return {"virtual desktop": DESKTOP_PROGRAMS, **suite}


def wanted_programs() -> tuple[Program, ...]:
    """Return the programs of those groups on this machine."""
    return tuple(program for programs in wanted_groups(sys.platform).values() for program in programs)
