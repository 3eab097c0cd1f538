"""The device process: `python -m harness.controllers.device.process SOCKET PARENT_ID`.

It serves one controller to the process that started it, over an inherited socket: its number, or `stdin` on Windows,
where a description of the socket is read from there. It ends within two seconds, with every key and button released,
when that socket ends, on a signal, or when its parent dies.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import select
import signal
import socket
import sys
import threading
from dataclasses import replace
from functools import partial
from typing import Final, cast

from harness.controllers.device.channel import Channel, ChannelClosed
from harness.controllers.device.encoding import NumberedRequest, decode_request, decode_setup, encode_sendable
from harness.controllers.device.host import DeviceHost
from harness.controllers.device.messages import DeviceSetup
from harness.errors import PluginError
from harness.plugins import extra_for
from harness.protocols import Controller, ControllerFactory

_EXIT_S: Final = 2.0


class Ending:
    """The end of this process: asked for from any thread, and over in two seconds whatever hangs."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._asked = asyncio.Event()
        self._timer = threading.Timer(_EXIT_S, os._exit, (1,))
        self._timer.daemon = True
        self._once = threading.Lock()

    def begin(self) -> None:
        """Ask for the end; again is no more than once."""
        if self._once.acquire(blocking=False):
            self._timer.start()
            self._loop.call_soon_threadsafe(self._asked.set)

    async def asked(self) -> None:
        """Wait until somebody asks."""
        await self._asked.wait()


async def serve(connection: socket.socket, parent_id: int) -> None:
    """Serve until the end is asked for; then release, close and leave the process."""
    ending = Ending()
    _listen(ending, parent_id)
    threading.Thread(target=_watch, args=(connection.fileno(), ending), daemon=True).start()
    channel = await Channel.over(connection)
    try:
        setup = decode_setup(await channel.receive())
    except ChannelClosed:
        return
    host = DeviceHost(partial(_make, setup))
    serving = asyncio.create_task(_serve_requests(channel, host))
    serving.add_done_callback(lambda done: ending.begin())
    await ending.asked()
    await host.shut_down()
    serving.cancel()
    _leave(serving)


async def _serve_requests(channel: Channel, host: DeviceHost) -> None:
    """Answer requests as they come, several at a time, until the channel ends."""
    async with asyncio.TaskGroup() as answering:
        while True:
            try:
                numbered = decode_request(await channel.receive())
            except ChannelClosed:
                return
            answering.create_task(_answer(channel, host, numbered))


async def _answer(channel: Channel, host: DeviceHost, numbered: NumberedRequest) -> None:
    answer = await host.answer(numbered.request)
    channel.send(encode_sendable(answer, number=numbered.number))


def _make(setup: DeviceSetup) -> Controller:
    """Return the controller of a setup, for the environment that this process was started with.

    Raises:
        PluginError: what it needs is not installed.
    """
    module_name, _, name = setup.factory.partition(":")
    try:
        factory = cast("ControllerFactory", getattr(importlib.import_module(module_name), name))
    except ImportError as exc:
        extra = extra_for(exc.name or "")
        cure = f"run: pip install 'transom[{extra}]'" if extra else "reinstall transom"
        raise PluginError(f"this desktop can't be driven: {exc}; {cure}") from exc
    return factory(replace(setup.spec, environment=dict(os.environ)))


def _listen(ending: Ending, parent_id: int) -> None:
    """Take every sign that this process should end: signals, and the death of the parent."""
    if sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, ending.begin)
    if sys.platform == "linux":
        from harness.controllers.processes import die_with_parent  # noqa: PLC0415  # made for Linux

        # Sent as well when only a thread of the parent ends, and then the parent is still there.
        loop.add_signal_handler(signal.SIGUSR1, _end_with_parent, ending, parent_id)
        die_with_parent(parent_id, signal.SIGUSR1)


def _end_with_parent(ending: Ending, parent_id: int) -> None:
    if os.getppid() != parent_id:
        ending.begin()


def _watch(descriptor: int, ending: Ending) -> None:
    """Notice the socket's end even while the event loop hangs."""
    if sys.platform == "win32":
        return
    poller = select.poll()
    poller.register(descriptor, select.POLLHUP)
    poller.poll()
    ending.begin()


def _leave(serving: asyncio.Task[None]) -> None:
    """End the process here: a device call that hangs in a thread would hold up the interpreter's own end."""
    problem = None if not serving.done() or serving.cancelled() else serving.exception()
    if problem is not None:
        sys.excepthook(type(problem), problem, problem.__traceback__)
    sys.stderr.flush()
    os._exit(0 if problem is None else 1)


def _take_over(where: str) -> socket.socket:
    if sys.platform == "win32":
        return socket.fromshare(sys.stdin.buffer.read())
    connection = socket.socket(fileno=int(where))
    connection.set_inheritable(False)  # what the device launches must not keep the connection open
    return connection


def main(argv: list[str]) -> None:
    """Serve on the socket and for the parent that the arguments name."""
    asyncio.run(serve(_take_over(argv[0]), int(argv[1])))


if __name__ == "__main__":
    main(sys.argv[1:])
