"""Requests as lists of parts: each part is stored once, each list as its difference to the list before.

A request of a long session repeats nearly all of the previous one, so storing whole lists would grow with the square
of the steps. A row keeps how many leading parts it shares with the row before; then, in order, each new part's id, or
`[start, length]` for a run of the earlier row's remaining parts (a changed note view stands before many of them).
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from harness.errors import StorageDamaged
from harness.store.database import append_only
from harness.values.projection import Request, RequestPart

REQUEST_SCHEMA: tuple[str, ...] = (
    "CREATE TABLE parts (id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, size_bytes INTEGER NOT NULL, "
    "bytes BLOB NOT NULL, digest TEXT NOT NULL)",
    "CREATE TABLE requests (id INTEGER PRIMARY KEY, step INTEGER NOT NULL, attempt INTEGER NOT NULL, "
    "dialect TEXT NOT NULL, parts TEXT NOT NULL, chain TEXT NOT NULL, UNIQUE (step, attempt))",
    *append_only("parts"),
    *append_only("requests"),
)
_SELECT = "SELECT id, step, attempt, dialect, parts, chain FROM requests ORDER BY id"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRequest:
    """A stored request.

    Attributes:
        step: The step it is for.
        attempt: From 1.
        dialect: The dialect it was rendered in.
        part_ids: Rows of its parts, in order.
    """

    step: int
    attempt: int
    dialect: str
    part_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPart:
    """A stored part: its row, the hash of its rendered bytes, and the check over the row."""

    id: int
    sha256: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedRequest:
    """What a transaction added; it counts once the transaction is committed."""

    part_ids: tuple[int, ...]
    new_parts: tuple[StoredPart, ...]
    chain: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    request: StoredRequest
    parts: str
    chain: str

    @property
    def fields(self) -> tuple[int | str, ...]:
        return (self.request.step, self.request.attempt, self.request.dialect, self.parts)


class RequestTable:
    """The tables `requests` and `parts` of one open session log."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._known: dict[str, int] = {}
        self._last: tuple[int, ...] = ()
        self.count = 0
        self.chain = ""

    def load(self) -> None:
        """Read which parts are stored and what the last request was."""
        self._known = dict(self._connection.execute("SELECT sha256, id FROM parts"))
        for item in self.walk():
            self._last = item.part_ids
        row = self._connection.execute("SELECT id, chain FROM requests ORDER BY id DESC LIMIT 1").fetchone()
        self.count, self.chain = row or (0, "")

    def insert(self, request: Request, *, step: int, attempt: int) -> AddedRequest:
        """Insert a request and its new parts; the caller's transaction decides whether they stay."""
        new_parts: dict[str, StoredPart] = {}
        for part in request.parts:
            if part.sha256 not in self._known and part.sha256 not in new_parts:
                new_parts[part.sha256] = self._insert_part(len(self._known) + len(new_parts) + 1, part)
        part_ids = tuple(self._known.get(part.sha256) or new_parts[part.sha256].id for part in request.parts)
        parts = json.dumps(build_difference(self._last, part_ids), separators=(",", ":"))
        fresh = [part.digest for part in new_parts.values()]
        chain = _next_chain(self.chain, (self.count + 1, step, attempt, request.dialect, parts), fresh)
        self._connection.execute(
            "INSERT INTO requests (id, step, attempt, dialect, parts, chain) VALUES (?, ?, ?, ?, ?, ?)",
            (self.count + 1, step, attempt, request.dialect, parts, chain),
        )
        return AddedRequest(part_ids=part_ids, new_parts=tuple(new_parts.values()), chain=chain)

    def _insert_part(self, part_id: int, part: RequestPart) -> StoredPart:
        digest = _part_digest(part_id, part.sha256, part.size_bytes, part.body)
        self._connection.execute(
            "INSERT INTO parts (id, sha256, size_bytes, bytes, digest) VALUES (?, ?, ?, ?, ?)",
            (part_id, part.sha256, part.size_bytes, part.body, digest),
        )
        return StoredPart(id=part_id, sha256=part.sha256, digest=digest)

    def commit(self, added: AddedRequest) -> None:
        """Count what a committed transaction added."""
        self._known.update((part.sha256, part.id) for part in added.new_parts)
        self._last = added.part_ids
        self.count += 1
        self.chain = added.chain

    def walk(self) -> Iterator[StoredRequest]:
        """Yield every stored request, oldest first."""
        for row in self._rebuild():
            yield row.request

    def bodies(self, request: StoredRequest) -> list[bytes]:
        """Return the bodies of a request's parts in order, each checked.

        Raises:
            StorageDamaged: one is missing or changed.
        """
        return [self._body(part_id) for part_id in request.part_ids]

    def _body(self, part_id: int) -> bytes:
        row = self._connection.execute(
            "SELECT sha256, size_bytes, bytes, digest FROM parts WHERE id = ?", (part_id,)
        ).fetchone()
        if row is None or _part_digest(part_id, *row[:3]) != row[3]:
            raise StorageDamaged(
                f"{self._path}: request part {part_id} is {'missing' if row is None else 'changed'}; "
                "restore the file from a copy"
            )
        return bytes(row[2])

    def verify(self, *, count: int, chain: str) -> None:
        """Check every row against the chain, and the chain against an earlier count and head.

        Raises:
            StorageDamaged: they differ.
        """
        digests: dict[int, str] = dict(self._connection.execute("SELECT id, digest FROM parts"))
        seen, newest, anchor = "", 0, "" if count == 0 else None
        for number, row in enumerate(self._rebuild(), start=1):
            last = max(newest, *row.request.part_ids, 0)
            fresh = [digests.get(part_id, "") for part_id in range(newest + 1, last + 1)]
            seen, newest = _next_chain(seen, (number, *row.fields), fresh), last
            if seen != row.chain:
                raise StorageDamaged(
                    f"{self._path}: request {number} does not continue the chain; restore the file from a copy"
                )
            anchor = seen if number == count else anchor
        if anchor != chain:
            raise StorageDamaged(
                f"{self._path}: request {count} of {self.count} is not the one that the head names; "
                "requests were lost or changed: restore the file from a copy"
            )

    def _rebuild(self) -> Iterator[_Row]:
        last: tuple[int, ...] = ()
        for number, step, attempt, dialect, parts, chain in self._connection.execute(_SELECT):
            last = self._apply(last, parts, number)
            yield _Row(
                request=StoredRequest(step=step, attempt=attempt, dialect=dialect, part_ids=last),
                parts=parts,
                chain=chain,
            )

    def _apply(self, last: tuple[int, ...], parts: str, number: int) -> tuple[int, ...]:
        try:
            return restore_parts(last, json.loads(parts))
        except (ValueError, TypeError) as exc:
            raise StorageDamaged(
                f"{self._path}: the parts of request {number} can't be read ({exc}); restore the file from a copy"
            ) from exc


