"""Sees a desktop for a suite: through controllers of its own, which never act."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final, cast

from harness import plugins
from harness.errors import InfrastructureError
from harness.protocols import Controller, ControllerFactory, ControllerSpec, DeviceStart
from harness.values.desktop import DesktopWindow
from harness.values.geometry import Size

RECORDER: Final = "atspi_recording"
_LOOK_S: Final = 5.0
# Nobody looks at its pictures.
_SENT: Final = Size(width_px=64, height_px=64)


class DesktopWatch:
    """Looks at one desktop; the process that does it is started at the first look."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._controller: Controller | None = None

    async def windows(self) -> tuple[DesktopWindow, ...]:
        """Return the open windows, front to back.

        Raises:
            ControllerError: the display is gone.
        """
        if self._controller is None:
            self._controller = self._create()
            sight = await self._controller.open(DeviceStart(url=None, max_sent=_SENT), ())
        else:
            sight = await self._controller.capture(_LOOK_S)
        return sight.observation.windows

    async def texts(self, app: str) -> tuple[str, ...]:
        """Return names and contents of an application's elements, as the accessibility tree tells them now.

        Raises:
            ControllerError: the display is gone.
            InfrastructureError: the tree could not be read.
        """
        controller = self._create()
        try:
            await controller.open(DeviceStart(url=None, max_sent=_SENT), (RECORDER,))
            recordings = await controller.collect_recordings(_LOOK_S)
        finally:
            await controller.close()
        if not recordings:
            raise InfrastructureError(f"the accessibility tree was not read within {_LOOK_S:g} s; run fewer workers")
        return tuple(_shown_texts(recordings[-1].body, app))

    async def close(self) -> None:
        """End the process that looks."""
        if self._controller is not None:
            await self._controller.close()

    def _create(self) -> Controller:
        factory = cast("ControllerFactory", plugins.load("controllers", "desktop"))
        return factory(ControllerSpec(kind="desktop", display="virtual", environment=self._environment, monitor=0))


def _shown_texts(body: bytes, app: str) -> Iterator[str]:
    """Yield names and values of what shows in a recording, whose first line is about the recording itself.

    Raises:
        InfrastructureError: the tree could not be read; the text says why.
    """
    head, *nodes = map(json.loads, body.decode("utf-8").splitlines())
    if head["notices"]:
        raise InfrastructureError(f"the accessibility tree was not read: {'; '.join(head['notices'])}")
    for node in nodes:
        if node["app"] == app and "showing" in node["states"]:
            yield from (str(text) for text in (node["name"], node["value"]) if text)
