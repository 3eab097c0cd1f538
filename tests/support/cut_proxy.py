"""A TCP proxy between client and device server that cuts the connection of an action at a chosen place."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Literal

Cut = Literal["before", "request", "after", "effect", "headers", "body"]


class CutProxy:
    """Passes requests on; those of `/act` it cuts while `cut` is set, `times` times.

    `before`: nothing of the request is passed on; `request`: half of it; `after`: all of it, and the client is cut off
    at once; `effect`: cut when the server answers; `headers`: half of the answer's headers are passed back; `body`:
    half of its body. While `target_port` is 0, connections end at once.
    """

    def __init__(self) -> None:
        self.target_port = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self._abort = itertools.cycle([False, True])
        self.cut: Cut | None = None
        self.times = 0
        self.cuts = 0

    def arm(self, cut: Cut, times: int) -> None:
        """Cut the next `times` actions."""
        self.cut, self.times = cut, times

    def disarm(self) -> None:
        """Pass everything on."""
        self.cut, self.times = None, 0

    def drop_all(self) -> None:
        """Cut every connection that is open."""
        for writer in list(self._writers):
            writer.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection of a client."""
        self._writers.add(writer)
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target_port)
        except OSError:
            self._writers.discard(writer)
            self._end(writer)
            return
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while await self._pass_one(reader, writer, far_reader, far_writer):
                    pass
        finally:
            self._writers.discard(writer)
            self._end(writer)
            far_writer.close()

    async def _pass_one(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        far_reader: asyncio.StreamReader,
        far_writer: asyncio.StreamWriter,
    ) -> bool:
        head, body = await _read_message(reader)
        cut = self._next_cut(head)
        if cut == "before":
            return False
        if cut == "request":
            far_writer.write(head + body[: len(body) // 2])
            await far_writer.drain()
            return False
        far_writer.write(head + body)
        await far_writer.drain()
        if cut == "after":
            self._end(writer)
        head, body = await _read_message(far_reader)
        match cut:
            case "after" | "effect":
                return False
            case "headers":
                writer.write(head[: len(head) // 2])
            case "body":
                writer.write(head + body[: len(body) // 2])
            case _:
                writer.write(head + body)
        await writer.drain()
        return cut is None

    def _next_cut(self, head: bytes) -> Cut | None:
        if self.times <= 0 or not head.startswith(b"POST /act "):
            return None
        self.times -= 1
        self.cuts += 1
        return self.cut

    def _end(self, writer: asyncio.StreamWriter) -> None:
        """End a client's connection: by turns in order (FIN) and at once (RST)."""
        if writer.is_closing():
            return
        if next(self._abort):
            writer.transport.abort()
        else:
            writer.close()


async def _read_message(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        (int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
    )
    return head, await reader.readexactly(length)


@asynccontextmanager
async def cut_proxy() -> AsyncIterator[tuple[CutProxy, int]]:
    """Run a proxy that has no target yet; yield it and its port."""
    proxy = CutProxy()
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    try:
        yield proxy, server.sockets[0].getsockname()[1]
    finally:
        server.close()
        proxy.drop_all()
        await server.wait_closed()
