"""One connection to the accessibility bus. Calls are sent at once and answered in any order."""

from __future__ import annotations

import asyncio
import socket
import weakref
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Final, TypeVar

from jeepney import DBusAddress, MessageType, new_method_call  # type: ignore[import-untyped]  # it ships no types
from jeepney.io.blocking import DBusConnection, open_dbus_connection  # type: ignore[import-untyped]  # it ships none

from observers.atspi import questions
from observers.atspi.questions import Question
from observers.atspi.signatures import MalformedMessage
from observers.atspi.wire import Reply, encode, take_replies

T = TypeVar("T")
_CHUNK_BYTES: Final = 1 << 18
_CONNECT_S: Final = 2.0


class NoAccessibility(Exception):
    """The desktop has no accessibility bus, or it went away; the text says which. Never leaves this package."""


class _Batch:
    """Replies that one `ask` waits for."""

    def __init__(self, size: int, loop: asyncio.AbstractEventLoop) -> None:
        self.replies: list[Reply | None] = [None] * size
        self.left = size
        self.done: asyncio.Future[None] = loop.create_future()

    def put(self, place: int, reply: Reply) -> None:
        self.replies[place] = reply
        self.left -= 1
        if self.left == 0 and not self.done.done():
            self.done.set_result(None)


class Bus:
    """Asks applications; belongs to the event loop in which it was made.

    A cancelled `ask` leaves the connection in step: replies that nobody waits for any more are dropped.
    """

    def __init__(self, sock: socket.socket, numbers: count[int]) -> None:
        sock.setblocking(False)
        self.loop = asyncio.get_running_loop()
        self._sock = sock
        self._numbers = numbers
        self._waiting: dict[int, tuple[_Batch, int]] = {}
        self._incoming = bytearray()
        self._outgoing = bytearray()
        self.is_open = True
        self.loop.add_reader(sock, _when_readable, weakref.ref(self))
        self._finish = weakref.finalize(self, _close, sock, self.loop)

    async def ask(self, asked: Sequence[Question[T]]) -> list[T | None]:
        """Return the answers in the order of the questions; None where there is none or it has another shape.

        Raises:
            NoAccessibility: the connection is gone.
        """
        if not asked:
            return []
        replies = await self._exchange(asked)
        return [_answer(question, reply) for question, reply in zip(asked, replies, strict=True)]

    async def ask_one(self, question: Question[T]) -> T | None:
        """Return the answer to one question, or None.

        Raises:
            NoAccessibility: the connection is gone.
        """
        return (await self.ask((question,)))[0]

    async def _exchange(self, asked: Sequence[Question[T]]) -> list[Reply | None]:
        if not self.is_open:
            raise NoAccessibility("the accessibility bus is gone")
        batch = _Batch(len(asked), self.loop)
        numbers = [next(self._numbers) for _ in asked]
        self._waiting.update((number, (batch, place)) for place, number in enumerate(numbers))
        try:
            if not self._outgoing:
                self.loop.call_soon(self._send)  # what else is asked until then goes out with it
            for question, number in zip(asked, numbers, strict=True):
                self._outgoing += encode(question.call, number)
            await batch.done
        finally:
            for number in numbers:
                self._waiting.pop(number, None)
        return batch.replies

    def _send(self) -> None:
        if not self.is_open:
            return
        try:
            while self._outgoing:
                del self._outgoing[: self._sock.send(self._outgoing)]
        except (BlockingIOError, InterruptedError):
            self.loop.add_writer(self._sock, self._send)
            return
        except OSError as exc:
            self._lose(str(exc))
            return
        self.loop.remove_writer(self._sock)

    def receive(self) -> None:
        """Read what has arrived; the event loop calls this."""
        try:
            data = self._sock.recv(_CHUNK_BYTES)
            if not data:
                self._lose("it hung up")
                return
            self._incoming += data
            replies = take_replies(self._incoming)
        except (BlockingIOError, InterruptedError):
            return
        except (OSError, MalformedMessage) as exc:
            self._lose(str(exc))
            return
        for reply in replies:
            waiting = self._waiting.pop(reply.serial, None)
            if waiting is not None:
                batch, place = waiting
                batch.put(place, reply)

    def _lose(self, why: str) -> None:
        self.close()
        for batch, _ in self._waiting.values():
            if not batch.done.done():
                batch.done.set_exception(NoAccessibility(f"the accessibility bus is gone: {why}"))

    def close(self) -> None:
        """Give the connection back."""
        self.is_open = False
        self._finish()


def _when_readable(this: weakref.ref[Bus]) -> None:
    bus = this()
    if bus is not None:
        bus.receive()


def _close(sock: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
    if not loop.is_closed():
        loop.remove_reader(sock)
        loop.remove_writer(sock)
    sock.close()


def _answer(question: Question[T], reply: Reply | None) -> T | None:
    if reply is None or reply.is_error:
        return None
    try:
        return question.read(reply)
    except MalformedMessage:
        return None


async def open_bus(environment: Mapping[str, str]) -> Bus:
    """Connect to the accessibility bus of a desktop and register as a listener.

    Args:
        environment: Variables of the desktop; DBUS_SESSION_BUS_ADDRESS names its session bus.

    Raises:
        NoAccessibility: there is none.
    """
    address = environment.get("DBUS_SESSION_BUS_ADDRESS", "")
    if not address:
        raise NoAccessibility("the desktop has no D-Bus session: DBUS_SESSION_BUS_ADDRESS is not set")
    try:
        connection = await asyncio.to_thread(_connect, address)
    except (OSError, RuntimeError, ValueError) as exc:
        raise NoAccessibility(f"the accessibility bus can't be reached: {exc}") from exc
    bus = Bus(connection.sock, connection.outgoing_serial)
    connection.selector.close()
    await bus.ask_one(questions.register_interest())
    return bus


def _connect(session_address: str) -> DBusConnection:
    """Return an authenticated connection to the accessibility bus that the session bus names. Blocks."""
    where = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
    with open_dbus_connection(session_address, auth_timeout=_CONNECT_S) as session:
        reply = session.send_and_get_reply(new_method_call(where, "GetAddress"), timeout=_CONNECT_S)
    if reply.header.message_type is MessageType.error:
        raise RuntimeError(f"the session bus says {reply.body!r}")
    (address,) = reply.body
    return open_dbus_connection(address, auth_timeout=_CONNECT_S)
