"""The device server itself: who is let in, what it answers, what it never does."""

from __future__ import annotations

import asyncio
import json
import os

import pytest
from device_server import START, TOKEN, act, served_device, session_on
from listening import listening_addresses
from raw_http import SESSION, post, request_bytes, send, send_whole

from harness.controllers.device.encoding import decode_answer, encode_request
from harness.controllers.device.messages import (
    Collected,
    CollectRequest,
    Failed,
    Opened,
    OpenRequest,
    Performed,
    PerformRequest,
)
from harness.controllers.device.packet import unpack
from harness.controllers.remote.address import Token
from harness.controllers.remote.app import DeviceRoutes
from harness.controllers.remote.desk import Desk, DeskTaken, Visitor
from harness.controllers.remote.guard import Guard
from harness.controllers.remote.server import DeviceServer, ServerSettings, listen
from harness.controllers.remote.wire import INSTANCE_HEADER, SESSION_HEADER
from harness.errors import UsageError
from harness.testing.fakes import FakeController
from harness.values.action import DeviceCall, TypeText
from harness.values.recording import Recording

pytestmark = pytest.mark.req("R-ACT-4")
_OPEN = OpenRequest(start=START, observers=())


def _act(action_id: str = "a1", text: str = "hello") -> PerformRequest:
    call = DeviceCall(call_id="c1", action=TypeText(text=text))
    return PerformRequest(calls=(call,), action_id=action_id, decision_frame=None, deadline_s=5.0)


async def _opened(port: int) -> str:
    answer = await send_whole(port, _OPEN)
    assert answer.status == 200
    return answer.headers[INSTANCE_HEADER]


async def test_one_request_acts_and_brings_frame_marks_and_settle_report() -> None:
    async with served_device() as served:
        instance = await _opened(served.port)
        raw = await send_whole(served.port, _act(), instance=instance)
        answer = decode_answer(unpack(raw.body)).answer
        assert isinstance(answer, Performed)
        outcome = answer.outcome
        assert outcome.capture is not None
        assert outcome.capture.image.startswith(b"\x89PNG")
        assert outcome.capture.image in raw.body
        assert outcome.observation is not None
        assert outcome.observation.marks
        assert outcome.observation.settle is not None
        assert served.device.effects == {"a1": 1}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": None}, 401),
        ({"Authorization": "Bearer wrong-0123456789abcd"}, 401),
        ({"Host": "attacker.example"}, 403),
        ({"Host": "attacker.example:{port}"}, 403),
        ({"Host": "127.0.0.1.:{port}"}, 403),
        ({"Host": "x@127.0.0.1:{port}"}, 403),
        ({"Host": "127.0.0.1:1"}, 403),
        ({"Origin": "http://attacker.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content-Type": "application/json"}, 415),
        ({"Content-Length": "99999999999"}, 413),
        ({SESSION_HEADER: "short"}, 400),
        ({SESSION_HEADER: None}, 400),
    ],
)
async def test_a_request_that_is_not_let_in_does_nothing(headers: dict[str, str | None], status: int) -> None:
    async with served_device() as served:
        filled = {name: value and value.format(port=served.port) for name, value in headers.items()}
        answer = await send(served.port, post(served.port, "/open", encode_request(_OPEN), headers=filled))
        assert answer.status == status
        assert "access-control-allow-origin" not in answer.headers
        assert served.devices == []
        status_answer = await send(
            served.port, post(served.port, "/status", headers={**filled, "Content-Length": None}, method="GET")
        )
        if status in {401, 403}:
            assert status_answer.status == status


