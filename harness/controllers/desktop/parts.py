"""What an opened desktop controller works with, put together once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.controllers.desktop.backend import Backend
from harness.controllers.desktop.device_thread import DeviceThread
from harness.controllers.desktop.emergency import EmergencyWatch
from harness.controllers.desktop.hands import DesktopHands
from harness.controllers.desktop.launch import Launcher
from harness.controllers.desktop.recordings import Recordings
from harness.controllers.desktop.sight import DesktopEyes
from harness.controllers.sensors import load_observers, load_settler
from harness.protocols import ControllerSpec, DeviceStart, FieldReader, MarkObserver, Settler
from harness.values.geometry import DevicePoint


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopParts:
    """The parts of one opened desktop.

    Attributes:
        backend: Pointer, keyboard, clipboard, windows and screen.
        thread: Where the backend is called.
        launcher: Starts applications of the allow-list.
        eyes: Frames with their marks.
        hands: Actions.
        settler: Waits after each action.
        observer: Finds marks, or None.
        recordings: Accessibility recordings beside the steps.
        emergency: A person's way to take the device back; None on a virtual desktop.
    """

    backend: Backend
    thread: DeviceThread
    launcher: Launcher
    eyes: DesktopEyes
    hands: DesktopHands
    settler: Settler
    observer: MarkObserver | None
    recordings: Recordings
    emergency: EmergencyWatch | None


def assemble(
    spec: ControllerSpec,
    start: DeviceStart,
    observers: Sequence[str],
    *,
    environment: Mapping[str, str],
    backend: Backend,
    thread: DeviceThread,
) -> DesktopParts:
    """Return the parts of a desktop; asks the display for its monitors, so it is called on the device thread.

    Raises:
        ControllerError: there is no such monitor, or more than one observer finds marks.
        PluginError: an observer is unknown or broken.
    """
    loaded = load_observers(observers)
    eyes = DesktopEyes(
        backend,
        thread=thread,
        monitor=spec.monitor,
        environment=environment,
        observer=loaded.marks,
        max_sent=start.max_sent,
        text_chars=spec.page_text_chars,
    )
    emergency = None if spec.display == "virtual" else _emergency(backend, environment)
    launcher = Launcher(spec.apps, environment)
    return DesktopParts(
        backend=backend,
        thread=thread,
        launcher=launcher,
        eyes=eyes,
        hands=DesktopHands(
            backend,
            thread=thread,
            launcher=launcher,
            view=eyes.view,
            fields=loaded.marks if isinstance(loaded.marks, FieldReader) else None,
            emergency=emergency,
        ),
        settler=load_settler("desktop_settle"),
        observer=loaded.marks,
        recordings=Recordings(loaded.recorder, eyes.view),
        emergency=emergency,
    )


def _emergency(backend: Backend, environment: Mapping[str, str]) -> EmergencyWatch:
    whole = backend.screen.monitors()[0].box
    corner = DevicePoint(x=whole.x, y=whole.y)
    return EmergencyWatch(environment, backend.pointer.position, corner=corner)
