"""One session at a time: who has the device, and what happens when nobody hears of them."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable

import pytest
from device_server import START, TOKEN, act, served_device, session_on

from harness.controllers.device.proxy import ProxyController
from harness.controllers.remote.client import HttpLink
from harness.errors import ActionUnknown, ControllerError, EmergencyStop
from harness.testing.fakes import FakeController

_IDLE_S = 0.4
_BUSY_S = 1.0  # a machine that is busy with other tests wakes this one late


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10.0):
        while not holds():  # noqa: ASYNC110  # the device is a plain fake
            await asyncio.sleep(0.01)


@pytest.mark.req("R-IMG-7")
async def test_a_remote_device_shows_what_one_here_shows() -> None:
    here = FakeController()
    async with served_device() as served, session_on(served.port) as session:
        await here.open(START, ())
        for number in range(3):
            far = await act(session, f"a{number}", "hello")
            call = served.device.performed[-1]
            assert far == await here.perform(call, action_id=f"a{number}", decision_frame=None, deadline_s=5.0)
        assert await session.capture(1.0) == await here.capture(1.0)
        assert session.capabilities() == here.capabilities()


@pytest.mark.req("R-ACT-4")
async def test_a_second_session_is_told_who_has_the_device() -> None:
    async with served_device() as served, session_on(served.port) as first:
        with pytest.raises(ControllerError, match=rf"status 409.*in use by.*process {os.getpid()}.*since \d{{4}}-"):
            async with session_on(served.port):
                pass
        assert (await act(first, "a1")).status == "done"
    assert len(served.devices) == 1


@pytest.mark.req("R-ACT-4")
async def test_a_session_that_is_closed_makes_room_for_the_next() -> None:
    async with served_device() as served:
        for number in range(3):
            async with session_on(served.port) as session:
                await act(session, f"a{number}")
        assert [device.is_closed for device in served.devices] == [True] * 3


@pytest.mark.req("R-ACT-6")
async def test_the_keys_of_a_client_that_vanished_are_released_and_its_place_is_free() -> None:
    async with served_device(idle_s=_IDLE_S) as served, session_on(served.port) as vanished:
        await act(vanished, "a1")
        before = served.device.releases
        await _until(lambda: served.devices[0].releases > before)
        async with session_on(served.port) as session:
            assert served.devices[0].is_closed
            assert (await act(session, "a1")).status == "done"
            with pytest.raises(ControllerError, match="in use by") as caught:
                await act(vanished, "a2")
            assert type(caught.value) is ControllerError
        assert served.devices[0].effects == {"a1": 1}


@pytest.mark.req("R-ACT-4")
async def test_a_silent_client_that_comes_back_before_anybody_else_goes_on() -> None:
    async with served_device(idle_s=_IDLE_S) as served, session_on(served.port) as session:
        await act(session, "a1")
        before = served.device.releases
        await _until(lambda: served.device.releases > before)
        assert (await act(session, "a2")).status == "done"


@pytest.mark.req("R-ACT-4")
async def test_signs_of_life_keep_the_device_while_a_model_thinks() -> None:
    async with served_device(idle_s=_IDLE_S) as served, session_on(served.port, sign_of_life_s=0.05) as session:
        await act(session, "a1")
        before = served.device.releases
        await asyncio.sleep(3 * _IDLE_S)
        with pytest.raises(ControllerError, match="in use by"):
            async with session_on(served.port):
                pass
        assert served.device.releases == before


@pytest.mark.req("R-ACT-4")
async def test_a_session_whose_action_runs_is_not_silent() -> None:
    async with served_device(idle_s=0.1) as served, session_on(served.port) as session:
        acting = asyncio.create_task(act(session, "a1", f"slow {3 * _IDLE_S}"))
        await served.device.acting.wait()
        await asyncio.sleep(_IDLE_S)
        with pytest.raises(ControllerError, match="in use by"):
            async with session_on(served.port):
                pass
        assert (await acting).status == "done"


@pytest.mark.req("R-ACT-6")
async def test_a_remote_device_that_hangs_ends_within_its_deadline_and_two_seconds() -> None:
    async with served_device() as served, session_on(served.port) as session:
        began_s = time.monotonic()
        with pytest.raises(ActionUnknown, match=r"no answer from http://127.0.0.1"):
            await act(session, "a1", "hang", deadline_s=0.3)
        assert time.monotonic() - began_s < 2.3 + _BUSY_S
        began_s = time.monotonic()
        await session.close()
        assert time.monotonic() - began_s < 3.0 + _BUSY_S
        assert served.device.is_closed


@pytest.mark.parametrize(
    ("order", "raised"), [("lose", ControllerError), ("cut", ActionUnknown), ("stop", EmergencyStop)]
)
async def test_what_goes_wrong_on_the_device_is_the_same_error_here(order: str, raised: type[ControllerError]) -> None:
    async with served_device() as served, session_on(served.port) as session:
        with pytest.raises(ControllerError) as caught:
            await act(session, "a1", order)
        assert type(caught.value) is raised


@pytest.mark.req("R-ACT-4")
async def test_a_wrong_token_says_what_to_set_and_is_in_no_text() -> None:
    wrong = "wrong-token-0123456789"
    async with served_device() as served:
        proxy = ProxyController(HttpLink(f"http://127.0.0.1:{served.port}", wrong))
        with pytest.raises(ControllerError, match=r"status 401.*TRANSOM_DEVICE_TOKEN") as caught:
            await proxy.open(START, ())
        shown = repr(proxy) + repr(vars(proxy)) + str(caught.value) + repr(caught.value.__cause__)
        assert wrong not in shown
        assert TOKEN not in shown


async def test_a_server_that_is_not_there_is_said_soon() -> None:
    proxy = ProxyController(HttpLink("http://127.0.0.1:9", TOKEN))
    with pytest.raises(ControllerError, match=r"no device server answers at http://127.0.0.1:9.*transom device serve"):
        await proxy.open(START, ())


async def test_a_proxy_whose_server_is_gone_is_said_soon() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as gateway:
        port = gateway.sockets[0].getsockname()[1]
        proxy = ProxyController(HttpLink(f"http://127.0.0.1:{port}", TOKEN))
        began_s = time.monotonic()
        with pytest.raises(ControllerError, match=r"no device server answers.*502"):
            await proxy.open(START, ())
        assert time.monotonic() - began_s < 10.0


async def test_something_else_at_the_address_is_said() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as other:
        proxy = ProxyController(HttpLink(f"http://127.0.0.1:{other.sockets[0].getsockname()[1]}", TOKEN))
        with pytest.raises(ControllerError, match="is no device server; check the address"):
            await proxy.open(START, ())


async def test_a_device_that_was_never_opened_is_closed_without_a_word() -> None:
    proxy = ProxyController(HttpLink("http://127.0.0.1:9", TOKEN))
    await proxy.release_all()
    await proxy.close()
    with pytest.raises(ControllerError, match="not open"):
        await proxy.capture(1.0)
