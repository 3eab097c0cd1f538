"""SQLite files that notice damage: format stamps, private copies for checking, typed errors."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.errors import StorageBusy, StorageDamaged, StorageError, StorageVersion
from harness.store.atomic import storage_errors

_COPY_ATTEMPTS = 5
_LIVE: dict[Path, sqlite3.Connection] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseFormat:
    """What a database of ours looks like.

    Attributes:
        name: For messages, for example `session log`.
        application_id: Stamp in the file header.
        version: Version of the schema, from 1.
        schema: `CREATE` statements, run in one transaction.
    """

    name: str
    application_id: int
    version: int
    schema: tuple[str, ...]


def append_only(table: str) -> tuple[str, ...]:
    """Return the trigger statements that refuse to change or delete a row of `table`."""
    return tuple(
        f"CREATE TRIGGER {table}_no_{verb} BEFORE {verb.upper()} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        for verb in ("update", "delete")
    )


def create_database(path: Path, form: DatabaseFormat, *, busy_s: float = 5.0) -> sqlite3.Connection:
    """Make a new database with its whole schema in one transaction, and return the connection that writes it.

    Raises:
        StorageError: the file exists already or can't be written.
    """
    if path.exists():
        raise StorageError(f"{path}: the file exists already; open it, or use a new session directory")
    connection = connect_database(path, busy_s=busy_s)
    with transaction(connection, path):
        for statement in form.schema:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {form.application_id}")
        connection.execute(f"PRAGMA user_version = {form.version}")
    return connection


def connect_database(path: Path, *, busy_s: float = 5.0) -> sqlite3.Connection:
    """Open the live file for writing: write-ahead log, every commit on the disk before it returns.

    One handle writes a file; its calls may come from different threads but never at the same time.
    """
    with database_errors(path):
        connection = sqlite3.connect(path, timeout=busy_s, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
    _LIVE[path.resolve()] = connection
    return connection


def close_database(connection: sqlite3.Connection, path: Path) -> None:
    """Close a connection of `connect_database`; closing twice is fine."""
    if _LIVE.get(path.resolve()) is connection:
        del _LIVE[path.resolve()]
    connection.close()


@contextmanager
def transaction(connection: sqlite3.Connection, path: Path, *, waits_for_disk: bool = True) -> Iterator[None]:
    """Run the block in one immediate transaction: all of it, or after an exception nothing.

    Args:
        connection: One of `connect_database`.
        path: Its file.
        waits_for_disk: Whether the commit is on the disk when this returns. Without it the next commit that waits
            takes this one along; a killed process loses nothing either way.

    Raises:
        StorageBusy, StorageDamaged, StorageError: as `database_errors`.
    """
    with database_errors(path):
        connection.execute(f"PRAGMA synchronous = {'FULL' if waits_for_disk else 'NORMAL'}")
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            # A full disk makes SQLite roll back by itself; a second rollback would hide the real error.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's exceptions inside the block into typed errors that name `path`."""
    try:
        yield
    except sqlite3.OperationalError as exc:
        raise _operational(path, exc) from exc
    except (sqlite3.DatabaseError, UnicodeDecodeError) as exc:
        raise StorageDamaged(f"{path}: {exc}; the file was left as it is: restore it from a copy") from exc


def _operational(path: Path, exc: sqlite3.OperationalError) -> StorageError:
    text = str(exc)
    if "locked" in text or "busy" in text:
        return StorageBusy(f"{path}: {text}; close the other program that holds the file, then try again")
    if "no such" in text or "malformed" in text:
        return StorageDamaged(f"{path}: {text}; the file was left as it is: restore it from a copy")
    return StorageError(f"{path}: {text}; check that the disk has room and that this user may read and write there")


@contextmanager
def checked_copy(path: Path, form: DatabaseFormat) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a private copy of `path` whose format was checked; the live file holds no lock of ours.

    Raises:
        StorageDamaged: the file is missing, empty, torn or has another schema.
        StorageVersion: it belongs to another program or another version.
        StorageError: it can't be read.
    """
    if not path.is_file():
        raise StorageDamaged(f"{path}: the {form.name} is missing; restore the file from a copy")
    with tempfile.TemporaryDirectory(prefix="transom-copy-") as folder:
        copy = Path(folder) / path.name
        with database_errors(path), storage_errors(path):
            _copy_database(path, copy)
            if copy.stat().st_size == 0:
                raise StorageDamaged(f"{path}: the {form.name} is empty (0 bytes); restore the file from a copy")
            connection = sqlite3.connect(copy, isolation_level=None)
        try:
            with database_errors(path):
                _check_format(connection, path, form)
                yield connection
        finally:
            connection.close()


def _wal(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _copy_database(path: Path, copy: Path) -> None:
    live = _LIVE.get(path.resolve())
    if live is not None:
        # Opening and closing the file here would drop the locks that SQLite holds for this process (POSIX locks
        # belong to process and file), so the handle that has it open makes the copy.
        with sqlite3.connect(copy) as target:
            live.backup(target)
        target.close()
        return
    for _ in range(_COPY_ATTEMPTS):
        before = _fingerprint(path)
        shutil.copyfile(path, copy)
        if _wal(path).is_file():
            shutil.copyfile(_wal(path), _wal(copy))
        if _fingerprint(path) == before:
            return
        _wal(copy).unlink(missing_ok=True)
    raise StorageBusy(f"{path}: the file changed during {_COPY_ATTEMPTS} attempts to copy it; try again")


def _fingerprint(path: Path) -> tuple[int, int, bytes]:
    """Return what changes when a checkpoint moves pages from the write-ahead log into the main file."""
    state = path.stat()
    wal = _wal(path)
    header = b""
    if wal.is_file():
        with wal.open("rb") as file:
            header = file.read(32)
    return state.st_mtime_ns, state.st_size, header


def _check_format(connection: sqlite3.Connection, path: Path, form: DatabaseFormat) -> None:
    application_id = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    schema = tuple(row[0] for row in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))
    if not schema and not application_id:
        raise StorageDamaged(f"{path}: the {form.name} holds no table; restore the file from a copy")
    if application_id != form.application_id:
        raise StorageVersion(
            f"{path}: application id {application_id:#x} is not a {form.name} of Transom ({form.application_id:#x}); "
            "name another file"
        )
    if version != form.version:
        raise StorageVersion(
            f"{path}: schema version {version}, this program reads {form.version}; "
            + ("use a newer Transom" if version > form.version else "use the Transom that wrote it")
        )
    if set(schema) != set(form.schema):
        raise StorageDamaged(f"{path}: the tables of the {form.name} differ; restore the file from a copy")
    problem = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if problem != "ok":
        raise StorageDamaged(f"{path}: {problem}; restore the file from a copy")
