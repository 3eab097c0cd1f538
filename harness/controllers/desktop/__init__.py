"""The desktop: a controller that runs in a device process of its own, one for each display.

The session's process imports no driver: they bind to a display when they are imported, and a device that hangs or
dies must not take the session with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.controllers.device.proxy import ProxyController
    from harness.protocols import ControllerSpec

__all__ = ["create"]


def create(spec: ControllerSpec) -> ProxyController:
    """Return a desktop controller that is not opened yet; a virtual desktop is started when it is opened."""
    # Loaded late: the keeper of a virtual desktop runs from this package too, and starts in a third of the time.
    from harness.controllers.desktop.virtual_link import VirtualLink  # noqa: PLC0415
    from harness.controllers.device.process_link import ProcessLink  # noqa: PLC0415
    from harness.controllers.device.proxy import ProxyController  # noqa: PLC0415

    needs_desktop = spec.display == "virtual" and spec.environment is None
    return ProxyController(VirtualLink(spec) if needs_desktop else ProcessLink(spec))
