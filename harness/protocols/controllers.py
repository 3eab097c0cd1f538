"""Controllers act on a device and return post-action frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol

from harness.values.action import DeviceCall
from harness.values.frame import Frame
from harness.values.geometry import Size
from harness.values.observation import Sight
from harness.values.outcome import Outcome
from harness.values.recording import Recording

CONTROLLER_PROTOCOL = 1
Display = Literal["real", "virtual"]
DesktopInput = Literal["auto", "x11", "pyautogui"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a controller can do.

    Attributes:
        tools: Names of the neutral device tools it performs, in their fixed order.
        note_tool: `note` or `web_note`.
        screen: Size of the device in its own units.
        device_scale: Physical pixels per device unit.
        engine: For example `chromium 156.0`.
        marks_image: Whether marks are an image by default (web) or text only (desktop).
        apps: What `launch` may start, by name.
    """

    tools: tuple[str, ...]
    note_tool: Literal["note", "web_note"]
    screen: Size
    device_scale: float
    engine: str
    marks_image: bool
    apps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceStart:
    """Where a device begins.

    Attributes:
        url: The page to open, or None for an empty one.
        max_sent: The largest frame the model profile accepts, in pixels.
    """

    url: str | None
    max_sent: Size


class Controller(Protocol):
    """Acts on a device and returns post-action frames. Performs one call at a time, in order."""

    PROTOCOL: ClassVar[int]

    async def open(self, start: DeviceStart, observers: Sequence[str]) -> Sight:
        """Start or attach to the device and return its first sight.

        Raises:
            ControllerError: the device can't be started; the text says what to do.
        """
        ...

    def capabilities(self) -> Capabilities:
        """Return what the opened device can do."""
        ...

    async def capture(self, deadline_s: float) -> Sight:
        """Return the current state without acting; a failed capture is an observation without a frame."""
        ...

    async def perform(
        self, calls: Sequence[DeviceCall], *, action_id: str, decision_frame: Frame | None, deadline_s: float
    ) -> Outcome:
        """Run the calls in order against the frame the model saw; settle; return one frame.

        Before each call but the first a cheap check compares the device with the decision frame (origin, active
        page or window, dialog, the mark's element); where it fails the rest return `not_executed`.
        Never raises for what the model can mend.

        Raises:
            ActionUnknown: the device was lost after a call may have reached it.
            EmergencyStop: a person took the device back.
            ControllerError: the device was lost before anything reached it.
        """
        ...

    async def collect_recordings(self, deadline_s: float) -> tuple[Recording, ...]:
        """Return the recordings that are finished by the deadline, each once; nobody waits for them in a step.

        Empty where no observer records. Never raises for a recording that failed.
        """
        ...

    async def release_all(self) -> None:
        """Release every held key and button; safe at any time."""
        ...

    async def close(self) -> None:
        """Give the device back; never raises for a device that is gone."""
        ...


class ControllerFactory(Protocol):
    """The entry point of the group `transom.controllers`."""

    def __call__(self, spec: ControllerSpec) -> Controller:
        """Return a controller that is not opened yet."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerSpec:
    """How to make a controller.

    Attributes:
        kind: The entry-point name.
        viewport: Size in device units.
        device_scale: Physical pixels per device unit; None for the device's own.
        browser: `chromium`, `firefox` or `webkit`.
        is_headed: Whether a person sees the window.
        page_text_chars: Visible text of an observation, in characters; 0 for none.
        proxy: Address of an egress proxy that every request of the browser goes through, or None.
        page: A page somebody else opened and owns (a Playwright page), or None.
        browser_endpoint: A running browser to connect to, or None.
        monitor: The monitor that a desktop shows: 1 is the first, 0 all of them.
        address: Where a remote device is served, for example `http://127.0.0.1:8765`, or None.
        token: The secret of a remote device; never shown.
        display: `real` is the screen of this machine, `virtual` one that is started for the session.
        environment: Variables of the desktop that the device process joins (DISPLAY and so on), or None for ours.
        apps: What `launch` may start: name to program and arguments. No shell reads them.
        desktop_input: `auto`, `x11` (XTEST) or `pyautogui`.
    """

    kind: str
    viewport: Size = Size(width_px=1280, height_px=800)
    device_scale: float | None = None
    browser: str = "chromium"
    is_headed: bool = False
    page_text_chars: int = 4000
    proxy: str | None = None
    page: object | None = None
    browser_endpoint: str | None = None
    monitor: int = 1
    address: str | None = None
    token: str | None = field(default=None, repr=False)
    display: Display = "real"
    environment: Mapping[str, str] | None = None
    apps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    desktop_input: DesktopInput = "auto"
