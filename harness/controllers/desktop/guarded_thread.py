"""The device thread as actions use it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from harness.controllers.deadline import Deadline
from harness.controllers.desktop.device_thread import DeviceThread
from harness.controllers.desktop.emergency import EmergencyWatch

T = TypeVar("T")


class GuardedThread:
    """Runs calls on the device thread, and none once a person has taken the device back."""

    def __init__(self, thread: DeviceThread, emergency: EmergencyWatch | None) -> None:
        self._thread = thread
        self._emergency = emergency

    async def run(self, call: Callable[[], T], *, deadline: Deadline | None = None) -> T:
        """Run a call after those before it, as `DeviceThread.run` does.

        Raises:
            EmergencyStop: a person took the device back; the call was not begun.
        """
        if self._emergency is not None:
            self._emergency.check()
        return await self._thread.run(call, deadline=deadline)
