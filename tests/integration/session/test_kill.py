"""A writer killed at any moment: every acknowledged step is there, each transaction whole or absent."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.memory.store import NoteStore, note_id, read_notes
from harness.session.log import EventLog, open_readonly
from harness.store.layout import SessionDirectory
from harness.values.event import ArtifactStored, Event, InstructionAdded, NoteIngested
from harness.values.note import Note

ROOT = Path(__file__).parents[3]
WRITER = Path(__file__).with_name("killed_writer.py")


def start_session(tmp_path: Path) -> SessionDirectory:
    directory = SessionDirectory.create(tmp_path)
    EventLog.create(directory).close()
    NoteStore.create(directory.notes_path).close()
    return directory


class Writer:
    """A process that forks a writing child for each kill."""

    def __init__(self, directory: SessionDirectory) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(WRITER), str(directory.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={"PYTHONPATH": str(ROOT)},
        )

    def run_and_kill(self, after_s: float) -> int:
        """Let a child go on for a while after its first step, kill it, and return the last acknowledged step."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        child = int(self.process.stdout.readline())
        lines = [self.process.stdout.readline()]
        with pytest.raises(subprocess.TimeoutExpired):
            self.process.wait(timeout=after_s)
        os.kill(child, signal.SIGKILL)
        while lines[-1] != "dead\n":
            lines.append(self.process.stdout.readline())
        finished = [line for line in lines[:-1] if line.strip()]
        assert finished, "the writer failed before its first step"
        return int(finished[-1])


@pytest.fixture
def directory(tmp_path: Path) -> SessionDirectory:
    return start_session(tmp_path)


@pytest.fixture
def writer(directory: SessionDirectory) -> Iterator[Writer]:
    writer = Writer(directory)
    with writer.process:
        yield writer
        writer.process.kill()


def check_session(directory: SessionDirectory, acknowledged: int) -> None:
    with directory.lock():
        log = EventLog.open(directory)
        events = list(log.events())
        by_step: dict[int, list[Event]] = {}
        for event in events:
            by_step.setdefault(event.step, []).append(event)
        sent = {item.step: log.part_bodies(item)[-1] for item in log.requests()}
        for step in range(1, acknowledged + 1):
            assert len(by_step.get(step, [])) == 4, f"step {step} was acknowledged and is not whole"
            assert sent[step] == b'{"step":%d}' % step
        assert all(len(group) in (2, 4) for group in by_step.values()), "half a transaction"

        for event in events:
            if isinstance(event.body, ArtifactStored):
                assert directory.blobs.get(event.body.artifact.blob)
        log.close()
        check_notes(directory, events)
        assert not list(directory.path.rglob("*.tmp"))


def check_notes(directory: SessionDirectory, events: list[Event]) -> None:
    logged = [event.body for event in events if isinstance(event.body, NoteIngested)]
    audit = read_notes(directory.notes_path)
    store = NoteStore.open(
        directory.notes_path,
        expected_chain=logged[-1].chain,
        expected_count=logged[-1].event_id,
        allowed_ahead=frozenset(note_id(item.note) for item in audit[len(logged) : len(logged) + 1]),
    )
    assert [item.note for item in audit[: len(logged)]] == [body.note for body in logged]
    assert len(audit) <= len(logged) + 1
    store.close()


def kill_often(writer: Writer, directory: SessionDirectory, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    acknowledged = 0
    for _ in range(kills):
        newest = writer.run_and_kill(rng.uniform(0.0, 0.05))
        assert newest > acknowledged, "a resumed writer goes on after what it finds"
        acknowledged = newest
        check_session(directory, acknowledged)


@pytest.mark.req("R-HIS-6")
@pytest.mark.req("R-MEM-2")
def test_a_killed_writer_loses_nothing_it_acknowledged(writer: Writer, directory: SessionDirectory) -> None:
    kill_often(writer, directory, 15, seed=3)


@pytest.mark.soak
@pytest.mark.req("R-HIS-6")
@pytest.mark.req("R-MEM-2")
def test_a_killed_writer_loses_nothing_it_acknowledged_long(writer: Writer, directory: SessionDirectory) -> None:
    kill_often(writer, directory, 200, seed=5)


@pytest.mark.req("R-MEM-2")
def test_a_note_whose_event_is_missing_is_closed_with_its_stored_result(directory: SessionDirectory) -> None:
    note = Note(round=1, step=1, call_index=0, call_id="c1", text="kept", kind="fact", reason="r")
    store = NoteStore.open(directory.notes_path, expected_chain=None, expected_count=0)
    stored = store.ingest([note])[0]
    store.close()

    again = NoteStore.open(
        directory.notes_path, expected_chain=None, expected_count=0, allowed_ahead=frozenset([note_id(note)])
    )
    receipt = again.ingest([note])[0]
    assert (receipt.event_id, receipt.chain, receipt.is_new) == (stored.event_id, stored.chain, False)
    again.close()


def test_a_session_goes_on_after_a_kill_between_log_and_head(directory: SessionDirectory) -> None:
    log = EventLog.open(directory)
    log.append([InstructionAdded(text="after the head")], step=1, at_s=0.0)
    with open_readonly(directory) as copy:
        assert copy.last_seq == 1
    log.close()
    again = EventLog.open(directory)
    again.append([InstructionAdded(text="goes on")], step=2, at_s=0.0)
    again.write_head()
    assert [event.seq for event in again.events()] == [1, 2]
    again.close()
