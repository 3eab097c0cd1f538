"""The device's side: owns one controller and answers messages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from harness.controllers.deadline import Deadline, DeadlineReached
from harness.controllers.device.actions import ActionDesk
from harness.controllers.device.failures import failed, fault
from harness.controllers.device.messages import (
    Answer,
    CaptureRequest,
    CloseRequest,
    Collected,
    CollectRequest,
    Done,
    Opened,
    OpenRequest,
    Performed,
    PerformRequest,
    ReleaseRequest,
    Request,
    Seen,
)
from harness.errors import ControllerError, HarnessError
from harness.protocols import Controller

logger = logging.getLogger(__name__)
MakeController = Callable[[], Controller]
_RELEASE_S: Final = 0.7
_CLOSE_S: Final = 1.2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Device:
    controller: Controller
    actions: ActionDesk


class DeviceHost:
    """Owns one controller from `open` to `close`. Requests may come while others are under way."""

    def __init__(self, make: MakeController) -> None:
        self._make = make
        self._device: _Device | None = None
        self._closing: asyncio.Task[None] | None = None
        self._collecting = asyncio.Lock()
        self._last_batch = ("", Collected(recordings=()))

    async def answer(self, request: Request) -> Answer:
        """Do what a request asks for; what goes wrong is an answer too."""
        try:
            return await self._do(request)
        except HarnessError as exc:
            return failed(exc)
        except (
            Exception
        ) as exc:  # one request is a boundary: the device goes on, and both sides' logs have the traceback
            logger.exception("the request %r failed", request.kind)
            return fault(exc)

    async def _do(self, request: Request) -> Answer:
        match request:
            case OpenRequest():
                return await self._open(request)
            case CaptureRequest():
                return Seen(sight=await self._opened().controller.capture(request.deadline_s))
            case PerformRequest():
                return Performed(outcome=await self._opened().actions.perform(request))
            case CollectRequest():
                return await self._collect(request)
            case ReleaseRequest():
                await self.release_all()
                return Done()
            case CloseRequest():
                await self.shut_down()
                return Done()

    async def _open(self, request: OpenRequest) -> Opened:
        if self._device is not None or self._closing is not None:
            raise ControllerError("this device was opened before; make a new controller for a new session")
        controller = self._make()
        device = self._device = _Device(controller=controller, actions=ActionDesk(controller))
        sight = await controller.open(request.start, request.observers)
        if self._device is not device:
            await _bounded(controller.close(), _CLOSE_S, "closing the device")
            raise ControllerError("the device was closed while it was opened; resume the session to open it again")
        return Opened(sight=sight, capabilities=controller.capabilities())

    def _opened(self) -> _Device:
        if self._device is None:
            raise ControllerError("the device is not open; resume the session to open it again")
        return self._device

    async def _collect(self, request: CollectRequest) -> Collected:
        async with self._collecting:
            batch, collected = self._last_batch
            if batch == request.batch:
                return collected
            collected = Collected(recordings=await self._opened().controller.collect_recordings(request.deadline_s))
            self._last_batch = (request.batch, collected)
            return collected

    async def release_all(self) -> None:
        """Release every held key and button; safe at any time, takes at most 0.7 s and never raises."""
        if self._device is not None:
            await _bounded(self._device.controller.release_all(), _RELEASE_S, "releasing keys and buttons")

    async def shut_down(self) -> None:
        """Cut off what runs, release what is held, give the device back; within 2 s, once, and never raises.

        Everybody who asks waits for the same end; it comes even when nobody waits any more.
        """
        if self._closing is None:
            device, self._device = self._device, None
            self._closing = asyncio.create_task(_give_back(device))
        await asyncio.shield(self._closing)


async def _give_back(device: _Device | None) -> None:
    if device is None:
        return
    await device.actions.stop()
    await _bounded(device.controller.release_all(), _RELEASE_S, "releasing keys and buttons")
    await _bounded(device.controller.close(), _CLOSE_S, "closing the device")


async def _bounded(call: Awaitable[None], limit_s: float, what: str) -> None:
    try:
        await Deadline(limit_s).run(call, what)
    except DeadlineReached as exc:
        logger.warning("%s", exc)
    except Exception:  # tidying up is a boundary: the rest of it must still happen
        logger.exception("%s failed", what)
