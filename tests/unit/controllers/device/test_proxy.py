"""The session's side: what a link says becomes the errors that a controller may raise."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.controllers.device.host import DeviceHost
from harness.controllers.device.link import AnswerLost, NothingSent
from harness.controllers.device.messages import Answer, Done, Failed, OpenRequest, Request
from harness.controllers.device.proxy import ProxyController
from harness.errors import ActionUnknown, ControllerError, EmergencyStop, HarnessError
from harness.protocols import DeviceStart
from harness.testing.fakes import FakeController
from harness.values.action import DeviceCall, Look
from harness.values.geometry import Size
from harness.values.observation import Sight
from harness.values.outcome import Outcome

_START = DeviceStart(url=None, max_sent=Size(width_px=64, height_px=40))
_CALLS = (DeviceCall(call_id="c1", action=Look()),)
Reply = Callable[[], Answer]


class _Link:
    """Passes requests to a host, unless a reply is set."""

    def __init__(self, controller: FakeController) -> None:
        self._host = DeviceHost(lambda: controller)
        self.reply: Reply | None = None
        self.asked: list[tuple[str, float]] = []
        self.given_up: list[str] = []
        self.is_closed = False

    async def exchange(self, request: Request, *, limit_s: float) -> Answer:
        self.asked.append((request.kind, limit_s))
        if self.reply is not None and not isinstance(request, OpenRequest):
            return self.reply()
        return await self._host.answer(request)

    def give_up(self, reason: str) -> None:
        self.given_up.append(reason)

    async def close(self) -> None:
        self.is_closed = True


def _raising(exc: Exception) -> Reply:
    def reply() -> Answer:
        raise exc

    return reply


async def _opened(controller: FakeController | None = None) -> tuple[ProxyController, _Link]:
    link = _Link(controller or FakeController())
    proxy = ProxyController(link)
    await proxy.open(_START, ())
    return proxy, link


async def _perform(proxy: ProxyController) -> Outcome:
    return await proxy.perform(_CALLS, action_id="a1", decision_frame=None, deadline_s=5.0)


@pytest.mark.req("R-IMG-7")
async def test_it_shows_what_the_device_itself_would_show() -> None:
    here, proxy = FakeController(), ProxyController(_Link(FakeController()))
    sights: list[tuple[Sight, Sight]] = [(await here.open(_START, ()), await proxy.open(_START, ()))]
    mine = await here.perform(_CALLS, action_id="a1", decision_frame=None, deadline_s=5.0)
    assert await _perform(proxy) == mine
    sights.append((await here.capture(1.0), await proxy.capture(1.0)))
    assert all(local == far for local, far in sights)
    assert proxy.capabilities() == here.capabilities()
    assert await proxy.collect_recordings(1.0) == ()


async def test_every_exchange_has_a_limit_within_two_seconds_of_its_deadline() -> None:
    proxy, link = await _opened()
    await _perform(proxy)
    await proxy.capture(7.0)
    await proxy.collect_recordings(3.0)
    await proxy.release_all()
    await proxy.close()
    limits = dict(link.asked)
    assert 5.0 < limits["perform"] <= 7.0
    assert 7.0 < limits["capture"] <= 9.0
    assert 3.0 < limits["collect"] <= 5.0
    assert limits["release"] <= 1.0
    assert limits["close"] <= 2.5


@pytest.mark.parametrize(
    ("reply", "raised"),
    [
        (_raising(NothingSent("dead")), ControllerError),
        (_raising(AnswerLost("dead")), ActionUnknown),
        (lambda: Failed(failure="fault", text="oops"), ActionUnknown),
        (lambda: Failed(failure="action_unknown", text="cut"), ActionUnknown),
        (lambda: Failed(failure="emergency_stop", text="hotkey"), EmergencyStop),
        (lambda: Failed(failure="controller", text="before"), ControllerError),
        (Done, ActionUnknown),
    ],
)
async def test_perform_says_what_is_known(reply: Reply, raised: type[HarnessError]) -> None:
    proxy, link = await _opened()
    link.reply = reply
    with pytest.raises(ControllerError) as caught:
        await _perform(proxy)
    assert type(caught.value) is raised


@pytest.mark.parametrize(
    ("reply", "raised"),
    [
        (_raising(NothingSent("dead")), ControllerError),
        (_raising(AnswerLost("dead")), ControllerError),
        (lambda: Failed(failure="emergency_stop", text="hotkey"), EmergencyStop),
        (Done, ControllerError),
    ],
)
async def test_capture_says_what_is_known(reply: Reply, raised: type[HarnessError]) -> None:
    proxy, link = await _opened()
    link.reply = reply
    with pytest.raises(ControllerError) as caught:
        await proxy.capture(1.0)
    assert type(caught.value) is raised


async def test_a_device_that_does_not_answer_is_given_up_where_it_matters() -> None:
    proxy, link = await _opened()
    link.reply = _raising(AnswerLost("hung"))
    await proxy.release_all()
    assert await proxy.collect_recordings(1.0) == ()
    assert link.given_up == []
    with pytest.raises(ControllerError):
        await proxy.capture(1.0)
    assert link.given_up == ["hung"]


async def test_a_device_that_fails_to_hand_over_recordings_says_why(caplog: pytest.LogCaptureFixture) -> None:
    proxy, link = await _opened()
    link.reply = lambda: Failed(failure="controller", text="the disk is full")
    assert await proxy.collect_recordings(1.0) == ()
    assert "gave no recordings: the disk is full" in caplog.text


@pytest.mark.parametrize("exc", [NothingSent("dead"), AnswerLost("hung")])
async def test_letting_go_and_closing_never_raise(exc: Exception) -> None:
    proxy, link = await _opened()
    link.reply = _raising(exc)
    await proxy.release_all()
    await proxy.close()
    assert link.is_closed


async def test_a_device_that_does_not_open_leaves_nothing_behind() -> None:
    class Closed(FakeController):
        async def open(self, start: DeviceStart, observers: object) -> Sight:
            raise ControllerError("no display; set DISPLAY")

    link = _Link(Closed())
    with pytest.raises(ControllerError, match="no display; set DISPLAY"):
        await ProxyController(link).open(_START, ())
    assert link.is_closed
