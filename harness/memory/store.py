"""The note store: an immutable audit of what the agent chose to keep. What is active is a fold of it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from harness.errors import NoteConflict, StorageBusy, StorageDamaged
from harness.store.database import (
    DatabaseFormat,
    append_only,
    checked_copy,
    close_database,
    connect_database,
    create_database,
    database_errors,
    transaction,
)
from harness.values.note import Note, NoteReceipt

NoteId = tuple[int, int, str]
BUSY_S = 5.0
_FIELDS = tuple(field.name for field in fields(Note))
_COLUMNS = ", ".join(_FIELDS)
FORMAT = DatabaseFormat(
    name="note store",
    application_id=0x54524E54,
    version=1,
    schema=(
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, round INTEGER NOT NULL, step INTEGER NOT NULL, "
        "call_index INTEGER NOT NULL, call_id TEXT NOT NULL, text TEXT NOT NULL, kind TEXT NOT NULL, "
        "reason TEXT NOT NULL, key TEXT, chain TEXT NOT NULL, UNIQUE (round, step, call_id))",
        *append_only("notes"),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredNote:
    """A row of the audit: the note, its event id from 1 and the chain's head after it."""

    event_id: int
    chain: str
    note: Note


def note_id(note: Note) -> NoteId:
    """Return what identifies a note event: round, session step, tool-call id."""
    return note.round, note.step, note.call_id


def select_active(notes: Iterable[Note], round_number: int) -> tuple[Note, ...]:
    """Return the active notes of a round, oldest to newest.

    A key holds the note of the latest step, within a step of the latest call; a key is as new as that note. Notes
    without a key all stay. The order in which notes arrived does not matter.
    """
    ordered = sorted((note for note in notes if note.round == round_number), key=_age)
    newest = {note.key: note for note in ordered if note.key is not None}
    return tuple(note for note in ordered if note.key is None or newest[note.key] is note)


def _age(note: Note) -> tuple[int, int]:
    return note.step, note.call_index


class NoteStore:
    """The notes of one session. One handle writes; its calls never overlap."""

    def __init__(self, path: Path, connection: sqlite3.Connection, audit: Sequence[StoredNote] = ()) -> None:
        self._path = path
        self._connection = connection
        self._count = len(audit)
        self._chain = audit[-1].chain if audit else ""

    @classmethod
    def create(cls, path: Path, *, busy_s: float = BUSY_S) -> NoteStore:
        """Start an empty store.

        Raises:
            StorageError: there is one already, or it can't be written.
        """
        store = cls(path, create_database(path, FORMAT, busy_s=busy_s))
        store._checkpoint()
        return store

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        expected_chain: str | None,
        expected_count: int,
        allowed_ahead: frozenset[NoteId] = frozenset(),
        busy_s: float = BUSY_S,
    ) -> NoteStore:
        """Check a private copy against what the session log says, then open the store to go on writing.

        Args:
            path: `working_memory.sqlite3`.
            expected_chain: Chain of the newest note event in the session log, None without one.
            expected_count: Event id of that note, 0 without one.
            allowed_ahead: Notes of calls that are still open in the log; the store may hold these beyond it.
            busy_s: How long a store held by another program is waited for.

        Raises:
            StorageDamaged, StorageVersion, StorageError: the text names file and place; nothing was changed.
        """
        audit = read_notes(path)
        _check_anchor(path, audit, expected_chain or "", expected_count)
        strangers = [item for item in audit[expected_count:] if note_id(item.note) not in allowed_ahead]
        if strangers:
            raise StorageDamaged(
                f"{path}: note event {strangers[0].event_id} (step {strangers[0].note.step}) is in no open call of the "
                "session log; store and log are of different times: restore both from a copy"
            )
        return cls(path, connect_database(path, busy_s=busy_s), audit)

    @property
    def chain(self) -> str:
        """Head of the hash chain, empty while there is no note."""
        return self._chain

    @property
    def count(self) -> int:
        """Number of note events."""
        return self._count

    def ingest(self, notes: Sequence[Note]) -> tuple[NoteReceipt, ...]:
        """Store notes of successful calls durably in one transaction: all of them or none.

        A note that is stored already is acknowledged again. When this returns the notes are in the main file.

        Raises:
            ValueError: a text can't be stored as UTF-8; refuse such a call before it gets here.
            NoteConflict: a note with the same round, step and call id has other content.
            StorageBusy: another program held the file too long; nothing is acknowledged, and calling again is safe.
            StorageError: nothing was written.
        """
        for note in notes:
            _refuse_surrogates(note)
        count, chain = self._count, self._chain
        receipts: list[NoteReceipt] = []
        with transaction(self._connection, self._path):
            self._check_unchanged()
            for note in notes:
                receipt = self._known(note) or self._insert(note, count + 1, chain)
                if receipt.is_new:
                    count, chain = receipt.event_id, receipt.chain
                receipts.append(receipt)
        self._count, self._chain = count, chain
        self._checkpoint()
        return tuple(receipts)

    def active(self, round_number: int) -> tuple[Note, ...]:
        """Return the active notes of a round, oldest to newest."""
        return select_active((item.note for item in self.audit()), round_number)

    def audit(self) -> tuple[StoredNote, ...]:
        """Return every note event ever stored, in order, checked against the chain.

        Raises:
            StorageDamaged: a row does not continue the chain.
        """
        with database_errors(self._path):
            return _read_audit(self._connection, self._path)

    def verify(self) -> int:
        """Check every row and the head; return the number of note events.

        Raises:
            StorageDamaged: they differ.
        """
        audit = self.audit()
        _check_anchor(self._path, audit, self._chain, self._count)
        return len(audit)

    def close(self) -> None:
        """Release the file; closing twice is fine."""
        close_database(self._connection, self._path)

    def _check_unchanged(self) -> None:
        row = self._connection.execute("SELECT id, chain FROM notes ORDER BY id DESC LIMIT 1").fetchone() or (0, "")
        if tuple(row) != (self._count, self._chain):
            raise StorageDamaged(
                f"{self._path}: it ends at note event {row[0]}, this session wrote {self._count}; another program "
                "changed it: restore the file from a copy"
            )

    def _known(self, note: Note) -> NoteReceipt | None:
        row = self._connection.execute(
            f"SELECT id, chain, {_COLUMNS} FROM notes WHERE round = ? AND step = ? AND call_id = ?",  # noqa: S608  # our own column names
            note_id(note),
        ).fetchone()
        if row is None:
            return None
        if tuple(row[2:]) != astuple(note):
            raise NoteConflict(
                f"{self._path}: note event {row[0]} (round {note.round}, step {note.step}, call {note.call_id!r}) is "
                "stored with other content; give each call its own id"
            )
        return NoteReceipt(event_id=row[0], chain=row[1], is_new=False, is_active=self._is_active(note))

    def _insert(self, note: Note, event_id: int, previous: str) -> NoteReceipt:
        chain = _next_chain(previous, event_id, note)
        places = ", ".join("?" for _ in range(len(_FIELDS) + 2))
        self._connection.execute(
            f"INSERT INTO notes (id, chain, {_COLUMNS}) VALUES ({places})",  # noqa: S608  # our own column names
            (event_id, chain, *astuple(note)),
        )
        return NoteReceipt(event_id=event_id, chain=chain, is_new=True, is_active=self._is_active(note))

    def _is_active(self, note: Note) -> bool:
        if note.key is None:
            return True
        later = self._connection.execute(
            "SELECT 1 FROM notes WHERE round = ? AND key = ? AND (step, call_index) > (?, ?) LIMIT 1",
            (note.round, note.key, note.step, note.call_index),
        ).fetchone()
        return later is None

    def _checkpoint(self) -> None:
        """Move everything into the main file; SQLite waits for readers up to the connection's timeout."""
        with database_errors(self._path):
            is_busy = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if is_busy:
            raise StorageBusy(
                f"{self._path}: another program held a read transaction too long; nothing was acknowledged: close it, "
                "then try again"
            )


