"""Neutral actions on a desktop: what each does, and the sentence that says what really happened."""

from __future__ import annotations

from functools import partial
from typing import Final, assert_never

from harness.controllers import wording
from harness.controllers.aim import Aim, CallFailed, place_text
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.backend import Backend
from harness.controllers.desktop.device_thread import DeviceThread
from harness.controllers.desktop.emergency import EmergencyWatch
from harness.controllers.desktop.gestures import Gestures
from harness.controllers.desktop.guarded_thread import GuardedThread
from harness.controllers.desktop.launch import Launcher
from harness.controllers.desktop.text_entry import TextEntry
from harness.controllers.pause import pause
from harness.protocols import DesktopView, FieldReader
from harness.values.action import (
    Action,
    Click,
    DesktopAction,
    Drag,
    FocusWindow,
    GoBack,
    GoForward,
    Hover,
    Launch,
    ListWindows,
    Look,
    Move,
    Navigate,
    PointerAction,
    PressKeys,
    ReadClipboard,
    Scroll,
    SelectOption,
    TypeText,
    Wait,
    WriteClipboard,
)
from harness.values.desktop import window_line
from harness.values.frame import Frame
from harness.values.geometry import DevicePoint
from harness.values.mark import quote_page_text

_NO_WINDOWS: Final = "no window is open"


class DesktopHands:
    """Performs actions on one desktop, on its device thread."""

    def __init__(
        self,
        backend: Backend,
        *,
        thread: DeviceThread,
        launcher: Launcher,
        view: DesktopView,
        fields: FieldReader | None,
        emergency: EmergencyWatch | None = None,
    ) -> None:
        self._backend = backend
        self._thread = GuardedThread(thread, emergency)
        self._launcher = launcher
        self._emergency = emergency
        self._gestures = Gestures(backend.pointer, backend.keyboard, pause=thread.pause)
        self._text = TextEntry(backend, thread=self._thread, gestures=self._gestures, view=view, fields=fields)

    async def act(self, action: Action, frame: Frame | None, deadline: Deadline) -> str:
        """Perform one action whose targets are pixels of `frame`, and return what happened.

        Raises:
            CallFailed: it did not work; the text says why and what is valid.
            ControllerError: the display is gone.
            EmergencyStop: a person took the device back.
        """
        aim = Aim(frame)
        match action:
            case Click() | Move() | Drag() | Scroll():
                return await self._point(action, aim)
            case TypeText():
                return await self._type(action, aim, deadline)
            case PressKeys():
                await self._thread.run(partial(self._gestures.press, action.keys))
                return f"pressed {'+'.join(action.keys)}"
            case Launch() | ListWindows() | FocusWindow() | ReadClipboard() | WriteClipboard():
                own = deadline.at_most(deadline.left_s)
                return await self._thread.run(partial(self._use_desktop, action, own), deadline=own)
            case Wait():
                return await pause(action, deadline)
            case Look():
                return "looked; nothing was done"
            case Hover() | Navigate() | GoBack() | GoForward() | SelectOption():
                raise CallFailed(f"{action.kind} works in a browser, not on a desktop")
            case _:
                assert_never(action)

    async def _point(self, action: PointerAction, aim: Aim) -> str:
        match action:
            case Click():
                at = self._aimed(aim.point(action.target))
                await self._thread.run(partial(self._gestures.click, at, action.button, action.count, action.keys))
                return wording.click_text(action)
            case Move():
                await self._thread.run(partial(self._gestures.move, self._aimed(aim.point(action.target))))
                return f"moved the pointer to {place_text(action.target)}"
            case Drag():
                path = [self._aimed(aim.point(target)) for target in action.path]
                if len(path) < 2:
                    raise CallFailed(f"a drag needs at least two points, got {len(path)}; nothing was pressed")
                await self._thread.run(partial(self._gestures.drag, path, action.keys))
                return wording.drag_text(action)
            case Scroll():
                at = self._aimed(aim.point(action.target))
                await self._thread.run(partial(self._gestures.scroll, at, action.dx, action.dy))
                return wording.scroll_text(action)
            case _:
                assert_never(action)

    def _aimed(self, point: DevicePoint) -> DevicePoint:
        """Tell the emergency watch that the next move is ours, and return the point."""
        if self._emergency is not None:
            self._emergency.note_own_move(point)
        return point

    async def _type(self, action: TypeText, aim: Aim, deadline: Deadline) -> str:
        if action.target is not None:
            at = self._aimed(aim.point(action.target))
            await self._thread.run(partial(self._gestures.click, at, "left", 1))
        return await self._text.type(action, deadline)

    def _use_desktop(self, action: DesktopAction, deadline: Deadline) -> str:
        match action:
            case Launch():
                return self._launcher.launch(action.app)
            case ListWindows():
                return "\n".join(window_line(window) for window in self._backend.windows.windows()) or _NO_WINDOWS
            case FocusWindow():
                self._backend.windows.focus(action.window, deadline)
                return f"window {action.window} has the keyboard"
            case ReadClipboard():
                return f"the clipboard holds {quote_page_text(self._backend.clipboard.read())}"
            case WriteClipboard():
                self._backend.clipboard.write(action.text)
                return f"put {len(action.text)} characters on the clipboard"
            case _:
                assert_never(action)
