"""For each line on stdin, a child goes on with a session as the loop does until somebody kills it.

It prints its process id, then each finished step; `dead` follows once it is gone. Children are forked, so that each
kill does not pay for a start of Python.
"""

from __future__ import annotations

import hashlib
import os
import sys
from itertools import count
from pathlib import Path

from harness.memory.store import NoteStore, note_id, read_notes
from harness.session.log import EventLog
from harness.store.layout import SessionDirectory
from harness.values.artifact import Artifact
from harness.values.event import ArtifactStored, Event, InstructionAdded, NoteIngested
from harness.values.note import Note
from harness.values.projection import Request, RequestPart


def say(line: object) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            say(os.getpid())
            write(SessionDirectory(Path(sys.argv[1])))
        os.waitpid(child, 0)
        say("\ndead")


def write(directory: SessionDirectory) -> None:
    with directory.lock():
        log = EventLog.open(directory)
        events = list(log.events())
        notes = open_notes(directory, events)
        finished = max((event.step for event in events if isinstance(event.body, NoteIngested)), default=0)
        started = max((event.step for event in events), default=0)
        for step in count(finished + 1):
            if step > started:
                store_request(log, step)
            act(directory, log, notes, step)
            log.write_head()
            say(step)


def open_notes(directory: SessionDirectory, events: list[Event]) -> NoteStore:
    logged = [event.body for event in events if isinstance(event.body, NoteIngested)]
    newest = logged[-1] if logged else None
    ahead = read_notes(directory.notes_path)[len(logged) :]
    return NoteStore.open(
        directory.notes_path,
        expected_chain=newest.chain if newest else None,
        expected_count=newest.event_id if newest else 0,
        allowed_ahead=frozenset(note_id(item.note) for item in ahead),
    )


def store_request(log: EventLog, step: int) -> None:
    texts = [b'{"system":1}', b'{"step":%d}' % step]
    parts = tuple(RequestPart(sha256=hashlib.sha256(t).hexdigest(), body=t, size_bytes=len(t)) for t in texts)
    bodies = [InstructionAdded(text="a"), InstructionAdded(text="b")]
    log.store_request(Request(dialect="neutral", parts=parts), step=step, attempt=1, at_s=0.0, bodies=bodies)


def act(directory: SessionDirectory, log: EventLog, notes: NoteStore, step: int) -> None:
    data = b"frame %d " % step * 2000
    blob = directory.blobs.put(data)
    note = Note(round=1, step=step, call_index=0, call_id=f"c{step}", text=f"v{step}", kind="fact", reason="r", key="k")
    receipt = notes.ingest([note])[0]
    artifact = Artifact(
        id=f"s{step:04d}-clean", kind="clean", step=step, blob=blob, media_type="image/png", size_bytes=len(data)
    )
    ingested = NoteIngested(note=note, event_id=receipt.event_id, chain=receipt.chain, is_active=receipt.is_active)
    log.append([ArtifactStored(artifact=artifact), ingested], step=step, at_s=0.0)


main()
