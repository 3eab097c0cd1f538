"""Finding a Chromium on this machine, without starting anything."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from harness.errors import ControllerError

BROWSER_VARIABLE: Final = "TRANSOM_BROWSER"
# The shell has no window system of its own: a fresh page costs a quarter of what it costs in the full browser.
_SHELL_COMMANDS: Final = ("chromium-headless-shell", "chrome-headless-shell")
_COMMANDS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MAC_APPS: Final = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_DOWNLOADED: Final = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "chromium-*/chrome-win*/chrome.exe",
)
_DOWNLOADED_SHELL: Final = "chromium_headless_shell-*/chrome-*/*headless*shell*"


def find_chromium(environ: Mapping[str, str] = os.environ, *, is_headed: bool = False) -> Path | None:
    """Return the Chromium to use: TRANSOM_BROWSER, else an installed one, else Playwright's download; else None.

    Args:
        environ: The environment; its PATH is searched.
        is_headed: Whether a window is wanted; without one a headless shell comes first, as it starts pages faster.

    Raises:
        ControllerError: TRANSOM_BROWSER names something that can't be run.
    """
    named = environ.get(BROWSER_VARIABLE, "")
    if named:
        return _named_browser(named)
    return next(_candidates(environ, is_headed=is_headed), None)


def _named_browser(named: str) -> Path:
    found = shutil.which(named)
    if found is None:
        raise ControllerError(
            f"{BROWSER_VARIABLE} names {named!r}, which is no program; set it to a Chromium or unset it"
        )
    return Path(found)


def _candidates(environ: Mapping[str, str], *, is_headed: bool) -> Iterator[Path]:
    for command in _COMMANDS if is_headed else (*_SHELL_COMMANDS, *_COMMANDS):
        found = shutil.which(command, path=environ.get("PATH"))
        if found is not None:
            yield Path(found)
    yield from (Path(app) for app in _MAC_APPS if Path(app).is_file())
    for pattern in _DOWNLOADED if is_headed else (_DOWNLOADED_SHELL, *_DOWNLOADED):
        yield from sorted(_download_folder(environ).glob(pattern), key=_build_number, reverse=True)


def _build_number(program: Path) -> int:
    for part in program.parts:
        _, _, build = part.partition("-")
        if part.startswith("chromium") and build.isdigit():
            return int(build)
    return 0


def _download_folder(environ: Mapping[str, str]) -> Path:
    chosen = environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    if chosen not in ("", "0"):
        return Path(chosen)
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or ".")
    match sys.platform:
        case "darwin":
            return home / "Library/Caches/ms-playwright"
        case "win32":
            return home / "AppData/Local/ms-playwright"
        case _:
            return home / ".cache/ms-playwright"
