"""Which way a desktop is driven."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from harness.controllers.desktop.backend import Backend
from harness.controllers.desktop.preflight import check_display
from harness.errors import ControllerError
from harness.protocols import ControllerSpec


def open_backend(spec: ControllerSpec, environment: Mapping[str, str]) -> Backend:
    """Return the backend that a spec asks for: XTEST on Linux, pyautogui elsewhere and on request.

    Drivers are imported here and not before: they bind to a display when they are imported.

    Raises:
        ControllerError: there is no display that can be driven; the text says what to do.
    """
    problem = check_display(environment, sys.platform)
    if problem is not None:
        raise ControllerError(problem)
    wanted = spec.desktop_input
    if wanted == "auto":
        wanted = "x11" if sys.platform == "linux" else "pyautogui"
    if wanted == "x11":
        from harness.controllers.desktop.x11.backend import X11Backend  # noqa: PLC0415  # binds to the display

        return X11Backend(environment)
    from harness.controllers.desktop.portable import PortableBackend  # noqa: PLC0415  # binds to the display

    return PortableBackend(environment)
