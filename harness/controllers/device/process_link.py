"""The link to a device process on this machine."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final

from harness.controllers.deadline import Deadline
from harness.controllers.device.channel import ChannelClosed
from harness.controllers.device.child import DeviceProcess
from harness.controllers.device.encoding import decode_answer, encode_request
from harness.controllers.device.link import AnswerLost, NothingSent
from harness.controllers.device.messages import Answer, CloseRequest, OpenRequest, Request
from harness.controllers.device.packet import BadMessage
from harness.errors import ControllerError
from harness.protocols import ControllerSpec

DESKTOP_FACTORY: Final = "harness.controllers.desktop.controller:DesktopController"
_AGAIN: Final = "resume the session to start a new one"
_DYING_S: Final = 1.0
# A device process that is told to close, or loses its connection, lets go and ends in two seconds by itself.
_LETTING_GO_S: Final = 2.2
_LEAVING_S: Final = 0.5


class ProcessLink:
    """Starts a device process for the open request and speaks to it until it is closed or lost."""

    def __init__(self, spec: ControllerSpec, *, factory: str = DESKTOP_FACTORY) -> None:
        self._spec = spec
        self._factory = factory
        self._process: DeviceProcess | None = None
        self._reading: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._last_number = 0
        self._lost = ""
        self._killing: asyncio.TimerHandle | None = None
        self._letting_go = Deadline(0.0)

    @property
    def process_id(self) -> int | None:
        """Id of the device process, or None while there is none."""
        return None if self._process is None else self._process.id

    async def exchange(self, request: Request, *, limit_s: float) -> Answer:
        """Return the answer to a request within `limit_s` seconds; see `Link`."""
        if isinstance(request, OpenRequest) and self._process is None and not self._lost:
            await self._start()
        number, waiting = self._send(request)
        if isinstance(request, CloseRequest):
            self._letting_go = Deadline(_LETTING_GO_S)
        try:
            return await asyncio.wait_for(waiting, limit_s)
        except TimeoutError as exc:
            raise AnswerLost(f"the device process did not answer {request.kind!r} within {limit_s:.1f} s") from exc
        finally:
            del self._waiting[number]

    def _send(self, request: Request) -> tuple[int, asyncio.Future[Answer]]:
        if self._lost:
            raise NothingSent(f"{self._lost}; {_AGAIN}")
        if self._process is None:
            raise NothingSent("the device process was not started; open the controller first")
        self._last_number += 1
        try:
            message = encode_request(request, number=self._last_number)
        except BadMessage as exc:
            raise NothingSent(str(exc)) from exc
        if not self._process.channel.send(message):
            raise NothingSent(f"the device process died; {_AGAIN}")
        waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[self._last_number] = waiting
        return self._last_number, waiting

    async def _start(self) -> None:
        try:
            self._process = await DeviceProcess.start(self._spec, self._factory)
        except ControllerError as exc:
            raise NothingSent(str(exc)) from exc
        self._reading = asyncio.create_task(self._read(self._process))

    async def _read(self, process: DeviceProcess) -> None:
        """Hand out answers until the channel ends; then say to everybody who waits why none will come."""
        try:
            while True:
                numbered = decode_answer(await process.channel.receive())
                waiting = self._waiting.get(numbered.number)
                if waiting is not None and not waiting.done():
                    waiting.set_result(numbered.answer)
        except ChannelClosed:
            if self._killing is not None:
                return
            if not await process.ended(_DYING_S):
                process.kill()
                await process.ended(_DYING_S)
            self._lose(f"the device process died ({process.death()})")
        except BadMessage as exc:
            process.kill()
            self._lose(f"the device process sent what can't be read ({exc}) and was ended")

    def _lose(self, reason: str) -> None:
        self._lost = self._lost or reason
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(AnswerLost(self._lost))

    def give_up(self, reason: str) -> None:
        """End a device process that does not answer: it may let go of keys and buttons, then it is killed."""
        if self._process is not None and not self._lost:
            self._lose(f"{reason} and was ended")
            self._process.channel.abort()
            self._killing = asyncio.get_running_loop().call_later(_LETTING_GO_S, self._process.kill)
            self._letting_go = Deadline(_LETTING_GO_S)

    async def close(self) -> None:
        """Let the process end, or end it; never raises."""
        process, self._process = self._process, None
        self._lose("the device process was closed")
        if process is None:
            return
        try:
            await self._stop_reading()
            process.channel.abort()
            await process.ended(max(_LEAVING_S, self._letting_go.left_s))
        finally:
            process.kill()
            if self._killing is not None:
                self._killing.cancel()
        await process.ended(_LEAVING_S)
        await process.dispose()

    async def _stop_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reading
