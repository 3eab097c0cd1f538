"""The device server: one socket, one device, until somebody ends it."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import uvicorn

from harness.controllers.device.host import MakeController
from harness.controllers.remote.address import Token, served_hosts
from harness.controllers.remote.app import DeviceRoutes
from harness.controllers.remote.desk import Desk
from harness.controllers.remote.guard import Guard
from harness.controllers.remote.wire import IDLE_S, KEEP_ALIVE_S
from harness.errors import UsageError

# Longer than clients keep an unused connection, so that it is the client that lets go of it.
_KEEP_ALIVE_S: Final = int(KEEP_ALIVE_S * 2)
_GRACEFUL_S: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """How a device is served.

    Attributes:
        token: What every request must carry.
        allowed_hosts: Names of the server beside its own, as `served_hosts` takes them.
        idle_s: Seconds without a sign of life after which a session's keys are released and another may open.
    """

    token: Token
    allowed_hosts: Sequence[str] = ()
    idle_s: float = IDLE_S


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on one address.

    Raises:
        UsageError: the address can't be listened on.
    """
    if not host:
        raise UsageError("can't listen on an address without a name; leave --host out, or write --host 127.0.0.1")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, because asyncio sends at once only on such: else every answer waits 40 ms for an acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError as exc:
        listener.close()
        raise UsageError(
            f"can't listen on {host} port {port}: {exc.strerror or exc}; choose another --port (0 for any), or --host"
        ) from exc
    return listener


class DeviceServer:
    """Serves the device on a socket that already listens."""

    def __init__(self, make: MakeController, listener: socket.socket, settings: ServerSettings) -> None:
        host, port = listener.getsockname()[:2]
        self.address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        self._listener = listener
        self._desk = Desk(make, idle_s=settings.idle_s)
        guard = Guard(token=settings.token.value, hosts=served_hosts(host, port, settings.allowed_hosts))
        routes = DeviceRoutes(self._desk, instance=secrets.token_urlsafe(12))
        self._server = _Server(
            uvicorn.Config(
                routes.application(guard),
                http="h11",
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="warning",
                access_log=False,  # addresses of requests are never written down
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=_KEEP_ALIVE_S,
                timeout_graceful_shutdown=_GRACEFUL_S,
            )
        )
        self._stop = asyncio.Event()

    async def run(self) -> None:
        """Serve until `stop`; then cut off what runs, release and close the device, and return within 5 s."""
        serving = asyncio.create_task(self._server.serve(sockets=[self._listener]))
        watching = asyncio.create_task(self._desk.watch())
        stopping = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait({serving, watching, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (watching, stopping):
                task.cancel()
            await self._desk.shut_down()
            self._server.should_exit = True
            await serving

    def stop(self) -> None:
        """Ask for the end."""
        self._stop.set()


class _Server(uvicorn.Server):
    """A server that leaves the signals to the program that runs it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield
