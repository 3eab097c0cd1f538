"""Session directories: where everything of one session lands."""

from __future__ import annotations

import re
import secrets
import string
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from harness.errors import SessionLocked, StorageDamaged, StorageError, UsageError
from harness.store.atomic import storage_errors, sweep_temporaries, sync_directory
from harness.store.blobs import BlobStore
from harness.store.info import SessionInfo, load_info, save_info

_ID = re.compile(r"\d{8}-\d{6}-[a-z]{6}")
_SHOWN_CANDIDATES = 10


def new_session_id(now: datetime) -> str:
    """Return `YYYYMMDD-HHMMSS-` in UTC and six random letters; never anything from a task or a page."""
    letters = "".join(secrets.choice(string.ascii_lowercase) for _ in range(6))
    return f"{now.astimezone(UTC):%Y%m%d-%H%M%S}-{letters}"


@dataclass(frozen=True, slots=True)
class SessionDirectory:
    """The directory of one session and the names inside it."""

    path: Path

    @classmethod
    def create(cls, artifacts: Path, *, now: datetime | None = None) -> SessionDirectory:
        """Make a new, empty session directory under `artifacts`.

        Raises:
            StorageError: it can't be made.
        """
        with storage_errors(artifacts):
            artifacts.mkdir(parents=True, exist_ok=True)
            directory = cls(artifacts / new_session_id(now or datetime.now(UTC)))
            directory.path.mkdir()
            directory.blobs.root.mkdir()
            directory.downloads.mkdir()
            sync_directory(directory.path)
            sync_directory(artifacts)
        return directory

    @classmethod
    def open(cls, path: Path) -> SessionDirectory:
        """Return an existing session directory; its files are checked when they are opened.

        Raises:
            StorageDamaged: there is no session in it.
        """
        directory = cls(path)
        if not directory.info_path.is_file() and not directory.log_path.is_file():
            raise StorageDamaged(f"{path}: no session here (no session.json and no session.sqlite3); name another one")
        return directory

    @property
    def id(self) -> str:
        """The session id, as the directory is named."""
        return self.path.resolve().name

    @property
    def log_path(self) -> Path:
        """The event log."""
        return self.path / "session.sqlite3"

    @property
    def notes_path(self) -> Path:
        """The note store."""
        return self.path / "working_memory.sqlite3"

    @property
    def head_path(self) -> Path:
        """The anchor of the event log."""
        return self.path / "session.head"

    @property
    def info_path(self) -> Path:
        """The entry in the session list."""
        return self.path / "session.json"

    @property
    def downloads(self) -> Path:
        """Where the browser's downloads land."""
        return self.path / "downloads"

    @property
    def blobs(self) -> BlobStore:
        """The blobs of the session."""
        return BlobStore(self.path / "blobs")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the directory as its one writer; leftovers of a killed writer are swept.

        The lock goes with the process, so a killed writer leaves none behind.

        Raises:
            SessionLocked: another writer holds it.
        """
        lock = FileLock(self.path / "lock", timeout=0, thread_local=False)
        with storage_errors(self.path):
            try:
                lock.acquire()
            except Timeout as exc:
                raise SessionLocked(
                    f"{self.path}: another process writes this session; wait until it ends, or stop it"
                ) from exc
        try:
            sweep_temporaries(self.path)
            yield
        finally:
            lock.release()

    def write_info(self, info: SessionInfo) -> None:
        """Write `session.json` whole.

        Raises:
            StorageError: it can't be written.
        """
        save_info(self.info_path, info)

    def read_info(self) -> SessionInfo:
        """Read `session.json`.

        Raises:
            StorageDamaged, StorageVersion, StorageError: as `load_info`.
        """
        return load_info(self.info_path)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEntry:
    """A session found on the disk.

    Attributes:
        directory: Where it is.
        info: Its `session.json`, or None when that is damaged.
        problem: What is wrong with it, or None.
    """

    directory: SessionDirectory
    info: SessionInfo | None
    problem: str | None = None


def list_sessions(artifacts: Path) -> tuple[SessionEntry, ...]:
    """Return the sessions under `artifacts`, newest first; folders that hold none are skipped, damaged ones named."""
    if not artifacts.is_dir():
        return ()
    with storage_errors(artifacts):
        found = [SessionDirectory(path) for path in artifacts.iterdir() if path.is_dir() and _is_session(path)]
    return tuple(_load_entry(directory) for directory in sorted(found, key=lambda item: item.id, reverse=True))


def _is_session(path: Path) -> bool:
    directory = SessionDirectory(path)
    return bool(_ID.fullmatch(path.name)) or (directory.info_path.is_file() and directory.log_path.is_file())


def _load_entry(directory: SessionDirectory) -> SessionEntry:
    try:
        return SessionEntry(directory=directory, info=directory.read_info())
    except StorageError as exc:
        return SessionEntry(directory=directory, info=None, problem=str(exc))


def find_session(artifacts: Path, wanted: str) -> SessionDirectory:
    """Return the session that `wanted` names: an id, a unique prefix of one, a directory, or `last`.

    Raises:
        UsageError: none or several match; the text lists candidates.
    """
    ids = [entry.directory.id for entry in list_sessions(artifacts)]
    if wanted == "last":
        if not ids:
            raise UsageError(f"no session under {artifacts}, wanted the last one; start one with `transom run`")
        return SessionDirectory(artifacts / ids[0])
    if wanted in ids:
        return SessionDirectory(artifacts / wanted)
    path = Path(wanted)
    if wanted and path.is_dir() and _is_session(path):
        return SessionDirectory(path)
    matching = [session for session in ids if wanted and session.startswith(wanted)]
    if len(matching) == 1:
        return SessionDirectory(artifacts / matching[0])
    raise UsageError(_not_found(artifacts, wanted, matching or ids, is_ambiguous=bool(matching)))


def _not_found(artifacts: Path, wanted: str, candidates: list[str], *, is_ambiguous: bool) -> str:
    problem = "several sessions start with" if is_ambiguous else "no session is named"
    if not candidates:
        return f"{problem} {wanted!r} and there is none under {artifacts}; start one with `transom run`"
    more = len(candidates) - _SHOWN_CANDIDATES
    shown = ", ".join(candidates[:_SHOWN_CANDIDATES]) + (f" and {more} more" if more > 0 else "")
    return f"{problem} {wanted!r} under {artifacts}; name one of: {shown}"
