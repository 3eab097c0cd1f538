"""Connections to an X server, and every way in which one fails as a `ControllerError`.

python-xlib guards nothing against threads: a connection belongs to one thread.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import Xlib
from Xlib.display import Display
from Xlib.error import ConnectionClosedError, DisplayError, ResourceIDError, XauthError, XError, XNoAuthError
from Xlib.protocol import rq

from harness.controllers.desktop.display_environment import authority_of
from harness.controllers.desktop.x11.core_errors import restore_core_errors
from harness.errors import ControllerError

NEEDED_VERSION: Final = (0, 33)
_REINSTALL: Final = "run `pip install --force-reinstall --no-deps python-xlib`"
# Together every error that python-xlib raises.
OPENING_ERRORS: Final = (DisplayError, XauthError, XNoAuthError, ConnectionClosedError)
REFUSALS: Final = (XError, ResourceIDError)
logger = logging.getLogger(__name__)


def open_display(environment: Mapping[str, str]) -> Display:
    """Connect to the display that `environment` names.

    Args:
        environment: The desktop's variables; DISPLAY and XAUTHORITY are read. The process itself should be on the
            same desktop: other libraries read these variables from `os.environ`.

    Raises:
        ControllerError: there is no such display, it refuses us, or python-xlib is too old; the text says what to do.
    """
    check_version(getattr(Xlib, "__version__", (0, 0)))
    name = environment.get("DISPLAY", "")
    if not name:
        raise ControllerError("there is no display: DISPLAY is not set; set it, or use a virtual desktop")
    try:
        with authority_of(environment):
            # Said so, python-xlib does not go on to a network port of this machine where no server has its socket.
            display = Display(f"unix/{name}" if name.startswith(":") else name)
    except OPENING_ERRORS as exc:
        raise ControllerError(
            f"the display {name!r} can't be opened: {exc}; check DISPLAY, and that XAUTHORITY "
            f"({environment.get('XAUTHORITY', 'not set')!r}) names the file of that display's session"
        ) from exc
    restore_core_errors(display)
    display.set_error_handler(_log_error)
    return display


def check_version(version: tuple[int, ...]) -> None:
    """Refuse the old package that pyautogui brings under the same name.

    Raises:
        ControllerError: the version is below 0.33.
    """
    if version < NEEDED_VERSION:
        raise ControllerError(
            f"python-xlib is {'.'.join(map(str, version))}, needed is {'.'.join(map(str, NEEDED_VERSION))} or later: "
            f"python3-xlib, which pyautogui installs, overwrites its files; {_REINSTALL}"
        )


@contextmanager
def display_errors(doing: str) -> Iterator[None]:
    """Turn every error of the X protocol into a `ControllerError` that says what was being done.

    Raises:
        ControllerError: the display is gone, or refused a request.
    """
    try:
        yield
    except REFUSALS as exc:
        raise ControllerError(f"the X server refused {doing}: {exc}; open the device again") from exc
    except ConnectionClosedError as exc:
        raise ControllerError(
            f"the display is gone while {doing}: {exc}; start the desktop, then open the device again"
        ) from exc


def _log_error(error: XError, request: rq.Request | None) -> int:
    """Note an error that nobody waits for, where python-xlib would write to the standard error stream."""
    del request
    logger.warning("the X server refused a request: %s", error)
    return 1
