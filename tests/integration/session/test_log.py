"""The event log: whole transactions, a chain, an anchor, and requests whose bytes stay for ever."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import StorageDamaged, StorageError, StorageVersion, UsageError
from harness.session.log import EventLog, open_readonly
from harness.store.layout import SessionDirectory
from harness.values.event import Event, EventBody, InstructionAdded, QuestionAsked, UnknownEvent
from harness.values.projection import Request, RequestPart


def body(text: str) -> InstructionAdded:
    return InstructionAdded(text=text)


def request(*texts: str) -> Request:
    return Request(
        dialect="neutral",
        parts=tuple(
            RequestPart(sha256=hashlib.sha256(text.encode()).hexdigest(), body=text.encode(), size_bytes=len(text))
            for text in texts
        ),
    )


def content(directory: SessionDirectory) -> tuple[list[Event], list[tuple[int, int, list[bytes]]]]:
    with open_readonly(directory) as log:
        return list(log.events()), [(item.step, item.attempt, log.part_bodies(item)) for item in log.requests()]


@pytest.fixture
def directory(tmp_path: Path) -> SessionDirectory:
    return SessionDirectory.create(tmp_path)


@pytest.fixture
def log(directory: SessionDirectory) -> Iterator[EventLog]:
    log = EventLog.create(directory)
    yield log
    log.close()


@pytest.fixture
def written(directory: SessionDirectory) -> SessionDirectory:
    """Return a closed session of six events and three requests, its head after the second step."""
    log = EventLog.create(directory)
    for step in (1, 2, 3):
        log.store_request(request("system", f"step {step}"), step=step, attempt=1, at_s=1.5, bodies=[body("r")])
        log.append([body(f"é {step}" * 40)], step=step, at_s=2.25)
        if step == 2:
            log.write_head()
    log.close()
    return directory


def test_events_come_back_in_order_and_go_on_after_a_reopening(directory: SessionDirectory) -> None:
    log = EventLog.create(directory)
    first = log.append([body("a"), QuestionAsked(call_id="c", question="b?")], step=1, at_s=1.25)
    assert [event.seq for event in first] == [1, 2]
    log.write_head()
    log.close()

    log = EventLog.open(directory)
    assert log.last_seq == 2
    unknown = UnknownEvent(name="telepathy", body_json='{"x":  1}')
    second = log.append([unknown], step=2, at_s=2.0)
    assert tuple(log.events()) == first + second
    assert tuple(log.events(after=2)) == second
    assert log.append([], step=3, at_s=3.0) == ()
    log.close()


def test_what_append_returns_is_what_a_reader_reads(log: EventLog) -> None:
    returned = log.append([body("a\ud800b?"), body("c?")], step=1, at_s=1.0)
    assert [event.body for event in returned] == [body("a?b?"), body("c?")]
    assert tuple(log.events()) == returned


@pytest.mark.req("R-PRO-2")
@pytest.mark.parametrize("table", ["events", "requests", "parts"])
@pytest.mark.parametrize("change", ["UPDATE {} SET rowid = rowid + 100", "DELETE FROM {}"])
def test_no_row_can_be_changed_or_deleted(written: SessionDirectory, table: str, change: str) -> None:
    refused = pytest.raises(sqlite3.IntegrityError, match=f"{table} is append-only")
    with sqlite3.connect(written.log_path) as connection, refused:
        connection.execute(change.format(table))
    connection.close()


@pytest.mark.req("R-PRO-2")
def test_a_failed_transaction_leaves_nothing(log: EventLog, directory: SessionDirectory) -> None:
    log.store_request(request("a", "b"), step=1, attempt=1, at_s=1.0)
    with pytest.raises(StorageError):
        log.store_request(request("a", "c"), step=1, attempt=1, at_s=1.0, bodies=[body("lost")])
    assert log.last_seq == 0
    log.store_request(request("a", "c"), step=1, attempt=2, at_s=1.0, bodies=[body("kept")])
    log.write_head()
    events, requests = content(directory)
    assert [event.body for event in events] == [body("kept")]
    assert requests == [(1, 1, [b"a", b"b"]), (1, 2, [b"a", b"c"])]
    assert log.request_parts(1) == [b"a", b"c"]
    assert log.request_parts(1, attempt=1) == [b"a", b"b"]


def test_an_unknown_request_is_said(log: EventLog) -> None:
    with pytest.raises(UsageError, match="no request of step 7"):
        log.request_parts(7)


@pytest.mark.req("R-PRO-2")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lists=st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), min_size=1, max_size=8))
def test_any_sequence_of_requests_is_rebuilt(tmp_path: Path, lists: list[list[str]]) -> None:
    directory = SessionDirectory.create(tmp_path)
    log = EventLog.create(directory)
    for step, texts in enumerate(lists, start=1):
        if step == len(lists) // 2 + 1:
            log.write_head()
            log.close()
            log = EventLog.open(directory)
        log.store_request(request(*texts), step=step, attempt=1, at_s=0.0)
    log.write_head()
    log.close()
    assert content(directory)[1] == [
        (step, 1, [text.encode() for text in texts]) for step, texts in enumerate(lists, start=1)
    ]


@pytest.mark.req("R-PRO-2")
def test_a_long_session_grows_with_its_steps(log: EventLog, directory: SessionDirectory) -> None:
    history: list[str] = []
    for step in range(1, 401):
        history.append(f"exchange {step}")
        # The note view stands before the history, so every fortieth step changes a part in front of all others.
        log.store_request(request("system", f"notes {step // 40}", *history, "end"), step=step, attempt=1, at_s=0.0)
    with sqlite3.connect(directory.log_path) as connection:
        lists, parts = connection.execute(
            "SELECT sum(length(parts)), (SELECT count(*) FROM parts) FROM requests"
        ).fetchone()
    connection.close()
    assert parts == 400 + 11 + 2
    assert lists < 400 * 20
    assert log.request_parts(400)[2:-1] == [text.encode() for text in history]
    assert len(log.request_parts(123)) == 126


@pytest.mark.req("R-MEM-4")
def test_the_log_may_be_ahead_of_its_head(written: SessionDirectory) -> None:
    log = EventLog.open(written)
    assert log.last_seq == 6
    assert log.request_parts(3) == [b"system", b"step 3"]
    log.close()


def lose_event(path: Path) -> None:
    """Take the newest rows away so that only the anchor can tell."""
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER events_no_delete")
        connection.execute("DELETE FROM events WHERE seq > 3")
        connection.execute(
            "CREATE TRIGGER events_no_delete BEFORE DELETE ON events "
            "BEGIN SELECT RAISE(ABORT, 'events is append-only'); END"
        )
    connection.close()


def lose_request(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER requests_no_delete")
        connection.execute("DELETE FROM requests WHERE step > 1")
        connection.execute(
            "CREATE TRIGGER requests_no_delete BEFORE DELETE ON requests "
            "BEGIN SELECT RAISE(ABORT, 'requests is append-only'); END"
        )
    connection.close()


def change_event(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER events_no_update")
        connection.execute("UPDATE events SET body = replace(body, 'r', 's') WHERE seq = 5")
        connection.execute(
            "CREATE TRIGGER events_no_update BEFORE UPDATE ON events "
            "BEGIN SELECT RAISE(ABORT, 'events is append-only'); END"
        )
    connection.close()


def pragma(statement: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with sqlite3.connect(path) as connection:
            connection.execute(statement)
        connection.close()

    return change


def foreign(path: Path) -> None:
    path.unlink()
    pragma("CREATE TABLE events (seq INTEGER)")(path)


def truncate(size: int) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, size)


DAMAGES: dict[str, tuple[Callable[[Path], None], type[StorageError], str]] = {
    "missing": (Path.unlink, StorageDamaged, "missing"),
    "empty": (truncate(0), StorageDamaged, "empty"),
    "cut": (truncate(5000), StorageDamaged, "malformed|not a database"),
    "no database": (lambda path: path.write_bytes(b"hello " * 999) and None, StorageDamaged, "not a database"),
    "foreign": (foreign, StorageVersion, "not a session log"),
    "newer": (pragma("PRAGMA user_version = 2"), StorageVersion, "use a newer Transom"),
    "older": (pragma("PRAGMA user_version = 0"), StorageVersion, "schema version 0"),
    "other tables": (pragma("DROP TRIGGER events_no_delete"), StorageDamaged, "tables of the session log differ"),
    "lost events": (lose_event, StorageDamaged, r"ends at event 3 but session\.head names 4"),
    "lost requests": (lose_request, StorageDamaged, "request 2 of 1"),
    "changed event": (change_event, StorageDamaged, "event 5 does not continue the chain"),
}


@pytest.mark.req("R-MEM-5")
@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_log_is_named_and_left_as_it_is(written: SessionDirectory, name: str) -> None:
    damage, error, says = DAMAGES[name]
    damage(written.log_path)
    before = snapshot(written.path)
    with pytest.raises(error, match=says) as raised:
        EventLog.open(written)
    assert str(written.log_path) in str(raised.value)
    assert snapshot(written.path) == before


@pytest.mark.req("R-MEM-5")
@pytest.mark.parametrize("text", [None, "", "{}", '{"schema": "transom/head/9"}'])
def test_a_damaged_head_is_named(written: SessionDirectory, text: str | None) -> None:
    if text is None:
        written.head_path.unlink()
    else:
        written.head_path.write_text(text)
    with pytest.raises(StorageDamaged, match=r"session\.head"):
        EventLog.open(written)


@pytest.mark.req("R-MEM-4")
def test_the_head_of_another_session_is_refused(written: SessionDirectory, tmp_path: Path) -> None:
    other = SessionDirectory.create(tmp_path / "other")
    log = EventLog.create(other)
    log.append([body("x")] * 4, step=1, at_s=1.0)
    log.write_head()
    log.close()
    shutil.copy(other.head_path, written.head_path)
    with pytest.raises(StorageDamaged, match="of different sessions"):
        EventLog.open(written)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_value_of_a_newer_version_is_said(directory: SessionDirectory) -> None:
    log = EventLog.create(directory)
    log.append([UnknownEvent(name="instruction", body_json='{"text": ["many"]}')], step=0, at_s=0.0)
    with pytest.raises(StorageVersion, match=r"event 1 \(instruction\).*newer Transom"):
        list(log.events())
    log.close()


@pytest.mark.req("R-MEM-2")
def test_a_reader_beside_a_live_writer_holds_nothing(log: EventLog, directory: SessionDirectory) -> None:
    written: list[EventBody] = []
    for step in range(1, 6):
        written.append(body(f"step {step}"))
        log.append(written[-1:], step=step, at_s=0.0)
        with open_readonly(directory) as copy:
            assert [event.body for event in copy.events()] == written
            log.append([body("while reading")], step=step, at_s=0.0)
            written.append(body("while reading"))
        with pytest.raises(StorageError), open_readonly(directory) as copy:
            copy.append([body("never")], step=9, at_s=0.0)
    assert [event.body for event in log.events()] == written


@pytest.mark.req("R-MEM-2")
def test_a_reader_in_the_same_process_leaves_the_writers_locks(log: EventLog, directory: SessionDirectory) -> None:
    log.append([body("a")], step=1, at_s=0.0)
    with open_readonly(directory) as copy:
        assert copy.last_seq == 1
    # Without the writer's lock, the last other program to close the file would delete the write-ahead log under it.
    code = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); print(c.execute('SELECT body FROM events').fetchall())"
    )
    look = [sys.executable, "-c", f"{code}; c.close()", str(directory.log_path)]
    subprocess.run(look, check=True, capture_output=True)
    assert directory.log_path.with_name("session.sqlite3-wal").exists()
    log.append([body("b")], step=2, at_s=0.0)
    assert subprocess.run(look, check=True, capture_output=True, text=True).stdout.count('"text":') == 2


def flip_bits(path: Path, rng: random.Random) -> None:
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def is_detected_or_harmless(directory: SessionDirectory, whole: Sequence[object]) -> bool:
    try:
        return list(content(directory)) == list(whole)
    except StorageError:
        return True


def flip_and_read(written: SessionDirectory, tmp_path: Path, rounds: int) -> None:
    whole = content(written)
    rng = random.Random(7)
    for number in range(rounds):
        copy = SessionDirectory(tmp_path / f"copy{number}")
        shutil.copytree(written.path, copy.path)
        flip_bits(rng.choice([copy.log_path, copy.log_path, copy.head_path]), rng)
        assert is_detected_or_harmless(copy, whole), f"flip {number} changed what is read, in silence"
        shutil.rmtree(copy.path)


@pytest.mark.req("R-MEM-5")
def test_a_flipped_bit_is_seen_or_changes_nothing(written: SessionDirectory, tmp_path: Path) -> None:
    flip_and_read(written, tmp_path, 120)


@pytest.mark.soak
@pytest.mark.req("R-MEM-5")
def test_a_flipped_bit_is_seen_or_changes_nothing_long(written: SessionDirectory, tmp_path: Path) -> None:
    flip_and_read(written, tmp_path, 3000)


def test_the_head_is_plain_json(written: SessionDirectory) -> None:
    head = json.loads(written.head_path.read_text())
    assert (head["schema"], head["seq"], head["requests"]) == ("transom/head/1", 4, 2)
