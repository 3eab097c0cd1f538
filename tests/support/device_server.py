"""A real device server over a fake device, in the event loop of the test."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from harness.controllers.device.proxy import ProxyController
from harness.controllers.remote.address import Token
from harness.controllers.remote.client import HttpLink
from harness.controllers.remote.server import DeviceServer, ServerSettings, listen
from harness.errors import ActionUnknown, ControllerError, EmergencyStop
from harness.protocols import DeviceStart
from harness.testing.fakes import FakeController
from harness.values.action import DeviceCall, TypeText
from harness.values.frame import Frame
from harness.values.geometry import Size
from harness.values.observation import Sight
from harness.values.outcome import Outcome
from harness.values.recording import Recording

TOKEN = "test-token-0123456789abcdef"
START = DeviceStart(url=None, max_sent=Size(width_px=64, height_px=40))
FOREVER_S = 3600.0


class CountingDevice(FakeController):
    """Counts the effects of each action id; typed text may order `hang`, `cut`, `lose`, `stop` or `slow S`."""

    def __init__(self) -> None:
        super().__init__()
        self.effects: Counter[str] = Counter()
        self.ended: list[str] = []
        self.acting = asyncio.Event()
        self.unfetched: list[Recording] = []
        self.opens = 0
        self.open_s = 0.0

    async def open(self, start: DeviceStart, observers: Sequence[str]) -> Sight:
        self.opens += 1
        await asyncio.sleep(self.open_s)
        if "refuse" in observers:
            raise ControllerError("no display; set DISPLAY")
        return await super().open(start, observers)

    async def perform(
        self, calls: Sequence[DeviceCall], *, action_id: str, decision_frame: Frame | None, deadline_s: float
    ) -> Outcome:
        order = calls[0].action.text.split() if isinstance(calls[0].action, TypeText) else []
        if order == ["lose"]:
            raise ControllerError("the display was lost before")
        self.effects[action_id] += 1
        self.acting.set()
        match order:
            case ["hang"]:
                await asyncio.sleep(FOREVER_S)
            case ["slow", seconds]:
                await asyncio.sleep(float(seconds))
            case ["cut"]:
                raise ActionUnknown("the display was lost in the middle")
            case ["stop"]:
                raise EmergencyStop("a person pressed the hotkey")
        outcome = await super().perform(
            calls, action_id=action_id, decision_frame=decision_frame, deadline_s=deadline_s
        )
        self.ended.append(action_id)
        return outcome

    async def collect_recordings(self, deadline_s: float) -> tuple[Recording, ...]:
        taken, self.unfetched = tuple(self.unfetched), []
        return taken


@dataclass(kw_only=True)
class ServedDevice:
    """A server that runs.

    Attributes:
        server: The server.
        port: Where it listens on 127.0.0.1.
        devices: The devices that were made so far, one for each session.
    """

    server: DeviceServer
    port: int
    devices: list[CountingDevice] = field(default_factory=list)

    @property
    def device(self) -> CountingDevice:
        """The newest device."""
        return self.devices[-1]


@asynccontextmanager
async def served_device(
    *, port: int = 0, idle_s: float = 45.0, open_s: float = 0.0, allowed_hosts: Sequence[str] = ()
) -> AsyncIterator[ServedDevice]:
    """Serve a fresh counting device to each session on loopback."""
    devices: list[CountingDevice] = []

    def make() -> CountingDevice:
        devices.append(CountingDevice())
        devices[-1].open_s = open_s
        return devices[-1]

    with listen("127.0.0.1", port) as listener:
        settings = ServerSettings(token=Token(value=TOKEN, is_new=False), allowed_hosts=allowed_hosts, idle_s=idle_s)
        server = DeviceServer(make, listener, settings)
        running = asyncio.create_task(server.run())
        try:
            yield ServedDevice(server=server, port=listener.getsockname()[1], devices=devices)
        finally:
            server.stop()
            await running


@asynccontextmanager
async def session_on(port: int, *, sign_of_life_s: float = 10.0) -> AsyncIterator[ProxyController]:
    """Open a session on the server at a port; close it at the end."""
    proxy = ProxyController(HttpLink(f"http://127.0.0.1:{port}", TOKEN, sign_of_life_s=sign_of_life_s))
    try:
        await proxy.open(START, ())
        yield proxy
    finally:
        await proxy.close()


async def act(proxy: ProxyController, action_id: str, order: str = "", *, deadline_s: float = 5.0) -> Outcome:
    """Perform one call that types an order."""
    call = DeviceCall(call_id="c1", action=TypeText(text=order))
    return await proxy.perform([call], action_id=action_id, decision_frame=None, deadline_s=deadline_s)
