from __future__ import annotations

import asyncio

import pytest
from fake_desktop import FakeBackend

from harness.controllers.desktop.recordings import Recordings
from harness.controllers.desktop.view import BackendView
from harness.errors import ObservationError
from harness.testing.fakes import fake_frame
from harness.values.geometry import Size

pytestmark = pytest.mark.req("R-IMG-10")
SIZE = Size(width_px=4, height_px=4)
FIRST = fake_frame(b"1", SIZE, source="action", at_s=1.0)
SECOND = fake_frame(b"2", SIZE, source="action", at_s=2.0)


class Recorder:
    """Records when it is let; a test holds it up or breaks it."""

    PROTOCOL = 1

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.problem: Exception | None = None

    async def record(self, device: object, frame: object, *, deadline_s: float) -> bytes:
        await self.go_on.wait()
        if self.problem is not None:
            raise self.problem
        return b"{}\n"


def recordings(recorder: Recorder | None) -> Recordings:
    backend = FakeBackend()
    return Recordings(recorder, BackendView(backend, monitor=backend.screen.monitors()[1], environment={}))


async def test_a_recording_that_is_not_finished_is_not_waited_for() -> None:
    recorder = Recorder()
    kept = recordings(recorder)
    kept.begin(FIRST)
    assert kept.take() == ()
    recorder.go_on.set()
    await kept.finish(1)
    [recording] = kept.take()
    assert (recording.frame_sha256, recording.body) == (FIRST.sha256, b"{}\n")
    assert kept.take() == ()


async def test_the_next_action_cuts_a_recording_off_and_it_says_so() -> None:
    kept = recordings(Recorder())
    kept.begin(FIRST)
    await kept.interrupt()
    kept.begin(SECOND)
    [recording] = kept.take()
    assert recording.frame_sha256 == FIRST.sha256
    assert b"cut off by the next action" in recording.body


async def test_a_recording_that_fails_says_why() -> None:
    recorder = Recorder()
    recorder.problem = ObservationError("the bus is gone")
    recorder.go_on.set()
    kept = recordings(recorder)
    kept.begin(FIRST)
    await kept.finish(1)
    assert b"the bus is gone" in kept.take()[0].body


async def test_a_recorder_that_breaks_is_told_in_its_recording(caplog: pytest.LogCaptureFixture) -> None:
    recorder = Recorder()
    recorder.problem = ValueError("odd tree")
    recorder.go_on.set()
    kept = recordings(recorder)
    kept.begin(FIRST)
    await kept.finish(1)
    assert b"odd tree" in kept.take()[0].body
    assert "ValueError: odd tree" in caplog.text


async def test_without_a_recorder_there_is_nothing() -> None:
    kept = recordings(None)
    kept.begin(FIRST)
    await kept.interrupt()
    await kept.finish(1)
    assert kept.take() == ()
