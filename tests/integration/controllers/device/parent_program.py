"""A session that is killed: opens a fake device, prints the device's process id, acts and waits for its end."""

from __future__ import annotations

import asyncio
import os
import sys

from fake_devices import FACTORY, FOREVER_S, typed

from harness.controllers.device.process_link import ProcessLink
from harness.controllers.device.proxy import ProxyController
from harness.protocols import ControllerSpec, DeviceStart
from harness.values.geometry import Size


async def _main(order: str) -> None:
    link = ProcessLink(ControllerSpec(kind="desktop", environment=dict(os.environ)), factory=FACTORY)
    proxy = ProxyController(link)
    await proxy.open(DeviceStart(url=None, max_sent=Size(width_px=64, height_px=40)), ())
    os.write(1, f"{link.process_id}\n".encode())
    await proxy.perform([typed(order)], action_id="a1", decision_frame=None, deadline_s=FOREVER_S)
    await asyncio.sleep(FOREVER_S)


asyncio.run(_main(sys.argv[1]))
