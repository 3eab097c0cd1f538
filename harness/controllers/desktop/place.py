"""The folder of a virtual desktop: home, sockets, logs. It goes with its desktop, at the latest at the next start."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from harness.controllers.desktop.toolkits import write_settings
from harness.controllers.processes import end_processes, marked_processes

MARKER: Final = "TRANSOM_DESKTOP"
_PREFIX: Final = "transom-desktop-"
_LOCK: Final = "keeper.lock"
# A socket's path has room for 107 bytes, and the longest one below the folder takes about 30.
_LONGEST_BASE_CHARS: Final = 50
_GRACE_S: Final = 0.3
_ABANDONED_S: Final = 60.0


class DesktopPlace:
    """The folder of one desktop, locked while its keeper lives.

    Attributes:
        folder: The folder; readable by its user alone.
    """

    def __init__(self, folder: Path, lock: int) -> None:
        self.folder = folder
        self._lock = lock

    @classmethod
    def create(cls) -> DesktopPlace:
        """Make the folder and what is in it."""
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_base()))
        for name in ("home", "run", "tmp", "logs"):
            (folder / name).mkdir(mode=0o700)
        write_settings(folder / "home")
        # Locked under another name first: a folder whose lock can be had is one whose keeper is dead.
        fresh = folder / f"{_LOCK}.new"
        lock = os.open(fresh, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        fresh.rename(folder / _LOCK)
        return cls(folder, lock)

    @property
    def home(self) -> Path:
        """The home folder of the desktop's applications."""
        return self.folder / "home"

    @property
    def runtime(self) -> Path:
        """Where its sockets are."""
        return self.folder / "run"

    @property
    def temporary(self) -> Path:
        """Where its applications keep temporary files."""
        return self.folder / "tmp"

    def log(self, name: str) -> Path:
        """Return where a server's messages go."""
        return self.folder / "logs" / f"{name}.log"

    def remove(self) -> None:
        """Remove the folder; what can't be removed stays."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)


def sweep_leftovers() -> None:
    """Remove what desktops of killed keepers left: their processes, then their folders. Only this user's."""
    for folder in _leftover_candidates():
        sweep(folder)


def sweep(folder: Path) -> None:
    """End the processes of a desktop and remove its folder, unless its keeper lives or it is gone already."""
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        if _is_abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return
    else:
        end_processes(lambda: _members(folder), grace_s=_GRACE_S)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def _members(folder: Path) -> tuple[int, ...]:
    """Return what still runs of a desktop, but for this process, which may have been started on it."""
    return tuple(found for found in marked_processes(MARKER, str(folder)) if found != os.getpid())


def _is_abandoned(folder: Path) -> bool:
    """Return whether a folder has no lock although its keeper had ample time to make one."""
    try:
        return time.time() - folder.lstat().st_mtime > _ABANDONED_S
    except OSError:
        return False


def _leftover_candidates() -> Iterator[Path]:
    for folder in _base().glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid():
                yield folder


def _base() -> Path:
    usual = tempfile.gettempdir()
    return Path(usual if len(usual) <= _LONGEST_BASE_CHARS else "/tmp")  # noqa: S108  # mkdtemp makes it safe
