"""The link to a device process on a virtual desktop that is started for it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from harness.controllers.desktop.virtual import VirtualDesktop
from harness.controllers.device.link import NothingSent
from harness.controllers.device.messages import Answer, OpenRequest, Request
from harness.controllers.device.process_link import ProcessLink
from harness.errors import ControllerError
from harness.protocols import ControllerSpec


class VirtualLink:
    """Starts a desktop of the spec's viewport for the open request, and ends it with the link."""

    def __init__(self, spec: ControllerSpec) -> None:
        self._spec = spec
        self._desktop: VirtualDesktop | None = None
        self._process: ProcessLink | None = None

    async def exchange(self, request: Request, *, limit_s: float) -> Answer:
        """Return the answer to a request within `limit_s` seconds; see `Link`."""
        if self._process is None:
            if not isinstance(request, OpenRequest):
                raise NothingSent("the virtual desktop was not started; open the controller first")
            self._process = await self._start(limit_s)
        return await self._process.exchange(request, limit_s=limit_s)

    async def _start(self, limit_s: float) -> ProcessLink:
        try:
            self._desktop = await asyncio.wait_for(VirtualDesktop.start(size=self._spec.viewport), limit_s)
        except ControllerError as exc:
            raise NothingSent(str(exc)) from exc
        except TimeoutError as exc:
            raise NothingSent(f"the virtual desktop did not start within {limit_s:.0f} s; try again") from exc
        return ProcessLink(replace(self._spec, environment=self._desktop.environment))

    def give_up(self, reason: str) -> None:
        """End a device process that does not answer; see `Link`."""
        if self._process is not None:
            self._process.give_up(reason)

    async def close(self) -> None:
        """End the device process, then the desktop with everything on it; never raises."""
        try:
            if self._process is not None:
                await self._process.close()
        finally:
            desktop, self._desktop = self._desktop, None
            if desktop is not None:
                await desktop.close()
