"""A device in a process of its own: what it is given, and what is left when either side dies."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from fake_devices import FACTORY, effects, fake_environment, read_journal, typed

from harness.controllers.device.process_link import ProcessLink
from harness.controllers.device.proxy import ProxyController
from harness.errors import ActionUnknown, ControllerError, EmergencyStop, PluginError
from harness.protocols import ControllerSpec, DeviceStart
from harness.testing.fakes import FakeController
from harness.values.geometry import Size
from harness.values.outcome import Outcome

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
_START = DeviceStart(url=None, max_sent=Size(width_px=64, height_px=40))
_DEADLINE_S = 0.5
_BUSY_S = 1.0  # a machine that is busy with other tests wakes this one late


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Return the file in which the fake device writes down what is done to it."""
    return tmp_path / "journal"


def _spec(journal: Path) -> ControllerSpec:
    return ControllerSpec(kind="desktop", environment=fake_environment(journal))


@asynccontextmanager
async def _device(journal: Path, *observers: str) -> AsyncIterator[tuple[ProxyController, int]]:
    link = ProcessLink(_spec(journal), factory=FACTORY)
    proxy = ProxyController(link)
    try:
        await proxy.open(_START, observers)
        assert link.process_id is not None
        yield proxy, link.process_id
    finally:
        await proxy.close()


async def _perform(proxy: ProxyController, order: str, action_id: str = "a1") -> Outcome:
    return await proxy.perform([typed(order)], action_id=action_id, decision_frame=None, deadline_s=_DEADLINE_S)


def _is_alive(process_id: int) -> bool:
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in {"Z", "X"}


def _await_end(process_id: int) -> None:
    """Wait until a child has ended with all its threads, so that its socket is closed; leave it to be collected."""
    os.waitid(os.P_PID, process_id, os.WEXITED | os.WNOWAIT)


async def _until(holds: Callable[[], bool], within_s: float) -> None:
    """Wait until something holds; fail after `within_s` seconds."""
    end_s = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < end_s, "it never came true"
        await asyncio.sleep(0.01)


@pytest.mark.req("R-IMG-7")
async def test_a_device_in_a_process_shows_what_one_in_this_process_shows(journal: Path) -> None:
    here = FakeController()
    async with _device(journal) as (proxy, _):
        await here.open(_START, ())
        local = await here.perform([typed("hello")], action_id="a1", decision_frame=None, deadline_s=1.0)
        assert await _perform(proxy, "hello") == local
        assert await proxy.capture(1.0) == await here.capture(1.0)


async def test_the_device_process_inherits_one_socket_and_the_given_environment(journal: Path) -> None:
    async with _device(journal) as (_, process_id):
        proc = Path(f"/proc/{process_id}")
        variables = dict(
            item.split("=", 1) for item in (proc / "environ").read_bytes().decode().split("\0") if "=" in item
        )
        places = _open_files(process_id)
        process_session = os.getsid(process_id)
    assert variables == fake_environment(journal)
    assert places[0] == "/dev/null"
    assert places[1] == places[2]
    assert "(deleted)" in places[1]
    shared = set(places.values()) & set(_open_files(os.getpid()).values()) - {"/dev/null", places[1]}
    assert not [place for place in shared if place.startswith(("pipe:", "socket:", "/"))]
    assert process_session == process_id


async def test_what_the_device_launches_does_not_inherit_the_socket(journal: Path) -> None:
    async with _device(journal) as (proxy, _):
        await _perform(proxy, "launch")
    listed = "\n".join(read_journal(journal))
    assert "/dev/null" in listed
    assert "socket:" not in listed


def _open_files(process_id: int) -> dict[int, str]:
    found: dict[int, str] = {}
    for entry in Path(f"/proc/{process_id}/fd").iterdir():
        with contextlib.suppress(OSError):
            found[int(entry.name)] = str(entry.readlink())
    return found


@pytest.mark.req("R-ACT-4")
async def test_the_same_action_twice_acts_once(journal: Path) -> None:
    async with _device(journal) as (proxy, _):
        first, second = await asyncio.gather(_perform(proxy, "slow 0.1"), _perform(proxy, "slow 0.1"))
        third = await _perform(proxy, "slow 0.1")
    assert first == second == third
    assert effects(journal) == ["a1"]


