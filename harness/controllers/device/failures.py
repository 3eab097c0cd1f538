"""Errors on their way from the device to the session: the same typed errors on both sides."""

from __future__ import annotations

import logging
import traceback
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
# The first class that fits names the error: subclasses stand before their bases.
_KINDS: Final[tuple[tuple[type[HarnessError], FailureKind], ...]] = (
    (ActionUnknown, "action_unknown"),
    (EmergencyStop, "emergency_stop"),
    (ObservationError, "observation"),
    (PluginError, "plugin"),
    (UsageError, "usage"),
    (HarnessError, "controller"),
)


def failed(exc: HarnessError) -> Failed:
    """Return the answer that stands for an error."""
    kind = next(kind for cls, kind in _KINDS if isinstance(exc, cls))
    return Failed(failure=kind, text=str(exc))


def fault(exc: Exception) -> Failed:
    """Return the answer that stands for an error that nobody raised on purpose."""
    details = "".join(traceback.format_exception(exc))
    return Failed(failure="fault", text=f"{type(exc).__name__}: {exc}"[:_TEXT_CHARS], details=details[-_DETAILS_CHARS:])


def error_of(failure: Failed) -> HarnessError:
    """Return the error that an answer stands for; the details of a fault go to the log."""
    match failure.failure:
        case "action_unknown":
            return ActionUnknown(failure.text)
        case "emergency_stop":
            return EmergencyStop(failure.text)
        case "observation":
            return ObservationError(failure.text)
        case "plugin":
            return PluginError(failure.text)
        case "usage":
            return UsageError(failure.text)
        case "controller":
            return ControllerError(failure.text)
        case "fault":
            logger.error("the device failed:\n%s", failure.details)
            return ControllerError(f"the device made a mistake of its own: {failure.text}; tell the authors of transom")
