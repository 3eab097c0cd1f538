"""`transom device serve` beside a real desktop: what it shows, what it costs, what is left when it ends."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from desktop_endings import desktop_processes, processes_with, wait_until
from desktop_session import DesktopSession, read_when_written, wait_for
from listening import listening_addresses

from harness.controllers.desktop import create as create_local
from harness.controllers.desktop.virtual import VirtualDesktop
from harness.controllers.device.proxy import ProxyController
from harness.controllers.remote import create as create_remote
from harness.errors import ActionUnknown, ControllerError
from harness.protocols import Controller, ControllerSpec, DeviceStart
from harness.values.action import Action, Click, DeviceCall, Drag, Launch, Look, Target, TypeText
from harness.values.frame import Frame
from harness.values.geometry import FramePoint, Size
from harness.values.outcome import Outcome

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-4")]
_START = DeviceStart(url=None, max_sent=Size(width_px=1280, height_px=800))
_MARK = "TRANSOM_TEST_SERVER"
_TOKEN = "a-token-of-this-test-0123456789"
_LOOPBACK = {"0100007F", "00000000000000000000000001000000"}


def _drag(points: int) -> Drag:
    """Return a drag with Shift that takes a quarter of a second for each point."""
    path = tuple(Target(point=FramePoint(x_px=200 + 7 * number, y_px=300)) for number in range(points))
    return Drag(path=path, keys=("Shift",))


@dataclass(frozen=True, kw_only=True)
class _Server:
    """A server that runs as a program of its own.

    Attributes:
        process: It.
        address: What it printed.
        token: What it demands.
        mark: What its processes carry in their environment.
        output: Where it writes.
    """

    process: subprocess.Popen[bytes]
    address: str
    token: str
    mark: str
    output: Path


@contextmanager
def _server(environment: Mapping[str, str], folder: Path, *options: str) -> Iterator[_Server]:
    """Serve with the token of the environment, else with one that the server makes up and prints."""
    mark, output = uuid.uuid4().hex, folder / "serve.txt"
    with output.open("wb") as sink:
        process = subprocess.Popen(
            [str(Path(sys.executable).with_name("transom")), "device", "serve", "--port", "0", *options],
            env={**environment, "PATH": os.environ["PATH"], _MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        text = read_when_written(output, lambda text: "Ctrl-C" in text)
        address, token = (re.search(pattern, text) for pattern in (r"served at (\S+)", r"TRANSOM_DEVICE_TOKEN=(\S+)"))
        assert address is not None
        known = environment["TRANSOM_DEVICE_TOKEN"] if token is None else token[1]
        yield _Server(process=process, address=address[1], token=known, mark=mark, output=output)
    finally:
        process.kill()
        process.wait(10)


@pytest.fixture(scope="module")
def server(virtual_desktop: VirtualDesktop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Server]:
    """Return the server of the tests that don't end theirs."""
    options = ("--app", "pad=mousepad --disable-server")
    with _server(virtual_desktop.environment, tmp_path_factory.mktemp("serve"), *options) as running:
        yield running


@asynccontextmanager
async def _session(server: _Server) -> AsyncIterator[tuple[ProxyController, Frame]]:
    controller = create_remote(ControllerSpec(kind="remote", address=server.address, token=server.token))
    try:
        yield controller, await _open(controller)
    finally:
        await controller.close()


async def _open(controller: Controller) -> Frame:
    sight = await controller.open(_START, ("atspi_marks",))
    assert sight.observation.frame is not None, sight.observation.error
    return sight.observation.frame


async def _do(controller: Controller, action_id: str, action: Action, frame: Frame | None) -> Outcome:
    call = DeviceCall(call_id="c1", action=action)
    return await controller.perform([call], action_id=action_id, decision_frame=frame, deadline_s=20.0)


def _held(desktop: DesktopSession) -> tuple[list[int], list[int]]:
    return desktop.held_keys(), desktop.held_buttons()


async def test_one_request_types_into_a_real_application_and_brings_frame_marks_and_settle_report(
    desktop: DesktopSession, server: _Server
) -> None:
    async with _session(server) as (remote, frame):
        launched = await _do(remote, "a1", Launch(app="pad"), frame)
        assert launched.calls[0].status == "executed", launched.calls
        desktop.wait_for_window("Mousepad")
        assert launched.observation is not None
        typed = await _do(remote, "a2", TypeText(text="Grüße, 10 < 20"), launched.observation.frame)
        again = await _do(remote, "a2", TypeText(text="Grüße, 10 < 20"), launched.observation.frame)
    assert typed.status == "done"
    assert again.calls == typed.calls
    assert typed.observation is not None
    assert typed.observation.settle is not None
    assert typed.capture is not None
    assert (typed.capture.frame.width_px, typed.capture.frame.height_px) == (1280, 800)
    texts = [mark.value for mark in typed.observation.marks if mark.value]
    assert "Grüße, 10 < 20" in texts, texts


async def test_what_is_launched_and_the_device_process_do_not_know_the_token(
    desktop: DesktopSession, tmp_path: Path
) -> None:
    environment = {**desktop.environment, "TRANSOM_DEVICE_TOKEN": _TOKEN}
    with _server(environment, tmp_path, "--app", "pad=mousepad --disable-server") as server:
        async with _session(server) as (remote, frame):
            launched = await _do(remote, "a1", Launch(app="pad"), frame)
            assert launched.calls[0].status == "executed", launched.calls
            below = processes_with(_MARK, server.mark) - {server.process.pid}
            assert len(below) >= 2
            assert not [process_id for process_id in below if _knows(process_id, _TOKEN)]
    assert _TOKEN not in server.output.read_text()


