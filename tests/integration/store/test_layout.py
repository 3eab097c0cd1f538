"""Session directories: names, the lock, the list and how a user names one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from harness.errors import SessionLocked, StorageDamaged, StorageVersion, UsageError
from harness.store.atomic import write_temporary
from harness.store.info import SessionInfo
from harness.store.layout import SessionDirectory, find_session, list_sessions

NOON = datetime(2026, 1, 2, 12, 0, 0, tzinfo=UTC)


def make(artifacts: Path, minute: int = 0) -> SessionDirectory:
    now = NOON + timedelta(minutes=minute)
    directory = SessionDirectory.create(artifacts, now=now)
    directory.write_info(
        SessionInfo(
            id=directory.id, agent="demo", task="Book <b>a flight</b> …", started_at=now, model="m", controller="web"
        )
    )
    return directory


@pytest.mark.req("R-SAF-5")
def test_an_id_is_utc_time_and_six_letters(tmp_path: Path) -> None:
    local = datetime(2026, 1, 2, 1, 0, 0, tzinfo=timezone(timedelta(hours=2)))
    directory = SessionDirectory.create(tmp_path / "new" / "artifacts", now=local)
    assert re.fullmatch(r"20260101-230000-[a-z]{6}", directory.id)
    assert SessionDirectory.create(tmp_path / "new" / "artifacts", now=local).id != directory.id


def test_session_json_round_trips_and_is_versioned(tmp_path: Path) -> None:
    directory = make(tmp_path)
    ended = replace(directory.read_info(), status="finished", ended_at=NOON, success=True, answer="4", steps=3)
    directory.write_info(ended)
    assert directory.read_info() == ended
    raw = json.loads(directory.info_path.read_text())
    assert raw["schema"] == "transom/session/1"
    assert raw["started_at"] == "2026-01-02T12:00:00Z"

    raw["later"] = "a field of a newer version"
    directory.info_path.write_text(json.dumps(raw))
    assert directory.read_info() == ended
    directory.info_path.write_text(json.dumps({**raw, "schema": "transom/session/9"}))
    with pytest.raises(StorageVersion, match="transom/session/9"):
        directory.read_info()


@pytest.mark.parametrize("text", ["", "{", '{"schema": "transom/session/1", "id": "x"}', "[]"])
def test_a_damaged_session_json_is_named(tmp_path: Path, text: str) -> None:
    directory = make(tmp_path)
    directory.info_path.write_text(text)
    with pytest.raises((StorageDamaged, StorageVersion), match=r"session\.json"):
        directory.read_info()
    assert directory.info_path.read_text() == text


@pytest.mark.req("R-MEM-5")
def test_one_writer_holds_a_directory_and_the_next_gets_it(tmp_path: Path) -> None:
    directory = make(tmp_path)
    write_temporary(directory.path, b"left by a killed writer")
    with directory.lock():
        assert not list(directory.path.glob(".transom-*"))
        with pytest.raises(SessionLocked, match=directory.id), SessionDirectory(directory.path).lock():
            pytest.fail("two writers")
    with SessionDirectory(directory.path).lock():
        pass


@pytest.mark.req("R-MEM-5")
def test_a_killed_writer_leaves_no_lock(tmp_path: Path) -> None:
    directory = make(tmp_path)
    code = (
        "import sys; from pathlib import Path; from harness.store.layout import SessionDirectory\n"
        "with SessionDirectory(Path(sys.argv[1])).lock():\n print('held', flush=True); sys.stdin.read()"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", code, str(directory.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    )
    with writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"held\n"
        with pytest.raises(SessionLocked), directory.lock():
            pytest.fail("two writers")
        writer.kill()
    with directory.lock():
        pass


@pytest.mark.req("R-CLI-2")
def test_sessions_are_listed_newest_first_without_foreign_folders(tmp_path: Path) -> None:
    old, new = make(tmp_path), make(tmp_path, 1)
    broken = make(tmp_path, 2)
    broken.info_path.write_text("{")
    (tmp_path / "notes").mkdir()
    (tmp_path / "README.md").write_text("x")
    entries = list_sessions(tmp_path)
    assert [entry.directory.id for entry in entries] == [broken.id, new.id, old.id]
    assert entries[0].info is None
    assert "session.json" in (entries[0].problem or "")
    assert entries[1].info == new.read_info()
    assert list_sessions(tmp_path / "nowhere") == ()


@pytest.mark.req("R-CLI-2")
def test_a_session_is_found_by_id_prefix_directory_and_last(tmp_path: Path) -> None:
    old, new = make(tmp_path), make(tmp_path, 1)
    assert find_session(tmp_path, old.id).path == old.path
    assert find_session(tmp_path, "20260102-1201").path == new.path
    assert find_session(tmp_path / "elsewhere", str(old.path)).path == old.path
    assert find_session(tmp_path, "last").path == new.path


@pytest.mark.req("R-CLI-2")
@pytest.mark.parametrize(
    ("wanted", "says"), [("2026", "several sessions start with '2026'"), ("x", "no session is named 'x'"), ("", "''")]
)
def test_an_unclear_name_lists_the_candidates(tmp_path: Path, wanted: str, says: str) -> None:
    old, new = make(tmp_path), make(tmp_path, 1)
    with pytest.raises(UsageError, match=re.escape(says)) as raised:
        find_session(tmp_path, wanted)
    assert old.id in str(raised.value)
    assert new.id in str(raised.value)


def test_without_sessions_the_error_says_how_to_start_one(tmp_path: Path) -> None:
    for wanted in ("last", "x"):
        with pytest.raises(UsageError, match="transom run"):
            find_session(tmp_path, wanted)


def test_a_folder_without_a_session_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(StorageDamaged, match="no session here"):
        SessionDirectory.open(tmp_path)
    assert SessionDirectory.open(make(tmp_path).path).id
