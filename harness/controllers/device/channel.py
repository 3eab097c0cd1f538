"""Messages over a connected stream socket."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Final

from harness.controllers.device.packet import PREFIX_BYTES, Packet, read_lengths, split

_READ_AHEAD_BYTES: Final = 4 * 1024 * 1024


class ChannelClosed(Exception):
    """The other side is gone. Never leaves the device code."""


class Channel:
    """One side of a connection. Messages are sent whole, in the order of the calls."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def over(cls, connection: socket.socket) -> Channel:
        """Return a channel that owns `connection`."""
        return cls(*await asyncio.open_connection(sock=connection, limit=_READ_AHEAD_BYTES))

    def send(self, message: bytes) -> bool:
        """Hand a whole message to the system; return False when it certainly went nowhere: the other side is gone."""
        if self._writer.is_closing():
            return False
        self._writer.write(message)
        return not self._writer.is_closing()

    async def receive(self) -> Packet:
        """Return the next message.

        Raises:
            ChannelClosed: the other side is gone, between two messages or in the middle of one.
            BadMessage: what came is no message, or larger than the limits.
        """
        try:
            lengths = read_lengths(await self._reader.readexactly(PREFIX_BYTES))
            return split(await self._reader.readexactly(lengths.total_bytes), lengths)
        except (asyncio.IncompleteReadError, ConnectionError) as exc:
            raise ChannelClosed("the connection is closed") from exc

    def abort(self) -> None:
        """Close the connection at once; what was sent and not yet taken is lost."""
        self._writer.transport.abort()

    async def closed(self) -> None:
        """Wait until the connection has been closed on this side."""
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()
