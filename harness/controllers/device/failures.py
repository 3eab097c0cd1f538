"""Errors on their way from the device to the session: the same typed errors on both sides."""

from __future__ import annotations

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
    return Failed(failure="fault", text=f"{type(exc).__name__}: {exc}")


def error_of(failure: Failed) -> HarnessError:
    """Return the error that an answer stands for."""
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
            return ControllerError(f"the device made a mistake of its own: {failure.text}; its log has the details")
