"""What `transom doctor --fix` does: it gets a browser, in the way that changes least."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence

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


def browser_commands() -> tuple[tuple[str, ...], ...]:
    """Return the commands that may bring a browser on this machine: Playwright's download, then apt for root."""
    download = (sys.executable, "-m", "playwright", "install", "chromium")
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if not is_root or shutil.which("apt-get") is None:
        return (download,)
    install = ("apt-get", "install", "-y", "chromium", "chromium-headless-shell")
    return (download, install, ("apt-get", "update"), install, ("apt-get", "install", "-y", "chromium"))


def run_command(command: Sequence[str]) -> bool:
    """Run a command; return whether it succeeded. Of a failed one the error stream gets its last line."""
    try:
        done = subprocess.run(  # noqa: S603  # commands come from `browser_commands` only
            list(command),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
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
