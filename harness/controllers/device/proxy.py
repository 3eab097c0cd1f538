"""A controller whose device is somewhere else: in a process of its own, or on another machine."""

from __future__ import annotations

import contextlib
import logging
import secrets
from collections.abc import Sequence
from typing import ClassVar, Final, TypeVar

from harness.controllers.device.failures import error_of
from harness.controllers.device.link import AnswerLost, Link, NothingSent
from harness.controllers.device.messages import (
    Answer,
    CaptureRequest,
    CloseRequest,
    Collected,
    CollectRequest,
    Failed,
    Opened,
    OpenRequest,
    Performed,
    PerformRequest,
    ReleaseRequest,
    Request,
    Seen,
)
from harness.errors import ActionUnknown, ControllerError
from harness.protocols import CONTROLLER_PROTOCOL, Capabilities, DeviceStart
from harness.values.action import DeviceCall
from harness.values.frame import Frame
from harness.values.observation import Sight
from harness.values.outcome import Outcome
from harness.values.recording import Recording

logger = logging.getLogger(__name__)
T = TypeVar("T", Opened, Seen)
# The device keeps its deadlines itself; past one by so much this side stops waiting, still within 2 s.
_GRACE_S: Final = 1.8
_OPEN_S: Final = 45.0
_RELEASE_S: Final = 1.0
_CLOSE_S: Final = 2.2


class ProxyController:
    """Speaks to a device host over a link. It is opened once."""

    PROTOCOL: ClassVar[int] = CONTROLLER_PROTOCOL

    def __init__(self, link: Link) -> None:
        self._link = link
        self._capabilities: Capabilities | None = None

    async def open(self, start: DeviceStart, observers: Sequence[str]) -> Sight:
        """Open the device and return its first sight; one that fails leaves nothing behind.

        Raises:
            ControllerError: it can't be reached or started; the text says what to do.
            PluginError: an observer of that name is missing or broken there.
        """
        try:
            opened = _expect(Opened, await self._ask(OpenRequest(start=start, observers=tuple(observers)), _OPEN_S))
        except BaseException:
            await self.close()
            raise
        self._capabilities = opened.capabilities
        return opened.sight

    def capabilities(self) -> Capabilities:
        """Return what the opened device can do."""
        assert self._capabilities is not None, "open the controller first"
        return self._capabilities

    async def capture(self, deadline_s: float) -> Sight:
        """Return what the device shows now; a failed capture is an observation without a frame.

        Raises:
            ControllerError: the device can't be reached.
            EmergencyStop: a person took the device back.
        """
        return _expect(Seen, await self._ask(CaptureRequest(deadline_s=deadline_s), deadline_s + _GRACE_S)).sight

    async def perform(
        self, calls: Sequence[DeviceCall], *, action_id: str, decision_frame: Frame | None, deadline_s: float
    ) -> Outcome:
        """Run the calls on the device. The same `action_id` again acts no second time; ends 2 s after the deadline.

        Raises:
            ActionUnknown: the device was lost after the request may have reached it.
            EmergencyStop: a person took the device back.
            ControllerError: the request reached nothing.
        """
        request = PerformRequest(
            calls=tuple(calls), action_id=action_id, decision_frame=decision_frame, deadline_s=deadline_s
        )
        try:
            answer = await self._exchange(request, deadline_s + _GRACE_S)
        except AnswerLost as exc:
            raise ActionUnknown(f"{exc}; action {action_id!r} may or may not have happened") from exc
        match answer:
            case Performed():
                return answer.outcome
            case Failed(failure="fault"):
                raise ActionUnknown(f"{error_of(answer)}; action {action_id!r} may or may not have happened")
            case Failed():
                raise error_of(answer)
            case _:
                raise ActionUnknown(f"the device answered action {action_id!r} with {answer.kind!r}; look at it")

    async def collect_recordings(self, deadline_s: float) -> tuple[Recording, ...]:
        """Return the recordings that are finished by the deadline, each once; none from a device that is lost."""
        request = CollectRequest(batch=secrets.token_urlsafe(12), deadline_s=deadline_s)
        with contextlib.suppress(NothingSent, AnswerLost):
            answer = await self._link.exchange(request, limit_s=deadline_s + _GRACE_S)
            if isinstance(answer, Collected):
                return answer.recordings
            if isinstance(answer, Failed):
                logger.warning("the device gave no recordings: %s", error_of(answer))
        return ()

    async def release_all(self) -> None:
        """Release every held key and button; safe at any time."""
        with contextlib.suppress(NothingSent, AnswerLost):
            await self._link.exchange(ReleaseRequest(), limit_s=_RELEASE_S)

    async def close(self) -> None:
        """Give the device back within 3 s; never raises for a device that is gone."""
        try:
            with contextlib.suppress(NothingSent, AnswerLost):
                await self._link.exchange(CloseRequest(), limit_s=_CLOSE_S)
        finally:
            await self._link.close()

    async def _ask(self, request: Request, limit_s: float) -> Answer:
        """Return the answer to a request that may be asked again without harm.

        Raises:
            HarnessError: the device answered with an error.
            ControllerError: it did not answer.
        """
        try:
            answer = await self._exchange(request, limit_s)
        except AnswerLost as exc:
            raise ControllerError(str(exc)) from exc
        if isinstance(answer, Failed):
            raise error_of(answer)
        return answer

    async def _exchange(self, request: Request, limit_s: float) -> Answer:
        try:
            return await self._link.exchange(request, limit_s=limit_s)
        except NothingSent as exc:
            raise ControllerError(str(exc)) from exc
        except AnswerLost as exc:
            self._link.give_up(str(exc))
            raise


def _expect(kind: type[T], answer: Answer) -> T:
    if not isinstance(answer, kind):
        raise ControllerError(f"the device answered with {answer.kind!r}; use the same version on both sides")
    return answer