def read_notes(path: Path) -> tuple[StoredNote, ...]:
    """Return the audit of a store from a checked private copy; the live file sees no transaction.

    Raises:
        StorageDamaged, StorageVersion, StorageError: the text names file and place; nothing was changed.
    """
    with checked_copy(path, FORMAT) as connection:
        return _read_audit(connection, path)


def _read_audit(connection: sqlite3.Connection, path: Path) -> tuple[StoredNote, ...]:
    audit: list[StoredNote] = []
    chain = ""
    rows = connection.execute(f"SELECT id, chain, {_COLUMNS} FROM notes ORDER BY id")  # noqa: S608  # our own column names
    for number, (event_id, stored, *columns) in enumerate(rows, start=1):
        note = Note(**dict(zip(_FIELDS, columns, strict=True)))
        chain = _next_chain(chain, number, note)
        if event_id != number or stored != chain:
            raise StorageDamaged(
                f"{path}: note event {number} does not continue the chain (row {event_id}); "
                "restore the file from a copy"
            )
        audit.append(StoredNote(event_id=event_id, chain=chain, note=note))
    return tuple(audit)


def _check_anchor(path: Path, audit: Sequence[StoredNote], chain: str, count: int) -> None:
    if len(audit) < count:
        raise StorageDamaged(
            f"{path}: it holds {len(audit)} note events but the session log names {count}; notes were lost: "
            "restore the file from a copy"
        )
    if (audit[count - 1].chain if count else "") != chain:
        raise StorageDamaged(
            f"{path}: note event {count} is not the one that the session log names; store and log are of different "
            "sessions: restore both from a copy"
        )


def _next_chain(previous: str, event_id: int, note: Note) -> str:
    canonical = json.dumps([previous, event_id, *astuple(note)], ensure_ascii=False, default=repr)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _refuse_surrogates(note: Note) -> None:
    for name in ("text", "kind", "reason", "key", "call_id"):
        value = getattr(note, name)
        if value is not None and not _is_utf8(value):
            raise ValueError(f"the {name} of a note holds a lone surrogate, got {value!r}; refuse the call instead")


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
