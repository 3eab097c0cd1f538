"""What is said to a device, and what it answers. One request has one answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from harness.protocols import Capabilities, ControllerSpec, DeviceStart
from harness.values.action import DeviceCall
from harness.values.frame import Frame
from harness.values.observation import Sight
from harness.values.outcome import Outcome
from harness.values.recording import Recording

Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
FailureKind = Literal["controller", "action_unknown", "emergency_stop", "observation", "plugin", "usage", "fault"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRequest:
    """Open the device with the observers of these entry-point names."""

    start: DeviceStart
    observers: tuple[Name, ...]
    kind: Literal["open"] = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureRequest:
    """Look without acting."""

    deadline_s: Seconds
    kind: Literal["capture"] = "capture"


@dataclass(frozen=True, slots=True, kw_only=True)
class PerformRequest:
    """Act; the same `action_id` again acts no second time and gets the same answer."""

    calls: tuple[DeviceCall, ...]
    action_id: Name
    decision_frame: Frame | None
    deadline_s: Seconds
    kind: Literal["perform"] = "perform"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectRequest:
    """Hand over the finished recordings; the same `batch` again gets the same recordings."""

    batch: Name
    deadline_s: Seconds
    kind: Literal["collect"] = "collect"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRequest:
    """Release every held key and button."""

    kind: Literal["release"] = "release"


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseRequest:
    """Give the device back."""

    kind: Literal["close"] = "close"


Request = OpenRequest | CaptureRequest | PerformRequest | CollectRequest | ReleaseRequest | CloseRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The device is open."""

    sight: Sight
    capabilities: Capabilities
    kind: Literal["opened"] = "opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the device shows."""

    sight: Sight
    kind: Literal["seen"] = "seen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Performed:
    """What came of the calls."""

    outcome: Outcome
    kind: Literal["performed"] = "performed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """The recordings."""

    recordings: tuple[Recording, ...]
    kind: Literal["collected"] = "collected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """It was done, and there is nothing to say about it."""

    kind: Literal["done"] = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """An error that was raised where the device is.

    Attributes:
        failure: Its type; `fault` is one that nobody raised on purpose.
        text: What it says.
        details: Where a fault came from, a traceback for whoever mends it; else empty.
    """

    failure: FailureKind
    text: str
    details: str = ""
    kind: Literal["failed"] = "failed"


Answer = Opened | Seen | Performed | Collected | Done | Failed


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSetup:
    """What a device process is told first.

    Attributes:
        factory: What makes its controller, as `module:attribute`.
        spec: What the factory gets. Without environment, which is the one that the process is started with, and
            without page and token, which mean nothing to a process that owns a display.
    """

    factory: Name
    spec: ControllerSpec
