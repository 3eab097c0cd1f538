"""The event log of a session: append-only rows, chained by hash, anchored in `session.head`."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from harness.errors import StorageDamaged, StorageVersion, UsageError
from harness.session.codec import decode, encode, event_kind, replace_surrogates
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
from harness.store.head import LogHead, load_head, save_head
from harness.store.layout import SessionDirectory
from harness.store.requests import REQUEST_SCHEMA, RequestTable, StoredRequest
from harness.values.event import Event, EventBody, UnknownEvent
from harness.values.projection import Request

FORMAT = DatabaseFormat(
    name="session log",
    application_id=0x54524C47,
    version=1,
    schema=(
        "CREATE TABLE events (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, step INTEGER NOT NULL, "
        "at_s REAL NOT NULL, body TEXT NOT NULL, chain TEXT NOT NULL)",
        *append_only("events"),
        *REQUEST_SCHEMA,
    ),
)
_SELECT = "SELECT seq, kind, step, at_s, body, chain FROM events WHERE seq > ? ORDER BY seq"


class _Row(NamedTuple):
    """A row as it stands in the table."""

    seq: int
    kind: str
    step: int
    at_s: float
    body: str
    chain: str

    def next_chain(self, previous: str) -> str:
        """Return the chain that this row must have after `previous`."""
        return _chain(previous, self.seq, self.kind, self.step, self.at_s, self.body)


def _chain(previous: str, seq: int, kind: str, step: int, at_s: float, body: str) -> str:
    # No field before the body can hold a line break, and the body comes last, so no two rows read alike. A flipped
    # bit can turn a stored text into bytes: written as `repr` they make the chain differ.
    head = f"{previous}\n{seq!r}\n{kind!r}\n{step!r}\n{at_s!r}\n"
    text = body if isinstance(body, str) else repr(body)
    return hashlib.sha256((head + text).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    rows: tuple[_Row, ...]
    events: tuple[Event, ...]


class EventLog:
    """One session's log. One handle writes; its calls never overlap."""

    def __init__(self, directory: SessionDirectory, connection: sqlite3.Connection) -> None:
        self._path = directory.log_path
        self._head_path = directory.head_path
        self._connection = connection
        self._last_seq = 0
        self._chain = ""
        self._requests = RequestTable(connection, self._path)

    @classmethod
    def create(cls, directory: SessionDirectory) -> EventLog:
        """Start the log of a new session directory and anchor it.

        Raises:
            StorageError: there is one already, or it can't be written.
        """
        log = cls(directory, create_database(directory.log_path, FORMAT))
        log.write_head()
        return log

    @classmethod
    def open(cls, directory: SessionDirectory) -> EventLog:
        """Check a private copy against its chain and `session.head`, then open the log to go on writing.

        The log may be ahead of the head (a crash before `write_head`), never behind it or different.

        Raises:
            StorageDamaged, StorageVersion, StorageError: the text names file and place; nothing was changed.
        """
        with open_readonly(directory) as checked:
            last_seq, chain = checked.last_seq, checked.chain
        log = cls(directory, connect_database(directory.log_path))
        log._last_seq, log._chain = last_seq, chain
        with database_errors(log._path):
            log._requests.load()
        return log

    @property
    def last_seq(self) -> int:
        """Sequence number of the newest event, 0 while there is none."""
        return self._last_seq

    @property
    def chain(self) -> str:
        """Head of the hash chain, empty while there is no event."""
        return self._chain

    def append(self, bodies: Sequence[EventBody | UnknownEvent], *, step: int, at_s: float) -> tuple[Event, ...]:
        """Append events durably in one transaction: all of them or none.

        Args:
            bodies: In order; may be empty.
            step: The session step they belong to, 0 before the first.
            at_s: Unix time in seconds.

        Returns:
            The events exactly as a reader gets them (lone surrogates are `?` by then).

        Raises:
            StorageError: nothing was written.
        """
        batch = self._build_batch(bodies, step=step, at_s=at_s)
        if batch.rows:
            with transaction(self._connection, self._path):
                self._insert(batch.rows)
            self._advance(batch.rows)
        return batch.events

    def store_request(
        self, request: Request, *, step: int, attempt: int, at_s: float, bodies: Sequence[EventBody] = ()
    ) -> tuple[Event, ...]:
        """Store a request, its new parts and `bodies` in one transaction.

        A killed process loses none of it; a power cut may take it as a whole, until the next `append`.

        Args:
            request: What is about to be sent.
            step: The session step it is for.
            attempt: From 1; (step, attempt) is stored once.
            at_s: Unix time in seconds.
            bodies: Events that belong to it, in order.

        Returns:
            The events, as `append`.

        Raises:
            StorageError: nothing was written.
        """
        batch = self._build_batch(bodies, step=step, at_s=at_s)
        # Nothing acts on a request before its reply is recorded, and that commit takes this one to the disk with it.
        with transaction(self._connection, self._path, waits_for_disk=False):
            added = self._requests.insert(request, step=step, attempt=attempt)
            self._insert(batch.rows)
        self._requests.commit(added)
        self._advance(batch.rows)
        return batch.events

    def request_parts(self, step: int, attempt: int | None = None) -> list[bytes]:
        """Return the stored parts of a request in order, checked; the last attempt when none is named.

        Raises:
            UsageError: no such request.
            StorageDamaged: a part is missing or changed.
        """
        with database_errors(self._path):
            wanted = [item for item in self._requests.walk() if item.step == step and attempt in (None, item.attempt)]
            if not wanted:
                raise UsageError(
                    f"{self._path}: no request of step {step}, attempt {attempt or 'any'}; name another step"
                )
            return self._requests.bodies(wanted[-1])

    def requests(self) -> Iterator[StoredRequest]:
        """Yield every stored request, oldest first; `part_bodies` gives its bytes."""
        with database_errors(self._path):
            yield from self._requests.walk()

    def part_bodies(self, request: StoredRequest) -> list[bytes]:
        """Return the parts of one of `requests()`, checked.

        Raises:
            StorageDamaged: a part is missing or changed.
        """
        with database_errors(self._path):
            return self._requests.bodies(request)

    def events(self, after: int = 0) -> Iterator[Event]:
        """Yield the events after that sequence number, in order.

        Raises:
            StorageVersion: an event holds a value that this version doesn't know.
        """
        with database_errors(self._path):
            for row in _read_rows(self._connection, after):
                yield _as_event(row, self._path)

    @property
    def head(self) -> LogHead:
        """What anchors the log as it stands now."""
        return LogHead(
            seq=self._last_seq,
            chain=self._chain,
            requests=self._requests.count,
            requests_chain=self._requests.chain,
        )

    def write_head(self, head: LogHead | None = None) -> None:
        """Anchor the log: write its last sequence number and chain heads to `session.head`, whole.

        Args:
            head: A head that was taken earlier; by default the current one. It may be written from another thread.

        Raises:
            StorageError: it can't be written; the old head stands.
        """
        save_head(self._head_path, self.head if head is None else head)

    def close(self) -> None:
        """Release the file; closing twice is fine."""
        close_database(self._connection, self._path)

    def _build_batch(self, bodies: Sequence[EventBody | UnknownEvent], *, step: int, at_s: float) -> _Batch:
        rows: list[_Row] = []
        events: list[Event] = []
        chain, at_s = self._chain, float(at_s)
        for seq, body in enumerate(bodies, start=self._last_seq + 1):
            stored, text = _encode(body)
            kind = event_kind(stored)
            chain = _chain(chain, seq, kind, step, at_s, text)
            rows.append(_Row(seq, kind, step, at_s, text, chain))
            events.append(Event(seq=seq, step=step, at_s=at_s, body=stored))
        return _Batch(rows=tuple(rows), events=tuple(events))

    def _insert(self, rows: Sequence[_Row]) -> None:
        self._connection.executemany(
            "INSERT INTO events (seq, kind, step, at_s, body, chain) VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )

    def _advance(self, rows: Sequence[_Row]) -> None:
        if rows:
            self._last_seq, self._chain = rows[-1].seq, rows[-1].chain

    def _verify(self, head: LogHead) -> None:
        """Check every row against the chain and the chain against the head."""
        anchor = "" if head.seq == 0 else None
        for row in _read_rows(self._connection, 0):
            if row.seq != self._last_seq + 1 or row.chain != row.next_chain(self._chain):
                raise StorageDamaged(
                    f"{self._path}: event {self._last_seq + 1} does not continue the chain (row {row.seq}); "
                    "restore the file from a copy"
                )
            self._advance([row])
            if row.seq == head.seq:
                anchor = row.chain
        if anchor is None:
            raise StorageDamaged(
                f"{self._path}: the log ends at event {self._last_seq} but {self._head_path.name} names {head.seq}; "
                "events were lost: restore the file from a copy"
            )
        if anchor != head.chain:
            raise StorageDamaged(
                f"{self._path}: event {head.seq} is not the one that {self._head_path.name} names; "
                "log and head are of different sessions or one was changed: restore both from a copy"
            )
        self._requests.load()
        self._requests.verify(count=head.requests, chain=head.requests_chain)


@contextmanager
def open_readonly(directory: SessionDirectory) -> Iterator[EventLog]:
    """Yield a checked private copy of a session's log, whether or not a session is writing it.

    The live file sees no transaction; the copy goes when the block ends. Nothing may be appended to it.

    Raises:
        StorageDamaged, StorageVersion, StorageError: as `EventLog.open`.
    """
    # The head first: a writer that goes on meanwhile can only bring the log ahead of it.
    head = load_head(directory.head_path)
    with checked_copy(directory.log_path, FORMAT) as connection:
        connection.execute("PRAGMA query_only = ON")
        log = EventLog(directory, connection)
        log._verify(head)
        yield log


def _read_rows(connection: sqlite3.Connection, after: int) -> Iterator[_Row]:
    for seq, kind, step, at_s, body, chain in connection.execute(_SELECT, (after,)):
        yield _Row(seq, kind, step, at_s, body, chain)


def _as_event(row: _Row, path: Path) -> Event:
    try:
        body = decode(row.kind, row.body)
    except ValueError as exc:
        raise StorageVersion(
            f"{path}: event {row.seq} ({row.kind}) holds a value that this version doesn't know; use a newer Transom"
        ) from exc
    return Event(seq=row.seq, step=row.step, at_s=row.at_s, body=body)


def _encode(body: EventBody | UnknownEvent) -> tuple[EventBody | UnknownEvent, str]:
    """Return the event as it can be stored, and its JSON."""
    try:
        return body, encode(body)
    except ValueError:
        storable = replace_surrogates(body)
        return storable, encode(storable)