def _knows(process_id: int, secret: str) -> bool:
    return secret.encode() in Path(f"/proc/{process_id}/environ").read_bytes()


async def test_everything_that_serves_listens_on_loopback_only(desktop: DesktopSession, server: _Server) -> None:
    async with _session(server):
        processes = processes_with(_MARK, server.mark)
        assert len(processes) >= 2  # the server and its device process
        listening = {found for process_id in processes for found in listening_addresses(process_id)}
    port = int(server.address.rpartition(":")[2])
    assert ("0100007F", port) in listening
    assert {address for address, _ in listening} <= _LOOPBACK


@pytest.mark.req("R-ACT-6")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
async def test_a_server_that_ends_in_the_middle_of_a_drag_holds_nothing_and_leaves_nothing(
    desktop: DesktopSession, tmp_path: Path, how: signal.Signals
) -> None:
    with _server(desktop.environment, tmp_path) as server:
        async with _session(server) as (remote, frame):
            dragging = asyncio.create_task(_do(remote, "a1", _drag(100), frame))
            await asyncio.to_thread(wait_for, lambda: all(_held(desktop)), "the drag to hold a key and a button")
            server.process.send_signal(how)
            ended = await asyncio.to_thread(server.process.wait, 10)
            assert ended == (-signal.SIGKILL if how == signal.SIGKILL else 0), server.output.read_text()
            assert await asyncio.to_thread(wait_until, lambda: not processes_with(_MARK, server.mark))
            assert _held(desktop) == ([], [])
            dragging.cancel()
            with pytest.raises((asyncio.CancelledError, ActionUnknown)):
                await dragging
    text = server.output.read_text()
    assert text.count(server.token) == 1
    assert ("every key and button is released" in text) is (how != signal.SIGKILL)
    assert "Traceback" not in text


@pytest.mark.req("R-ACT-6")
async def test_a_client_that_is_gone_in_the_middle_of_a_drag_leaves_nothing_held(
    desktop: DesktopSession, server: _Server
) -> None:
    async with _session(server) as (remote, frame):
        dragging = asyncio.create_task(_do(remote, "a1", _drag(10), frame))
        await asyncio.to_thread(wait_for, lambda: all(_held(desktop)), "the drag to hold a key and a button")
        dragging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await dragging
        await asyncio.to_thread(wait_for, lambda: _held(desktop) == ([], []), "everything to be released")
        again = await _do(remote, "a1", _drag(10), frame)
        assert again.status == "done"
        assert _held(desktop) == ([], [])


@pytest.mark.req("R-ACT-6")
async def test_a_device_process_that_is_killed_is_an_unknown_outcome_and_a_new_session_works(
    desktop: DesktopSession, server: _Server
) -> None:
    async with _session(server) as (remote, frame):
        (device,) = processes_with(_MARK, server.mark) - {server.process.pid}
        dragging = asyncio.create_task(_do(remote, "a1", _drag(100), frame))
        await asyncio.to_thread(wait_for, lambda: all(_held(desktop)), "the drag to hold a key and a button")
        os.kill(device, signal.SIGKILL)
        with pytest.raises(ActionUnknown, match="died"):
            await dragging
        with pytest.raises(ControllerError, match="resume the session to start a new one"):
            await remote.capture(5.0)
    async with _session(server) as (remote, frame):
        assert _held(desktop) == ([], [])  # what the killed one held was released at the start
        assert (await _do(remote, "a1", Look(), frame)).status == "done"


@pytest.mark.req("R-IMG-7")
async def test_a_remote_act_takes_at_most_a_third_longer_than_a_local_one(
    desktop: DesktopSession, server: _Server
) -> None:
    desktop.start(["mousepad"], title="Mousepad")
    point = Target(point=FramePoint(x_px=600, y_px=500))
    seconds: dict[str, list[float]] = {"local": [], "remote": []}
    local = create_local(ControllerSpec(kind="desktop", environment=desktop.environment))
    try:
        frames = {"local": await _open(local)}
        async with _session(server) as (remote, frames["remote"]):
            controllers = {"local": local, "remote": remote}
            for number in range(15):
                for place, controller in controllers.items():
                    began_s = time.perf_counter()
                    await _do(controller, f"a{number}", Click(target=point), frames[place])
                    seconds[place].append(time.perf_counter() - began_s)
    finally:
        await local.close()
    medians = {place: statistics.median(spent) for place, spent in seconds.items()}
    assert medians["remote"] <= 1.3 * medians["local"], medians


async def test_a_virtual_desktop_stays_from_session_to_session_and_goes_with_the_server(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="td") as short:  # sockets need short paths
        environment = {"PATH": os.environ["PATH"], "HOME": short, "TMPDIR": short}
        with _server(environment, tmp_path, "--desktop", "virtual", "--size", "800x600") as server:
            stays = desktop_processes(Path(short))
            assert stays
            for _ in range(2):
                async with _session(server) as (remote, frame):
                    assert (frame.width_px, frame.height_px) == (800, 600)
                    assert remote.capabilities().screen == Size(width_px=800, height_px=600)
                assert desktop_processes(Path(short)) >= stays
            server.process.send_signal(signal.SIGINT)
            assert await asyncio.to_thread(server.process.wait, 10) == 0, server.output.read_text()
            assert await asyncio.to_thread(wait_until, lambda: not desktop_processes(Path(short)))
