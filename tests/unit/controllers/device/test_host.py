"""The device's side: one controller, each action once, everything given back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from harness.controllers.device.host import DeviceHost
from harness.controllers.device.messages import (
    Answer,
    CaptureRequest,
    CloseRequest,
    Collected,
    CollectRequest,
    Done,
    Failed,
    Opened,
    OpenRequest,
    Performed,
    PerformRequest,
    ReleaseRequest,
    Seen,
)
from harness.errors import ActionUnknown, ControllerError, EmergencyStop, ObservationError
from harness.protocols import DeviceStart
from harness.testing.fakes import FAKE_TOOLS, FakeController
from harness.values.action import DeviceCall, Look
from harness.values.frame import Frame
from harness.values.geometry import Size
from harness.values.outcome import Outcome
from harness.values.recording import Recording

_OPEN = OpenRequest(start=DeviceStart(url=None, max_sent=Size(width_px=64, height_px=40)), observers=())
_CALLS = (DeviceCall(call_id="c1", action=Look()),)


def _act(action_id: str = "a1") -> PerformRequest:
    return PerformRequest(calls=_CALLS, action_id=action_id, decision_frame=None, deadline_s=5.0)


class _Slow(FakeController):
    """Counts its actions; each waits for `go`, then fails when there is a failure."""

    def __init__(self, failure: Exception | None = None) -> None:
        super().__init__()
        self.go = asyncio.Event()
        self.begun = asyncio.Event()
        self.failure = failure
        self.count = 0
        self.order: list[str] = []

    async def perform(
        self, calls: Sequence[DeviceCall], *, action_id: str, decision_frame: Frame | None, deadline_s: float
    ) -> Outcome:
        self.count += 1
        self.begun.set()
        await self.go.wait()
        if self.failure is not None:
            raise self.failure
        return await super().perform(calls, action_id=action_id, decision_frame=decision_frame, deadline_s=deadline_s)

    async def release_all(self) -> None:
        self.order.append("release")

    async def close(self) -> None:
        self.order.append("close")


async def _opened(controller: FakeController) -> DeviceHost:
    host = DeviceHost(lambda: controller)
    assert isinstance(await host.answer(_OPEN), Opened)
    return host


async def test_it_opens_captures_acts_and_closes() -> None:
    controller = FakeController()
    host = DeviceHost(lambda: controller)
    opened = await host.answer(_OPEN)
    assert isinstance(opened, Opened)
    assert opened.capabilities.tools == FAKE_TOOLS
    assert isinstance(await host.answer(CaptureRequest(deadline_s=1.0)), Seen)
    performed = await host.answer(_act())
    assert isinstance(performed, Performed)
    assert performed.outcome.capture is not None
    assert await host.answer(ReleaseRequest()) == Done()
    assert await host.answer(CloseRequest()) == Done()
    assert controller.is_closed
    assert controller.releases == 2


async def test_before_it_is_open_and_after_it_is_closed_there_is_nothing_to_act_on() -> None:
    host = DeviceHost(FakeController)
    assert await host.answer(ReleaseRequest()) == Done()
    before = await host.answer(_act())
    await host.answer(_OPEN)
    await host.answer(CloseRequest())
    after = await host.answer(_act())
    for answer in (before, after):
        assert isinstance(answer, Failed)
        assert answer.failure == "controller"
        assert "not open" in answer.text


async def test_it_opens_once() -> None:
    host = await _opened(FakeController())
    answer = await host.answer(_OPEN)
    assert isinstance(answer, Failed)
    assert "opened before" in answer.text


@pytest.mark.req("R-ACT-4")
async def test_the_same_action_twice_acts_once() -> None:
    controller = FakeController()
    host = await _opened(controller)
    first = await host.answer(_act())
    assert await host.answer(_act()) == first
    assert len(controller.performed) == 1


@pytest.mark.req("R-ACT-4")
async def test_the_same_action_at_the_same_time_acts_once() -> None:
    controller = _Slow()
    host = await _opened(controller)
    answers = [asyncio.create_task(host.answer(_act())) for _ in range(5)]
    await controller.begun.wait()
    controller.go.set()
    first, *others = await asyncio.gather(*answers)
    assert isinstance(first, Performed)
    assert others == [first] * 4
    assert controller.count == 1


async def test_an_action_runs_to_its_end_when_nobody_waits_any_more() -> None:
    controller = _Slow()
    host = await _opened(controller)
    waiter = asyncio.create_task(host.answer(_act()))
    await controller.begun.wait()
    waiter.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    controller.go.set()
    assert isinstance(await host.answer(_act()), Performed)
    assert controller.count == 1


@pytest.mark.parametrize(
    ("failure", "first", "again"),
    [
        (ActionUnknown("lost"), "action_unknown", "action_unknown"),
        (EmergencyStop("stopped"), "emergency_stop", "action_unknown"),
        (ObservationError("damaged"), "action_unknown", "action_unknown"),
        (RuntimeError("oops"), "fault", "action_unknown"),
    ],
)
async def test_an_action_that_was_cut_off_is_never_repeated(failure: Exception, first: str, again: str) -> None:
    controller = _Slow(failure)
    controller.go.set()
    host = await _opened(controller)
    answers = [await host.answer(_act()), await host.answer(_act())]
    assert [answer.failure for answer in answers if isinstance(answer, Failed)] == [first, again]
    assert controller.count == 1


async def test_an_action_that_reached_nothing_may_be_tried_again() -> None:
    controller = _Slow(ControllerError("not yet"))
    controller.go.set()
    host = await _opened(controller)
    assert isinstance(await host.answer(_act()), Failed)
    controller.failure = None
    assert isinstance(await host.answer(_act()), Performed)


@pytest.mark.req("R-ACT-6")
async def test_closing_cuts_off_what_runs_and_lets_go_of_everything() -> None:
    controller = _Slow()
    host = await _opened(controller)
    acting = asyncio.create_task(host.answer(_act()))
    await controller.begun.wait()
    await host.shut_down()
    answer = await acting
    assert isinstance(answer, Failed)
    assert answer.failure == "action_unknown"
    assert controller.order == ["release", "close"]


@pytest.mark.req("R-ACT-6")
async def test_everybody_who_closes_waits_for_the_one_end_and_none_can_stop_it() -> None:
    class Lingering(_Slow):
        async def close(self) -> None:
            self.begun.set()
            await self.go.wait()
            await super().close()

    controller = Lingering()
    host = await _opened(controller)
    first = asyncio.create_task(host.answer(CloseRequest()))
    await controller.begun.wait()
    second = asyncio.create_task(host.shut_down())
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert not second.done()
    controller.go.set()
    await second
    assert controller.order == ["release", "close"]


async def test_closing_closes_a_device_that_fails_to_let_go(caplog: pytest.LogCaptureFixture) -> None:
    class Stuck(FakeController):
        async def release_all(self) -> None:
            raise RuntimeError("stuck")

    controller = Stuck()
    host = await _opened(controller)
    await host.shut_down()
    assert controller.is_closed
    assert "releasing keys and buttons failed" in caplog.text


async def test_an_error_nobody_meant_is_an_answer_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(FakeController):
        async def capture(self, deadline_s: float) -> object:  # type: ignore[override]  # it never returns
            raise RuntimeError("oops")

    host = await _opened(Broken())
    answer = await host.answer(CaptureRequest(deadline_s=1.0))
    assert isinstance(answer, Failed)
    assert (answer.failure, answer.text) == ("fault", "RuntimeError: oops")
    assert "test_host.py" in answer.details
    assert "oops" in caplog.text


async def test_a_batch_of_recordings_is_handed_over_again_when_its_answer_was_lost() -> None:
    recording = Recording(kind="accessibility", frame_sha256="0" * 64, body=b"1")

    class Recorder(FakeController):
        async def collect_recordings(self, deadline_s: float) -> tuple[Recording, ...]:
            taken.append(deadline_s)
            return (recording,) if len(taken) == 1 else ()

    taken: list[float] = []
    host = await _opened(Recorder())
    batches: list[Answer] = [
        await host.answer(CollectRequest(batch=batch, deadline_s=1.0)) for batch in ("first", "first", "second")
    ]
    assert batches == [
        Collected(recordings=(recording,)),
        Collected(recordings=(recording,)),
        Collected(recordings=()),
    ]
    assert len(taken) == 2


async def test_a_batch_that_is_asked_for_twice_at_the_same_time_is_taken_once() -> None:
    recording = Recording(kind="accessibility", frame_sha256="0" * 64, body=b"1")

    class Recorder(FakeController):
        async def collect_recordings(self, deadline_s: float) -> tuple[Recording, ...]:
            taken.append(deadline_s)
            await asyncio.sleep(0)
            return (recording,) if len(taken) == 1 else ()

    taken: list[float] = []
    host = await _opened(Recorder())
    request = CollectRequest(batch="first", deadline_s=1.0)
    answers = await asyncio.gather(host.answer(request), host.answer(request))
    assert answers == [Collected(recordings=(recording,))] * 2
    assert len(taken) == 1
