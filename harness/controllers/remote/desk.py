"""One device for one session at a time: who has it, since when, and what happens when nobody hears of them again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from harness.controllers.device.host import DeviceHost, MakeController
from harness.controllers.device.messages import Answer, CloseRequest, Done, Failed, OpenRequest, Request
from harness.values.mark import quote_page_text

_CHECKS_A_PERIOD = 4


class DeskTaken(Exception):
    """A session asked for the device and does not have it. Never leaves the server; the text says who has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Who sends a request.

    Attributes:
        session: The id that the client made up for its session.
        name: What the client calls itself; hostile.
    """

    session: str
    name: str


@dataclass(slots=True, kw_only=True)
class _Holder:
    visitor: Visitor
    host: DeviceHost
    since: datetime
    last_heard_s: float
    under_way: int = 0
    is_let_go: bool = False
    opening: asyncio.Task[Answer] | None = None

    def hear(self) -> None:
        """Note a sign of life."""
        self.last_heard_s = time.monotonic()
        self.is_let_go = False


class Desk:
    """Gives the device to one session at a time and makes a controller for each."""

    def __init__(self, make: MakeController, *, idle_s: float) -> None:
        self._make = make
        self._idle_s = idle_s
        self._holder: _Holder | None = None
        self._turn = asyncio.Lock()
        self._is_over = False

    async def answer(self, visitor: Visitor, request: Request) -> Answer:
        """Do what a session asks for.

        Raises:
            DeskTaken: the device is another session's, or nobody's.
        """
        match request:
            case OpenRequest():
                return await self._open(visitor, request)
            case CloseRequest():
                return await self._close(visitor)
            case _:
                holder = self._held_by(visitor)
                with _under_way(holder):
                    return await holder.host.answer(request)

    def touch(self, session: str) -> None:
        """Note a sign of life of a session."""
        if self._holder is not None and self._holder.visitor.session == session:
            self._holder.hear()

    async def let_go(self, session: str) -> None:
        """Release every key and button that a session may hold, unless it is at work: it came back."""
        holder = self._holder
        if holder is not None and holder.visitor.session == session and holder.under_way == 0:
            await holder.host.release_all()

    def describe(self) -> dict[str, object] | None:
        """Return who has the device, for a program; None when nobody has."""
        holder = self._holder
        if holder is None:
            return None
        return {
            "client": holder.visitor.name,
            "since": holder.since.isoformat(timespec="seconds"),
            "silent_s": round(time.monotonic() - holder.last_heard_s, 1),
        }

    async def watch(self) -> None:
        """Release what a session holds that nobody hears of any more; runs until it is cancelled."""
        while True:
            await asyncio.sleep(self._idle_s / _CHECKS_A_PERIOD)
            holder = self._holder
            if holder is not None and not holder.is_let_go and self._is_silent(holder):
                holder.is_let_go = True
                await holder.host.release_all()

    async def shut_down(self) -> None:
        """Give the device back for good; never raises."""
        self._is_over = True
        async with self._turn:
            await self._end_holder()

    async def _open(self, visitor: Visitor, request: OpenRequest) -> Answer:
        """Open the device, once however often the same session asks."""
        async with self._turn:
            if self._is_over:
                raise DeskTaken("the device server is ending; start it again")
            holder = self._holder
            if holder is None or holder.visitor.session != visitor.session:
                if holder is not None and not self._is_silent(holder):
                    raise DeskTaken(self._taken_text(holder))
                await self._end_holder()
                holder = self._begin(visitor, request)
        assert holder.opening is not None
        with _under_way(holder):
            answer = await asyncio.shield(holder.opening)
        if isinstance(answer, Failed):
            async with self._turn:
                if self._holder is holder:
                    await self._end_holder()
        return answer

    def _begin(self, visitor: Visitor, request: OpenRequest) -> _Holder:
        host = DeviceHost(self._make)
        self._holder = _Holder(visitor=visitor, host=host, since=datetime.now(UTC), last_heard_s=time.monotonic())
        self._holder.opening = asyncio.create_task(host.answer(request))
        return self._holder

    async def _close(self, visitor: Visitor) -> Answer:
        async with self._turn:
            if self._holder is not None and self._holder.visitor.session == visitor.session:
                await self._end_holder()
        return Done()

    async def _end_holder(self) -> None:
        holder, self._holder = self._holder, None
        if holder is not None:
            await holder.host.shut_down()

    def _held_by(self, visitor: Visitor) -> _Holder:
        holder = self._holder
        if holder is None:
            raise DeskTaken("this session does not have the device any more; resume it to open the device again")
        if holder.visitor.session != visitor.session:
            raise DeskTaken(self._taken_text(holder))
        return holder

    def _is_silent(self, holder: _Holder) -> bool:
        return holder.under_way == 0 and time.monotonic() - holder.last_heard_s > self._idle_s

    def _taken_text(self, holder: _Holder) -> str:
        silent_s = time.monotonic() - holder.last_heard_s
        return (
            f"the device is in use by {quote_page_text(holder.visitor.name)} since {holder.since:%Y-%m-%d %H:%M:%S} "
            f"UTC, last heard of {silent_s:.0f} s ago; end that session, or wait: it loses the device "
            f"{self._idle_s:g} s after its last sign of life"
        )


@contextmanager
def _under_way(holder: _Holder) -> Iterator[None]:
    """Count a request as a sign of life from its beginning to its end."""
    holder.under_way += 1
    try:
        yield
    finally:
        holder.under_way -= 1
        holder.hear()
