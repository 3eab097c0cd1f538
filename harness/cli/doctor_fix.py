"""What `transom doctor --fix` does: it gets a browser and the desktop's programs, in the way that changes least."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence

from harness.controllers.desktop.programs import Program, install_command, packages

Run = Callable[[Sequence[str]], bool]
_INSTALL_S = 900.0
_LINE_CHARS = 200


def fix_browser(
    *, is_working: Callable[[], bool], run: Run, say: Callable[[str], None], commands: Sequence[Sequence[str]]
) -> bool:
    """Try `commands` in order until a browser works; return whether one does.

    An existing browser that works is kept and nothing is run.
    """
    if is_working():
        return True
    for command in commands:
        say(f"running: {' '.join(command)}")
        if not run(command):
            say("that failed; trying the next way")
        elif is_working():
            return True
    say("no way to get a browser worked; install Chromium yourself and set TRANSOM_BROWSER to it")
    return False


def fix_programs(
    *, find_missing: Callable[[], Sequence[Program]], run: Run, say: Callable[[str], None], can_install: bool
) -> bool:
    """Install the programs of desktop agents that are missing; return whether all are there.

    Args:
        find_missing: Returns the programs that are still missing.
        run: Runs a command and returns whether it succeeded.
        say: Told what is done, and in the end what a person has to do.
        can_install: Whether this process may install packages of Debian or Ubuntu.
    """
    absent = find_missing()
    if not absent:
        return True
    if can_install:
        say(
            f"installing the programs of desktop agents, about a minute: {' '.join(program.name for program in absent)}"
        )
        install = ("apt-get", "install", "-y", "--no-install-recommends", *packages(absent))
        if run(install) or (run(("apt-get", "update")) and run(install)):
            absent = find_missing()
    if absent:
        say(f"desktop agents lack {', '.join(program.name for program in absent)}; run: {install_command(absent)}")
    return not absent


def can_install() -> bool:
    """Return whether this process may install packages of Debian or Ubuntu."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return is_root and shutil.which("apt-get") is not None


def browser_commands() -> tuple[tuple[str, ...], ...]:
    """Return the commands that may bring a browser on this machine: Playwright's download, then apt for root."""
    download = (sys.executable, "-m", "playwright", "install", "chromium")
    if not can_install():
        return (download,)
    install = ("apt-get", "install", "-y", "chromium", "chromium-headless-shell")
    return (download, install, ("apt-get", "update"), install, ("apt-get", "install", "-y", "chromium"))


def run_command(command: Sequence[str]) -> bool:
    """Run a command; return whether it succeeded. Of a failed one the error stream gets its last line."""
    try:
        done = subprocess.run(  # noqa: S603  # commands come from this module only
            list(command),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            text=True,
            errors="replace",
            timeout=_INSTALL_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as exc:
        sys.stderr.write(f"  {exc}\n")
        return False
    if done.returncode != 0:
        sys.stderr.write(f"  {_telling_line(done.stdout)}\n")
    return done.returncode == 0


def _telling_line(output: str) -> str:
    """Return the line that says why: the last one that names an error, else the last one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith(("error", "e:"))]
    return (errors or lines or ["it said nothing"])[-1][:_LINE_CHARS]
