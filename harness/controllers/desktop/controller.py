"""The controller of a desktop, in the process that owns the display."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, Final

from harness.controllers.checks import Seen
from harness.controllers.deadline import Deadline, DeadlineReached
from harness.controllers.desktop.backend import Backend
from harness.controllers.desktop.backends import open_backend
from harness.controllers.desktop.device_thread import DeviceThread
from harness.controllers.desktop.parts import DesktopParts, assemble
from harness.controllers.desktop.preflight import display_notices
from harness.controllers.desktop.surface import DesktopSurface
from harness.controllers.memory import OutcomeMemory
from harness.controllers.step import StepRun, run_calls
from harness.errors import ControllerError, EmergencyStop
from harness.protocols import (
    CONTROLLER_PROTOCOL,
    Capabilities,
    ControllerSpec,
    DeviceStart,
)
from harness.values.action import DeviceCall
from harness.values.frame import Frame
from harness.values.observation import Sight
from harness.values.outcome import Outcome
from harness.values.recording import Recording

DESKTOP_TOOLS: Final = (
    "click",
    "move",
    "drag",
    "scroll",
    "type_text",
    "press_keys",
    "wait",
    "look",
    "list_windows",
    "focus_window",
    "read_clipboard",
    "write_clipboard",
)
# After the step's deadline: time to see what came of it, and to let go.
_LOOK_GRACE_S: Final = 1.2
_RELEASE_S: Final = 0.5
_FIRST_LOOK_S: Final = 10.0


class DesktopController:
    """Acts on one monitor of one display. Performs one step at a time.

    Points are pixels of the decision frame and become device units by that frame's transform alone.
    """

    PROTOCOL: ClassVar[int] = CONTROLLER_PROTOCOL

    def __init__(self, spec: ControllerSpec, *, backend: Backend | None = None) -> None:
        self._spec = spec
        self._environment: Mapping[str, str] = os.environ if spec.environment is None else spec.environment
        self._given_backend = backend
        self._parts: DesktopParts | None = None
        self._memory = OutcomeMemory()
        self._turn = asyncio.Lock()
        self._device_scale = 1.0

    async def open(self, start: DeviceStart, observers: Sequence[str] = ("atspi_marks",)) -> Sight:
        """Take over the display: release what is held, find the monitor, return the first sight.

        Raises:
            ControllerError: there is no display that can be driven; the text says what to do.
        """
        if start.url is not None:
            raise ControllerError(
                f"a desktop opens no URL, got {start.url!r}; start a browser on it and navigate there"
            )
        thread = DeviceThread()
        try:
            self._parts = await thread.run(partial(self._assemble, start, observers, thread))
            await self.release_all()
            notices = (
                *display_notices(self._environment, sys.platform),
                *self._watch_for_a_person(self._parts),
            )
            sight = await self._parts.eyes.look(Deadline(_FIRST_LOOK_S), source="runtime", settle=None, notices=notices)
        except BaseException:
            await self.close()
            thread.close()
            raise
        if sight.capture is not None:
            self._device_scale = sight.capture.frame.device_scale
        self._parts.recordings.begin(sight.observation.frame)
        return sight

    def _assemble(self, start: DeviceStart, observers: Sequence[str], thread: DeviceThread) -> DesktopParts:
        backend = self._given_backend or open_backend(self._spec, self._environment)
        try:
            return assemble(self._spec, start, observers, environment=self._environment, backend=backend, thread=thread)
        except BaseException:
            backend.close()
            raise

    def _watch_for_a_person(self, parts: DesktopParts) -> tuple[str, ...]:
        """Let a person take the device back from now on; return what they can't do, in words."""
        if parts.emergency is None:
            return ()
        loop = asyncio.get_running_loop()

        def let_go() -> None:
            loop.call_soon_threadsafe(self._let_go)

        parts.emergency.start(let_go)
        return () if parts.emergency.notice is None else (parts.emergency.notice,)

    def _let_go(self) -> None:
        asyncio.ensure_future(self.release_all()).add_done_callback(_retrieve)

    def capabilities(self) -> Capabilities:
        """Return what the opened desktop can do; `launch` is there when anything may be launched."""
        assert self._parts is not None, "open the controller first"
        tools = (*DESKTOP_TOOLS, "launch") if self._spec.apps else DESKTOP_TOOLS
        return Capabilities(
            tools=tools,
            note_tool="note",
            screen=self._parts.eyes.screen,
            device_scale=self._device_scale,
            engine=self._parts.backend.name,
            marks_image=False,
            apps=tuple(self._spec.apps),
        )

    async def capture(self, deadline_s: float) -> Sight:
        """Return what the monitor shows now; a failed capture is an observation without a frame.

        Raises:
            ControllerError: the display is gone.
            EmergencyStop: a person took the device back.
        """
        async with self._turn:
            parts = self._ready()
            await parts.recordings.interrupt()
            sight = await parts.eyes.look(Deadline(deadline_s), source="runtime", settle=None)
            parts.recordings.begin(sight.observation.frame)
            return sight

    async def perform(
        self, calls: Sequence[DeviceCall], *, action_id: str, decision_frame: Frame | None, deadline_s: float
    ) -> Outcome:
        """Run the calls in order against the frame the model saw, settle, and return one frame.

        The same `action_id` again returns the stored outcome and does nothing. It ends at most 2 s after `deadline_s`.

        Raises:
            ActionUnknown: the display was lost after a call may have reached it.
            ControllerError: the display was lost before anything reached it.
            EmergencyStop: a person took the device back.
        """
        async with self._turn:
            stored = self._memory.recall(action_id)
            if stored is not None:
                return stored
            if not calls:
                return Outcome(action_id=action_id, status="refused", calls=(), observation=None)
            parts = self._ready()
            await parts.recordings.interrupt()
            return await self._perform(parts, calls, action_id, decision_frame, Deadline(deadline_s))

    def _ready(self) -> DesktopParts:
        """Return the parts of an opened controller, unless a person has taken the device back."""
        assert self._parts is not None, "open the controller first"
        if self._parts.emergency is not None:
            self._parts.emergency.check()
        return self._parts

    async def _perform(
        self, parts: DesktopParts, calls: Sequence[DeviceCall], action_id: str, frame: Frame | None, deadline: Deadline
    ) -> Outcome:
        surface = await self._surface(parts, frame, deadline)
        run = StepRun(surface=surface, deadline=deadline)
        self._memory.begin(action_id)
        try:
            await run_calls(run, calls)
            await self.release_all()
            grace = deadline.extended(_LOOK_GRACE_S)
            sight = await parts.eyes.look(grace, source="action", settle=run.settle)
        except EmergencyStop:
            raise
        except (ControllerError, DeadlineReached) as exc:
            raise self._lost(run, action_id, exc) from exc
        parts.recordings.begin(sight.observation.frame)
        return replace(self._memory.keep(run.outcome(action_id, sight)), recordings=parts.recordings.take())

    async def _surface(self, parts: DesktopParts, frame: Frame | None, deadline: Deadline) -> DesktopSurface:
        """Return the desktop as it is before the first call.

        Raises:
            ControllerError: the display is gone or does not answer.
        """
        screen = parts.eyes.screen
        seen = Seen(
            frame=frame,
            marking=parts.eyes.marking(frame),
            screen_text=f"screen {screen.width_px}x{screen.height_px} px",
        )
        try:
            start = await deadline.run(parts.thread.run(parts.backend.windows.state), "looking at the windows")
        except DeadlineReached as exc:
            raise ControllerError(f"the display does not answer: {exc}; nothing was done") from exc
        return DesktopSurface(parts, seen=seen, start=start)

    def _lost(self, run: StepRun, action_id: str, exc: Exception) -> ControllerError:
        if not run.may_have_acted:
            self._memory.forget(action_id)
        return run.lost(action_id, device="display", reason=str(exc), again="start the device again")

    async def collect_recordings(self, deadline_s: float) -> tuple[Recording, ...]:
        """Return the recordings that are finished by the deadline, each once."""
        if self._parts is None:
            return ()
        await self._parts.recordings.finish(deadline_s)
        return self._parts.recordings.take()

    async def release_all(self) -> None:
        """Release every held key and button; what is being done is cut off. Safe at any time.

        Behind a call that hangs it is done once that ends.
        """
        if self._parts is None:
            return
        self._parts.thread.cut()
        releasing = asyncio.ensure_future(self._parts.thread.run(self._parts.backend.release_all))
        releasing.add_done_callback(_retrieve)
        with contextlib.suppress(ControllerError, DeadlineReached):
            await Deadline(_RELEASE_S).run(asyncio.shield(releasing), "releasing keys and buttons")

    async def close(self) -> None:
        """Let go of the display and end what `launch` started."""
        await self.release_all()
        parts, self._parts = self._parts, None
        if parts is None:
            return
        await parts.recordings.interrupt()
        parts.settler.close()
        if parts.emergency is not None:
            await asyncio.to_thread(parts.emergency.stop)
        with contextlib.suppress(ControllerError):
            await parts.thread.run(parts.launcher.close)
            await parts.thread.run(parts.backend.close)
        parts.thread.close()


def _retrieve(done: asyncio.Future[None]) -> None:
    """Take note of how a release ended that nobody waited for: a display that is gone holds nothing."""
    if not done.cancelled():
        done.exception()
