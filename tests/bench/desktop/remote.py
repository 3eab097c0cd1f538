"""The same click on the same desktop, through a device process and through a device server, turn by turn."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from desktop.clicks import Clicks, Menu, desktop_spec
from desktop.ours import Ours

from harness.controllers.desktop import create
from harness.controllers.remote import create as create_remote
from harness.protocols import ControllerSpec

ROUNDS = 30
_START_S = 30.0


async def time_both(environment: Mapping[str, str], menu: Menu, folder: Path) -> tuple[Clicks, Clicks]:
    """Time local and remote acts in turn, so that what else the machine does weighs on both."""
    local, remote = Clicks("local device process"), Clicks("remote device over loopback")
    with _served(environment, folder) as (address, token):
        near = await Ours.open(create(desktop_spec(environment)))
        far = await Ours.open(create_remote(ControllerSpec(kind="remote", address=address, token=token)))
        try:
            for _ in range(ROUNDS):
                await _time(near, menu, local)
                await _time(far, menu, remote)
        finally:
            await near.controller.close()
            await far.controller.close()
    return local, remote


async def _time(ours: Ours, menu: Menu, clicks: Clicks) -> None:
    begun_s = time.perf_counter()
    await ours.click(menu.x, menu.y)
    clicks.seconds.append(time.perf_counter() - begun_s)
    await ours.reset()


@contextmanager
def _served(environment: Mapping[str, str], folder: Path) -> Iterator[tuple[str, str]]:
    token, output = secrets.token_urlsafe(24), folder / "serve.txt"
    with output.open("wb") as sink:
        server = subprocess.Popen(
            [str(Path(sys.executable).with_name("transom")), "device", "serve", "--port", "0"],
            env={**environment, "PATH": os.environ["PATH"], "TRANSOM_DEVICE_TOKEN": token},
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
    try:
        yield _address(output, server), token
    finally:
        server.terminate()
        server.wait(10)


def _address(output: Path, server: subprocess.Popen[bytes]) -> str:
    end_s = time.monotonic() + _START_S
    while time.monotonic() < end_s and server.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+", output.read_text())
        if found is not None:
            return found.group()
        time.sleep(0.05)
    raise AssertionError(f"the device server did not start: {output.read_text()}")