@pytest.mark.parametrize(
    ("order", "raised", "text"),
    [
        ("lose", ControllerError, "lost before"),
        ("cut", ActionUnknown, "lost in the middle"),
        ("stop", EmergencyStop, "a person pressed the hotkey"),
        ("crash", ActionUnknown, "nobody meant this"),
        ("die", ActionUnknown, "died \\(exit code 3\\)"),
    ],
)
async def test_what_goes_wrong_on_the_device_is_the_same_error_here(
    journal: Path, order: str, raised: type[ControllerError], text: str
) -> None:
    async with _device(journal) as (proxy, _):
        with pytest.raises(ControllerError, match=text) as caught:
            await _perform(proxy, order)
    assert type(caught.value) is raised


async def test_recordings_come_with_their_bytes(journal: Path) -> None:
    async with _device(journal) as (proxy, _):
        await _perform(proxy, "record")
        (recording,) = await proxy.collect_recordings(1.0)
        assert recording.body == b'{"a":1}\n\xff'
        assert await proxy.collect_recordings(1.0) == ()


@pytest.mark.req("R-ACT-6")
async def test_a_device_killed_while_it_acts_is_an_unknown_outcome(journal: Path) -> None:
    async with _device(journal) as (proxy, process_id):
        acting = asyncio.create_task(_perform(proxy, "hang"))
        await _until(lambda: effects(journal) == ["a1"], 5.0)
        os.kill(process_id, signal.SIGKILL)
        with pytest.raises(ActionUnknown, match="died \\(signal 9\\)"):
            await acting
        with pytest.raises(ControllerError, match=r"died.*resume the session to start a new one") as caught:
            await proxy.capture(1.0)
        assert type(caught.value) is ControllerError


async def test_a_device_that_died_before_the_request_was_not_acted_on(journal: Path) -> None:
    async with _device(journal) as (proxy, process_id):
        os.kill(process_id, signal.SIGKILL)
        _await_end(process_id)
        with pytest.raises(ControllerError, match="died") as caught:
            await _perform(proxy, "hello")
        assert type(caught.value) is ControllerError
    assert effects(journal) == []


@pytest.mark.req("R-ACT-6")
@pytest.mark.parametrize("how", ["hang", "freeze", "stop the process"])
async def test_a_device_that_hangs_ends_within_its_deadline_and_two_seconds(journal: Path, how: str) -> None:
    async with _device(journal) as (proxy, process_id):
        began_s = time.monotonic()
        acting = asyncio.create_task(_perform(proxy, "freeze" if how == "freeze" else "hang"))
        if how == "stop the process":
            await _until(lambda: effects(journal) == ["a1"], 5.0)
            os.kill(process_id, signal.SIGSTOP)
        with pytest.raises(ActionUnknown, match="did not answer"):
            await acting
        assert time.monotonic() - began_s < _DEADLINE_S + 2.0 + _BUSY_S
        with pytest.raises(ControllerError, match="was ended; resume the session"):
            await proxy.capture(1.0)
        await _until(lambda: not _is_alive(process_id), 3.0 + _BUSY_S)
    assert ("release" in read_journal(journal)) is (how == "hang")


@pytest.mark.req("R-ACT-6")
@pytest.mark.parametrize("order", ["hang", "freeze"])
async def test_closing_a_device_that_hangs_takes_at_most_three_seconds(journal: Path, order: str) -> None:
    async with _device(journal) as (proxy, process_id):
        acting = asyncio.create_task(_perform(proxy, order))
        await _until(lambda: effects(journal) == ["a1"], 5.0)
        began_s = time.monotonic()
        await proxy.close()
        assert time.monotonic() - began_s < 3.0 + _BUSY_S
        assert not _is_alive(process_id)
        with pytest.raises(ActionUnknown):
            await acting


@pytest.mark.req("R-ACT-6")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_ends_it_with_everything_released(journal: Path, number: signal.Signals) -> None:
    async with _device(journal) as (proxy, process_id):
        acting = asyncio.create_task(_perform(proxy, "hang"))
        await _until(lambda: effects(journal) == ["a1"], 5.0)
        os.kill(process_id, number)
        with pytest.raises(ActionUnknown, match=r"closed in the middle of action|died"):
            await acting
        await _until(lambda: not _is_alive(process_id), 2.0 + _BUSY_S)
    assert read_journal(journal)[-2:] == ["release", "close"]


