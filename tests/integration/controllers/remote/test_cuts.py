"""The connection to a device server is cut at every place: an action happens at most once, and is said as it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import get_args

import pytest
from cut_proxy import Cut, CutProxy, cut_proxy
from device_server import ServedDevice, act, served_device, session_on

from harness.controllers.device.proxy import ProxyController
from harness.errors import ActionUnknown, ControllerError
from harness.values.outcome import Outcome

CUTS: tuple[Cut, ...] = get_args(Cut)
ARRIVES: tuple[Cut, ...] = ("after", "effect", "headers", "body")
TIMES = 50
_TOGETHER = 10
_SHORT_S = 0.5


@asynccontextmanager
async def _cut_device() -> AsyncIterator[tuple[ServedDevice, CutProxy, ProxyController]]:
    """Yield a server, the proxy before it, and a session that goes through the proxy."""
    async with (
        cut_proxy() as (proxy, port),
        served_device(allowed_hosts=[f"127.0.0.1:{port}"]) as served,
    ):
        proxy.target_port = served.port
        async with session_on(port) as session:
            yield served, proxy, session


async def _try(proxy: ProxyController, action_id: str) -> Outcome | ControllerError:
    try:
        return await act(proxy, action_id, deadline_s=_SHORT_S)
    except ControllerError as exc:
        return exc


@pytest.mark.req("R-ACT-4")
@pytest.mark.parametrize("cut", CUTS)
async def test_an_action_whose_connection_is_cut_once_acts_once_and_its_outcome_comes(cut: Cut) -> None:
    async with _cut_device() as (served, proxy, session):
        for number in range(TIMES):
            proxy.arm(cut, 1)
            outcome = await act(session, f"a{number}")
            assert outcome.status == "done"
            assert outcome.capture is not None
        assert proxy.cuts == TIMES
        assert served.device.effects == {f"a{number}": 1 for number in range(TIMES)}


@pytest.mark.req("R-ACT-4")
async def test_an_action_whose_connection_stays_cut_is_unknown_and_never_acts_twice() -> None:
    await asyncio.gather(*(_stay_cut(cut) for cut in CUTS))  # together, because each waits for its deadlines


async def _stay_cut(cut: Cut) -> None:
    ids = [f"a{number}" for number in range(_TOGETHER)]
    async with _cut_device() as (served, proxy, session):
        proxy.arm(cut, 1_000_000)
        results = await asyncio.gather(*(_try(session, action_id) for action_id in ids))
        assert {type(result) for result in results} == {ActionUnknown}, cut
        assert proxy.cuts >= 2 * _TOGETHER, cut
        happened = dict.fromkeys(ids, 1) if cut in ARRIVES else {}
        assert served.device.effects == happened, cut

        proxy.disarm()
        again = await asyncio.gather(*(_try(session, action_id) for action_id in ids))
        assert {type(result) for result in again} == {Outcome}, cut
        assert served.device.effects == dict.fromkeys(ids, 1), cut


@pytest.mark.req("R-ACT-4")
async def test_an_action_that_finds_nobody_to_connect_to_is_known_not_to_have_happened() -> None:
    async with AsyncExitStack() as stack:
        async with served_device() as served:
            session = await stack.enter_async_context(session_on(served.port))
        results = await asyncio.gather(*(_try(session, f"a{number}") for number in range(_TOGETHER)))
        assert {type(result) for result in results} == {ControllerError}
        assert not served.device.effects


@pytest.mark.req("R-ACT-4")
async def test_a_session_goes_on_when_the_connection_comes_back() -> None:
    async with _cut_device() as (served, proxy, session):
        for number in range(5):
            proxy.drop_all()
            assert (await act(session, f"a{number}")).status == "done"
            proxy.drop_all()
            assert (await session.capture(5.0)).capture is not None
        assert served.device.effects == {f"a{number}": 1 for number in range(5)}


@pytest.mark.req("R-ACT-4")
async def test_a_server_that_was_restarted_acts_on_nothing_of_before() -> None:
    async with AsyncExitStack() as stack:
        async with served_device() as served:
            session = await stack.enter_async_context(session_on(served.port))
            await act(session, "a1")
        async with served_device(port=served.port) as again, session_on(served.port):
            with pytest.raises(ControllerError, match="restarted") as caught:
                await act(session, "a1")
            assert type(caught.value) is ControllerError
            assert not again.device.effects


@pytest.mark.req("R-ACT-4")
async def test_an_action_under_way_when_the_server_restarts_is_unknown() -> None:
    async with AsyncExitStack() as stack:
        proxy, port = await stack.enter_async_context(cut_proxy())
        names = [f"127.0.0.1:{port}"]
        async with served_device(allowed_hosts=names) as served:
            proxy.target_port = served.port
            session = await stack.enter_async_context(session_on(port))
            proxy.arm("after", 1)
            acting = asyncio.create_task(act(session, "a1", "slow 0.1"))
            await served.device.acting.wait()
            proxy.target_port = 0
        async with served_device(allowed_hosts=names) as again:
            proxy.target_port = again.port
            with pytest.raises(ActionUnknown, match="restarted"):
                await acting
            assert served.device.effects == {"a1": 1}
            assert again.devices == []
