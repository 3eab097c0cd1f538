"""Serving this machine's desktop from start to end: token, socket, desktop, signals."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from harness.controllers.desktop import create
from harness.controllers.desktop.preflight import check_display
from harness.controllers.desktop.virtual import VirtualDesktop
from harness.controllers.remote.address import Token, served_hosts, server_token
from harness.controllers.remote.server import DeviceServer, ServerSettings, listen
from harness.controllers.remote.wire import TOKEN_VARIABLE
from harness.errors import ControllerError
from harness.protocols import ControllerSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingPlan:
    """What is served, and where.

    Attributes:
        spec: The desktop.
        host: The address to listen on.
        port: The port to listen on; 0 for any.
        allowed_hosts: Further names that clients may call the server by.
    """

    spec: ControllerSpec
    host: str
    port: int
    allowed_hosts: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What is being served now.

    Attributes:
        plan: As it was asked for.
        address: Where, for example `http://127.0.0.1:8765`.
        token: What clients must know.
    """

    plan: ServingPlan
    address: str
    token: Token


async def serve(plan: ServingPlan, announce: Callable[[Served], None]) -> None:
    """Serve a desktop until a signal ends it; then every key is released and nothing that was started is left.

    Args:
        plan: What is served, and where.
        announce: Called once, when clients can connect.

    Raises:
        UsageError: address, port or token can't be used, or the server could be reached from elsewhere without a token.
        ControllerError: there is no desktop that can be served; the text says what to do.
    """
    token = server_token(os.environ, host=plan.host)
    served_hosts(plan.host, plan.port, plan.allowed_hosts)
    with listen(plan.host, plan.port) as listener:
        async with _desktop(plan.spec) as spec:
            settings = ServerSettings(token=token, allowed_hosts=plan.allowed_hosts)
            server = DeviceServer(partial(create, spec), listener, settings)
            _end_on_signals(server)
            announce(Served(plan=plan, address=server.address, token=token))
            await server.run()


def _end_on_signals(server: DeviceServer) -> None:
    if sys.platform == "win32":
        return  # its event loops take no signals; Ctrl-C cancels what runs, which ends the server as well
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, server.stop)


@asynccontextmanager
async def _desktop(spec: ControllerSpec) -> AsyncIterator[ControllerSpec]:
    """Yield the spec of a desktop that is there; a virtual one stays from session to session until the server ends."""
    if spec.display == "virtual":
        desktop = await VirtualDesktop.start(size=spec.viewport)
        try:
            yield replace(spec, environment=desktop.environment)
        finally:
            await desktop.close()
        return
    problem = check_display(os.environ, sys.platform)
    if problem is not None:
        raise ControllerError(problem)
    # The token is for the server alone: neither the device process nor what it launches gets it.
    yield replace(spec, environment={name: value for name, value in os.environ.items() if name != TOKEN_VARIABLE})