@pytest.mark.req("R-ACT-6")
async def test_closing_releases_closes_and_leaves_no_process(journal: Path) -> None:
    async with _device(journal) as (proxy, process_id):
        await proxy.release_all()
        await proxy.close()
        assert not _is_alive(process_id)
        await proxy.close()
        await proxy.release_all()
    assert read_journal(journal) == ["open", "release", "release", "close"]


@pytest.mark.req("R-ACT-6")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_in_the_middle_of_closing_lets_it_finish(journal: Path, number: signal.Signals) -> None:
    async with _device(journal, "linger") as (proxy, process_id):
        closing = asyncio.create_task(proxy.close())
        await _until(lambda: read_journal(journal)[-1] == "close", 5.0)
        os.kill(process_id, number)
        await closing
    assert read_journal(journal) == ["open linger", "release", "close", "closed"]


@pytest.mark.req("R-ACT-6")
async def test_a_close_that_nobody_waits_for_any_more_still_gives_the_device_back(journal: Path) -> None:
    async with _device(journal, "linger") as (proxy, process_id):
        closing = asyncio.create_task(proxy.close())
        await _until(lambda: read_journal(journal)[-1] == "close", 5.0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        assert not _is_alive(process_id)
    assert read_journal(journal)[-1] == "closed"


@pytest.mark.req("R-ACT-6")
@pytest.mark.parametrize("order", ["slow 0", "hang", "freeze"])
async def test_the_device_process_dies_with_its_parent(journal: Path, tmp_path: Path, order: str) -> None:
    parent = subprocess.Popen(  # noqa: ASYNC220  # its output is read once, its death awaited in /proc
        [sys.executable, str(Path(__file__).with_name("parent_program.py")), order],
        env={**os.environ, **fake_environment(journal)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    try:
        assert parent.stdout is not None
        process_id = int(parent.stdout.readline())
        await _until(lambda: effects(journal) == ["a1"], 5.0)
        assert _is_alive(process_id)
        assert _open_files(process_id)[0] == "/dev/null"
        parent.kill()
        await _until(lambda: not _is_alive(process_id), 5.0)
    finally:
        parent.kill()
        parent.communicate()
    assert (read_journal(journal)[-2:] == ["release", "close"]) is (order != "freeze")


async def test_a_device_that_dies_at_its_start_says_its_last_lines(journal: Path) -> None:
    proxy = ProxyController(ProcessLink(_spec(journal), factory=FACTORY))
    with pytest.raises(ControllerError, match='died \\(exit code 3: "first line" "no display \':99\'; set DISPLAY"'):
        await proxy.open(_START, ("die",))


async def test_a_device_that_refuses_to_open_leaves_no_process(journal: Path) -> None:
    link = ProcessLink(_spec(journal), factory=FACTORY)
    with pytest.raises(ControllerError, match="no display; set DISPLAY"):
        await ProxyController(link).open(_START, ("refuse",))
    assert link.process_id is None
    assert read_journal(journal)[-1] == "close"


async def test_a_driver_that_is_not_installed_is_a_plugin_error(journal: Path) -> None:
    link = ProcessLink(_spec(journal), factory="no_such_driver:create")
    with pytest.raises(PluginError, match=r"can't be driven.*no_such_driver"):
        await ProxyController(link).open(_START, ())


async def test_an_open_that_is_cancelled_leaves_no_process(journal: Path) -> None:
    link = ProcessLink(_spec(journal), factory=FACTORY)
    opening = asyncio.create_task(ProxyController(link).open(_START, ("hang",)))
    await _until(lambda: read_journal(journal) == ["open hang"], 5.0)
    process_id = link.process_id
    assert process_id is not None
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert not _is_alive(process_id)


async def test_an_answer_that_nobody_waits_for_any_more_disturbs_nobody(journal: Path) -> None:
    async with _device(journal) as (proxy, _):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(_perform(proxy, "slow 0.2"), 0.05)
        outcome = await _perform(proxy, "hello", "a2")
        assert outcome.action_id == "a2"
        assert (await _perform(proxy, "slow 0.2")).action_id == "a1"
    assert sorted(effects(journal)) == ["a1", "a2"]
