"""The note store: durable, idempotent, immutable, and damage never passes for an empty memory."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import NoteConflict, StorageBusy, StorageDamaged, StorageError, StorageVersion
from harness.memory.store import NoteStore, note_id, read_notes
from harness.values.note import Note


def note(step: int, text: str, *, key: str | None = None, call_index: int = 0, round_number: int = 1) -> Note:
    return Note(
        round=round_number,
        step=step,
        call_index=call_index,
        call_id=f"call{step}-{call_index}",
        text=text,
        kind="fact",
        reason="needed later",
        key=key,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "working_memory.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[NoteStore]:
    store = NoteStore.create(path)
    yield store
    store.close()


@pytest.fixture
def filled(path: Path) -> tuple[Path, str, int]:
    """Return a closed store of four notes, with its chain and count."""
    store = NoteStore.create(path)
    for step in range(1, 5):
        store.ingest([note(step, f"é value {step}" * 50, key="k" if step % 2 else None)])
    store.close()
    return path, store.chain, store.count


def texts(notes: tuple[Note, ...]) -> list[str]:
    return [item.text for item in notes]


@pytest.mark.req("R-MEM-1")
def test_a_key_replaces_and_no_key_appends(store: NoteStore) -> None:
    store.ingest([note(1, "a", key="k"), note(1, "same", call_index=1)])
    receipts = store.ingest([note(2, "b", key="k"), note(2, "same", call_index=1)])
    assert texts(store.active(1)) == ["same", "b", "same"]
    assert all(receipt.is_new and receipt.is_active for receipt in receipts)
    assert texts(tuple(item.note for item in store.audit())) == ["a", "same", "b", "same"]


@pytest.mark.req("R-MEM-3")
def test_the_same_event_is_stored_once(store: NoteStore) -> None:
    first = store.ingest([note(1, "a"), note(1, "b", call_index=1)])
    again = store.ingest([note(1, "a"), note(1, "b", call_index=1)])
    assert [replace(receipt, is_new=False) for receipt in first] == list(again)
    assert len(store.audit()) == 2


@pytest.mark.req("R-MEM-3")
@pytest.mark.parametrize("field", ["text", "kind", "reason", "key"])
def test_the_same_id_with_other_content_is_an_error_and_stores_nothing(store: NoteStore, field: str) -> None:
    store.ingest([note(1, "a")])
    with pytest.raises(NoteConflict, match=r"step 1, call 'call1-0'"):
        store.ingest([note(2, "new"), replace(note(1, "a"), **{field: "other"})])
    assert texts(store.active(1)) == ["a"]
    store.ingest([note(2, "new")])
    assert store.verify() == 2


@pytest.mark.req("R-MEM-3")
@pytest.mark.parametrize("order", list(itertools.permutations([(5, 0), (9, 0), (9, 1)])))
def test_the_later_step_wins_in_any_order(store: NoteStore, order: tuple[tuple[int, int], ...]) -> None:
    for step, index in order:
        store.ingest([note(step, f"{step}.{index}", key="k", call_index=index)])
    assert texts(store.active(1)) == ["9.1"]
    late = store.ingest([note(4, "replayed", key="k")])
    assert late[0].is_new
    assert not late[0].is_active
    assert texts(store.active(1)) == ["9.1"]


@pytest.mark.req("R-MEM-5")
def test_rounds_are_apart(store: NoteStore) -> None:
    store.ingest([note(1, "first", key="k"), note(2, "second", key="k", round_number=2)])
    assert texts(store.active(1)) == ["first"]
    assert texts(store.active(2)) == ["second"]
    assert store.active(3) == ()


@pytest.mark.req("R-MEM-4")
@pytest.mark.parametrize("change", ["UPDATE notes SET text = 'x'", "DELETE FROM notes"])
def test_the_audit_cannot_be_changed(filled: tuple[Path, str, int], change: str) -> None:
    with sqlite3.connect(filled[0]) as connection, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(change)
    connection.close()


@pytest.mark.req("R-MEM-6")
def test_a_text_is_stored_byte_for_byte_and_survives_a_restart(path: Path) -> None:
    hostile = "a\x00b\r\n\u2028'; DROP TABLE notes; --\n\ufeff🙂"
    store = NoteStore.create(path)
    store.ingest([note(1, hostile, key="")])
    before = store.active(1)
    store.close()
    again = NoteStore.open(path, expected_chain=store.chain, expected_count=1)
    assert again.active(1) == before
    assert before[0].text == hostile
    assert before[0].key == ""
    again.close()


def test_a_lone_surrogate_is_refused_before_anything_is_written(store: NoteStore) -> None:
    with pytest.raises(ValueError, match="lone surrogate"):
        store.ingest([note(1, "fine"), note(2, "\ud800")])
    assert store.audit() == ()


@pytest.mark.req("R-MEM-2")
def test_an_acknowledged_note_is_in_the_main_file(store: NoteStore, path: Path, tmp_path: Path) -> None:
    store.ingest([note(1, "kept")])
    lone = tmp_path / "copy.sqlite3"
    shutil.copy(path, lone)
    assert texts(tuple(item.note for item in read_notes(lone))) == ["kept"]


@pytest.mark.req("R-MEM-2")
def test_a_blocked_checkpoint_acknowledges_nothing_and_can_be_repeated(path: Path) -> None:
    store = NoteStore.create(path, busy_s=0.05)
    store.ingest([note(1, "a")])
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM notes").fetchall()
    with pytest.raises(StorageBusy, match="nothing was acknowledged"):
        store.ingest([note(2, "b")])
    reader.close()
    receipts = store.ingest([note(2, "b")])
    assert [receipt.is_new for receipt in receipts] == [False]
    assert texts(store.active(1)) == ["a", "b"]
    store.close()


@pytest.mark.req("R-MEM-2")
def test_a_reader_beside_a_live_writer_holds_nothing(store: NoteStore, path: Path) -> None:
    for step in range(1, 4):
        store.ingest([note(step, f"v{step}")])
        assert len(read_notes(path)) == step
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT count(*) FROM notes").fetchone() == (3,)
    other.close()
    store.ingest([note(4, "v4")])
    assert store.verify() == 4


@pytest.mark.req("R-MEM-5")
def test_another_writer_is_noticed(store: NoteStore, path: Path) -> None:
    store.ingest([note(1, "a")])
    other = NoteStore.open(path, expected_chain=store.chain, expected_count=1)
    other.ingest([note(2, "b")])
    other.close()
    with pytest.raises(StorageDamaged, match="another program changed it"):
        store.ingest([note(3, "c")])


@pytest.mark.req("R-MEM-4")
def test_the_store_may_be_ahead_only_by_notes_of_open_calls(path: Path) -> None:
    store = NoteStore.create(path)
    anchor = store.ingest([note(1, "in the log")])[-1]
    open_note = note(2, "its call is open")
    store.ingest([open_note])
    store.close()
    with pytest.raises(StorageDamaged, match=r"note event 2 \(step 2\)"):
        NoteStore.open(path, expected_chain=anchor.chain, expected_count=anchor.event_id)
    again = NoteStore.open(
        path,
        expected_chain=anchor.chain,
        expected_count=anchor.event_id,
        allowed_ahead=frozenset([note_id(open_note)]),
    )
    assert not again.ingest([open_note])[0].is_new
    again.close()


@pytest.mark.req("R-MEM-4")
def test_an_older_or_foreign_copy_is_refused(filled: tuple[Path, str, int], tmp_path: Path) -> None:
    path, chain, count = filled
    with pytest.raises(StorageDamaged, match="holds 4 note events but the session log names 5"):
        NoteStore.open(path, expected_chain=chain, expected_count=count + 1)
    other = NoteStore.create(tmp_path / "other.sqlite3")
    other.ingest([note(step, "else") for step in range(1, 5)])
    other.close()
    with pytest.raises(StorageDamaged, match="of different sessions"):
        NoteStore.open(tmp_path / "other.sqlite3", expected_chain=chain, expected_count=count)
    with pytest.raises(StorageDamaged, match="no open call"):
        NoteStore.open(path, expected_chain=None, expected_count=0)


def pragma(statement: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with sqlite3.connect(path) as connection:
            connection.execute(statement)
        connection.close()

    return change


def emptied(path: Path) -> None:
    path.unlink()
    NoteStore.create(path).close()


def foreign(path: Path) -> None:
    path.unlink()
    pragma("CREATE TABLE notes (id INTEGER)")(path)


def a_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, tuple[Callable[[Path], None], type[StorageError], str]] = {
    "missing": (Path.unlink, StorageDamaged, "missing"),
    "a directory": (a_directory, StorageDamaged, "missing"),
    "empty": (lambda path: os.truncate(path, 0), StorageDamaged, "empty"),
    "cut": (lambda path: os.truncate(path, 5000), StorageDamaged, "malformed|not a database"),
    "no database": (lambda path: path.write_bytes(b"hello " * 999) and None, StorageDamaged, "not a database"),
    "a new database": (emptied, StorageDamaged, "holds 0 note events"),
    "foreign": (foreign, StorageVersion, "not a note store"),
    "newer": (pragma("PRAGMA user_version = 2"), StorageVersion, "use a newer Transom"),
    "older": (pragma("PRAGMA user_version = 0"), StorageVersion, "schema version 0"),
    "other tables": (pragma("DROP TRIGGER notes_no_update"), StorageDamaged, "tables of the note store differ"),
}


@pytest.mark.req("R-MEM-5")
@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_a_typed_error_and_the_file_is_left_as_it_is(filled: tuple[Path, str, int], name: str) -> None:
    path, chain, count = filled
    damage, error, says = DAMAGES[name]
    damage(path)
    before = {item.name: item.read_bytes() for item in path.parent.iterdir() if item.is_file()}
    with pytest.raises(error, match=says) as raised:
        NoteStore.open(path, expected_chain=chain, expected_count=count)
    assert str(path) in str(raised.value)
    assert {item.name: item.read_bytes() for item in path.parent.iterdir() if item.is_file()} == before


def flip_and_read(filled: tuple[Path, str, int], rounds: int) -> None:
    path, chain, count = filled
    whole, data = read_notes(path), path.read_bytes()
    rng = random.Random(11)
    silent = 0
    for _ in range(rounds):
        flipped = bytearray(data)
        flipped[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(flipped)
        try:
            silent += read_notes(path) != whole
            store = NoteStore.open(path, expected_chain=chain, expected_count=count)
        except StorageError:
            assert path.read_bytes() == bytes(flipped)
            continue
        silent += store.audit() != whole
        store.close()
    assert silent == 0


@pytest.mark.req("R-MEM-5")
def test_a_flipped_bit_is_seen_or_changes_nothing(filled: tuple[Path, str, int]) -> None:
    flip_and_read(filled, 120)


@pytest.mark.soak
@pytest.mark.req("R-MEM-5")
def test_a_flipped_bit_is_seen_or_changes_nothing_long(filled: tuple[Path, str, int]) -> None:
    flip_and_read(filled, 3000)


@pytest.mark.req("R-MEM-3")
def test_two_processes_cannot_both_write(store: NoteStore, path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from harness.memory.store import NoteStore\n"
        "from harness.values.note import Note\n"
        "s = NoteStore.open(Path(sys.argv[1]), expected_chain=None, expected_count=0)\n"
        "s.ingest([Note(round=1, step=1, call_index=0, call_id='x', text='theirs', kind='k', reason='r')]); s.close()"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, cwd=Path(__file__).parents[3])
    with pytest.raises(StorageDamaged, match="another program"):
        store.ingest([note(1, "ours")])
    assert texts(tuple(item.note for item in read_notes(path))) == ["theirs"]