async def test_a_token_in_the_address_is_refused_and_never_written_down(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level("DEBUG")
    async with served_device() as served:
        for headers in ({"Authorization": None}, {}):
            path = f"/open?token={TOKEN}"
            answer = await send(served.port, post(served.port, path, encode_request(_OPEN), headers=headers))
            assert answer.status == 400
            assert b"Authorization: Bearer" in answer.body
        assert served.devices == []
        async with session_on(served.port) as session:
            await act(session, "a1")
    written = "".join(capfd.readouterr()) + caplog.text
    assert TOKEN not in written


async def test_a_preflight_of_a_web_page_gets_no_permission() -> None:
    async with served_device() as served:
        headers = {"Origin": "http://attacker.example", "Access-Control-Request-Method": "POST"}
        for extra in ({}, {"Authorization": None}):
            answer = await send(served.port, post(served.port, "/act", headers={**headers, **extra}, method="OPTIONS"))
            assert answer.status == 403
            assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_a_websocket_gets_nothing() -> None:
    async with served_device() as served:
        headers = {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            "Content-Length": None,
        }
        answer = await send(served.port, post(served.port, "/act", headers=headers, method="GET"))
        assert answer.status == 405


def test_there_is_no_route_that_runs_a_command() -> None:
    routes = DeviceRoutes(Desk(FakeController, idle_s=1.0), instance="i")
    application = routes.application(Guard(token=TOKEN, hosts=frozenset()))
    found = {(route.path, *sorted(route.methods - {"HEAD"})) for route in application.routes}  # type: ignore[attr-defined]  # every one is a Route
    assert found == {
        ("/open", "POST"),
        ("/act", "POST"),
        ("/capture", "POST"),
        ("/recordings", "POST"),
        ("/release", "POST"),
        ("/close", "POST"),
        ("/status", "GET"),
    }


@pytest.mark.parametrize("path", ["/", "/exec", "/run", "/shell", "/cmd", "/docs", "/openapi.json", "/../act", "//act"])
async def test_other_paths_lead_nowhere(path: str) -> None:
    async with served_device() as served:
        answer = await send(served.port, post(served.port, path, encode_request(_act())))
        assert answer.status == 404


async def test_a_path_takes_its_own_request_alone() -> None:
    async with served_device() as served:
        instance = await _opened(served.port)
        body = encode_request(_act())
        answer = await send(served.port, post(served.port, "/capture", body, headers={INSTANCE_HEADER: instance}))
        assert answer.status == 400
        assert b"/capture takes the request 'capture', not 'perform'" in answer.body
        assert not served.device.effects


async def test_the_status_says_who_has_the_device() -> None:
    async with served_device() as served:
        async with session_on(served.port):
            told = await send(served.port, post(served.port, "/status", headers={"Content-Length": None}, method="GET"))
            session = json.loads(told.body)["session"]
            assert f"process {os.getpid()}" in session["client"]
            assert session["since"].endswith("+00:00")
        told = await send(served.port, post(served.port, "/status", headers={"Content-Length": None}, method="GET"))
        assert json.loads(told.body)["session"] is None
        assert TOKEN.encode() not in told.body
        assert SESSION.encode() not in told.body


async def test_after_its_start_it_listens_on_loopback_only() -> None:
    async with served_device() as served:
        await _opened(served.port)
        listening = listening_addresses(os.getpid())
    assert ("0100007F", served.port) in listening  # 127.0.0.1
    loopback = {"0100007F", "00000000000000000000000001000000"}
    assert {address for address, port in listening if port == served.port} <= loopback


def test_an_address_that_is_taken_is_a_usage_error() -> None:
    with listen("127.0.0.1", 0) as first, pytest.raises(UsageError, match=r"can't listen.*choose another --port"):
        listen("127.0.0.1", first.getsockname()[1])


@pytest.mark.parametrize("host", ["192.0.2.1", "no such host", "127.0.0.1:80", ""])
def test_an_address_that_is_none_of_this_machine_is_a_usage_error(host: str) -> None:
    with pytest.raises(UsageError, match="can't listen"):
        listen(host, 0)


async def test_a_server_on_every_interface_still_has_only_its_own_names() -> None:
    with listen("0.0.0.0", 0) as listener:
        settings = ServerSettings(token=Token(value=TOKEN, is_new=False))
        server = DeviceServer(FakeController, listener, settings)
        port = listener.getsockname()[1]
        running = asyncio.create_task(server.run())
        wrong = await send(port, post(port, "/status", headers={"Host": f"0.0.0.0:{port}"}, method="GET"))
        right = await send(port, post(port, "/status", headers={"Content-Length": None}, method="GET"))
        server.stop()
        await running
    assert (wrong.status, right.status) == (403, 200)


async def test_an_action_runs_to_its_end_when_its_client_hangs_up_and_lets_go() -> None:
    async with served_device() as served:
        instance = await _opened(served.port)
        _, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(request_bytes(served.port, _act("a1", "slow 0.2"), instance=instance))
        await served.device.acting.wait()
        assert served.device.releases == 0
        writer.transport.abort()
        async with asyncio.timeout(5.0):
            while not served.device.releases:  # noqa: ASYNC110  # the device is a plain fake
                await asyncio.sleep(0.01)
        assert served.device.ended == ["a1"]
        again = await send_whole(served.port, _act("a1", "slow 0.2"), instance=instance)
        assert isinstance(decode_answer(unpack(again.body)).answer, Performed)
        assert served.device.effects == {"a1": 1}


async def test_a_client_that_came_back_and_acts_is_not_disturbed_by_its_old_connection() -> None:
    async with served_device() as served:
        instance = await _opened(served.port)
        _, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(request_bytes(served.port, _act("a1", "slow 0.1"), instance=instance))
        await served.device.acting.wait()
        writer.transport.abort()
        later = asyncio.create_task(send_whole(served.port, _act("a2", "slow 0.5"), instance=instance))
        await send_whole(served.port, _act("a1", "slow 0.1"), instance=instance)
        await asyncio.sleep(0.1)
        assert served.device.ended == ["a1"]
        assert served.device.releases == 0
        await later


async def test_the_same_action_at_the_same_time_acts_once() -> None:
    async with served_device() as served:
        instance = await _opened(served.port)
        answers = await asyncio.gather(
            *(send_whole(served.port, _act("a1", "slow 0.1"), instance=instance) for _ in range(8))
        )
        assert {answer.status for answer in answers} == {200}
        assert len({answer.body for answer in answers}) == 1
        assert served.device.effects == {"a1": 1}


@pytest.mark.parametrize("order", ["cut", "stop"])
async def test_an_action_that_was_cut_off_is_not_repeated(order: str) -> None:
    async with served_device() as served:
        instance = await _opened(served.port)
        await send_whole(served.port, _act("a1", order), instance=instance)
        again = decode_answer(unpack((await send_whole(served.port, _act("a1", order), instance=instance)).body)).answer
        assert isinstance(again, Failed)
        assert again.failure == "action_unknown"
        assert served.device.effects == {"a1": 1}


@pytest.mark.parametrize("instance", ["", "another-start"])
async def test_an_action_for_another_start_of_the_server_is_refused(instance: str) -> None:
    async with served_device() as served:
        await _opened(served.port)
        answer = await send_whole(served.port, _act(), instance=instance)
        assert answer.status == 409
        assert b"restarted" in answer.body
        assert not served.device.effects


async def test_opening_twice_for_the_same_session_opens_once() -> None:
    async with served_device(open_s=0.1) as served:
        answers = await asyncio.gather(*(send_whole(served.port, _OPEN) for _ in range(4)))
        assert {type(decode_answer(unpack(answer.body)).answer) for answer in answers} == {Opened}
        assert [device.opens for device in served.devices] == [1]


async def test_a_device_that_does_not_open_is_free_for_the_next() -> None:
    async with served_device() as served:
        refused = await send_whole(served.port, OpenRequest(start=START, observers=("refuse",)))
        answer = decode_answer(unpack(refused.body)).answer
        assert answer == Failed(failure="controller", text="no display; set DISPLAY")
        assert served.device.is_closed
        assert isinstance(decode_answer(unpack((await send_whole(served.port, _OPEN)).body)).answer, Opened)


async def test_a_server_that_ends_opens_nothing_any_more() -> None:
    desk = Desk(FakeController, idle_s=1.0)
    await desk.shut_down()
    with pytest.raises(DeskTaken, match="is ending"):
        await desk.answer(Visitor(session=SESSION, name="late"), _OPEN)


async def test_an_end_of_the_server_closes_the_device_and_answers_what_runs() -> None:
    async with served_device() as served:
        instance = await _opened(served.port)
        acting = asyncio.create_task(send_whole(served.port, _act("a1", "hang"), instance=instance))
        await served.device.acting.wait()
    answer = decode_answer(unpack((await acting).body)).answer
    assert isinstance(answer, Failed)
    assert answer.failure == "action_unknown"
    assert served.device.is_closed
    assert served.device.releases


async def test_a_recording_comes_back_when_its_answer_was_lost() -> None:
    recording = Recording(kind="accessibility", frame_sha256="0" * 64, body=b"lines\xff")
    async with served_device() as served:
        instance = await _opened(served.port)
        served.device.unfetched.append(recording)
        for batch, expected in (("one", (recording,)), ("one", (recording,)), ("two", ())):
            raw = await send_whole(served.port, CollectRequest(batch=batch, deadline_s=1.0), instance=instance)
            assert decode_answer(unpack(raw.body)).answer == Collected(recordings=expected)
