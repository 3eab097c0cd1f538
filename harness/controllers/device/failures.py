"""Errors on their way from the device to the session: the same typed errors on both sides."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping
from typing import Final

from harness.controllers.device.messages import Failed, FailureKind
from harness.errors import (
    ActionUnknown,
    ControllerError,
    EmergencyStop,
    HarnessError,
    ObservationError,
    PluginError,
    UsageError,
)

_TEXT_CHARS: Final = 2000
_DETAILS_CHARS: Final = 8000
logger = logging.getLogger(__name__)
# The first class that fits names the error: subclasses stand before their bases. A fault is no class of its own.
_CLASSES: Final[Mapping[FailureKind, type[HarnessError]]] = {
    "action_unknown": ActionUnknown,
    "emergency_stop": EmergencyStop,
    "observation": ObservationError,
    "plugin": PluginError,
    "usage": UsageError,
    "controller": ControllerError,
}


def failed(exc: HarnessError) -> Failed:
    """Return the answer that stands for an error; one without a kind of its own is the controller's."""
    kind: FailureKind = next((kind for kind, cls in _CLASSES.items() if isinstance(exc, cls)), "controller")
    return Failed(failure=kind, text=str(exc))


def fault(exc: Exception) -> Failed:
    """Return the answer that stands for an error that nobody raised on purpose."""
    details = "".join(traceback.format_exception(exc))
    return Failed(failure="fault", text=f"{type(exc).__name__}: {exc}"[:_TEXT_CHARS], details=details[-_DETAILS_CHARS:])


def error_of(failure: Failed) -> HarnessError:
    """Return the error that an answer stands for; the details of a fault go to the log."""
    if failure.failure == "fault":
        logger.error("the device failed:\n%s", failure.details)
        return ControllerError(f"the device made a mistake of its own: {failure.text}; tell the authors of transom")
    return _CLASSES[failure.failure](failure.text)