def build_difference(old: Sequence[int], new: Sequence[int]) -> tuple[int, list[int | list[int]]]:
    """Return how many leading ids `new` shares with `old`, then new ids and runs of the rest of `old`."""
    leading = _shared(old, new)
    place = {part_id: index for index, part_id in enumerate(old[leading:])}
    items: list[int | list[int]] = []
    for part_id in new[leading:]:
        at = place.get(part_id)
        last = items[-1] if items else 0
        if at is None:
            items.append(part_id)
        elif isinstance(last, list) and last[0] + last[1] == at:
            last[1] += 1
        else:
            items.append([at, 1])
    return leading, items


def restore_parts(old: Sequence[int], difference: tuple[int, list[int | list[int]]]) -> tuple[int, ...]:
    """Return the list that `build_difference` compared `old` with.

    Raises:
        ValueError, TypeError: it is no such difference.
    """
    leading, items = difference
    parts = list(old[:leading])
    for item in items:
        if isinstance(item, list):
            start, length = item
            parts.extend(old[leading + start : leading + start + length])
        else:
            parts.append(int(item))
    return tuple(parts)


def _shared(old: Sequence[int], new: Sequence[int]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _part_digest(part_id: int, sha256: str, size_bytes: int, body: object) -> str:
    # A flipped bit can turn stored bytes into a text; its `repr` makes the digest differ.
    body = body if isinstance(body, bytes) else repr(body).encode()
    return hashlib.sha256(f"{part_id} {sha256} {size_bytes}\n".encode() + body).hexdigest()


def _next_chain(previous: str, fields: tuple[int | str, ...], fresh: Sequence[str]) -> str:
    canonical = json.dumps([previous, *fields, fresh], ensure_ascii=False, default=repr)
    return hashlib.sha256(canonical.encode()).hexdigest()
