"""pyautogui, loaded late and with everything off that waits or stops by itself.

It binds to the display that DISPLAY names when it is imported, for the life of the process.
"""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, Literal

from harness.controllers.desktop.display_environment import authority_of
from harness.errors import ControllerError
from harness.values.action import Button

Platform = Literal["x11", "win32", "darwin"]
ErrorContext = Callable[[str], AbstractContextManager[None]]
# Windows counts 120 for one click of the wheel, and pyautogui passes the number on as it is.
_WHEEL_CLICK: Final[Mapping[Platform, int]] = {"x11": 1, "win32": 120, "darwin": 1}
_WINDOWS_SHIFT: Final = 0x100
_INSTALL: Final = "run `pip install 'transom[pyautogui]'`"


class Driver:
    """What is used of pyautogui. One thread.

    Attributes:
        platform: The system it drives.
    """

    def __init__(self, module: Any, platform: Platform, errors: ErrorContext) -> None:  # Any: pyautogui has no types
        """Take over a loaded pyautogui; `errors` turns its failures into `ControllerError`."""
        module.PAUSE = 0
        module.FAILSAFE = False
        module.MINIMUM_DURATION = 0
        module.MINIMUM_SLEEP = 0
        self.platform: Final = platform
        self._module = module
        self._errors = errors

    def move(self, x: int, y: int) -> None:
        """Move the pointer."""
        with self._errors("moving the pointer"):
            self._module.moveTo(x, y, _pause=False)

    def drag(self, x: int, y: int, button: Button) -> None:
        """Move the pointer while a button is held, which macOS wants to be told."""
        with self._errors("dragging"):
            self._module.dragTo(x, y, button=button, mouseDownUp=False, _pause=False)

    def press_button(self, button: Button) -> None:
        """Press a button."""
        with self._errors("pressing a button"):
            self._module.mouseDown(button=button, _pause=False)

    def release_button(self, button: Button) -> None:
        """Release a button."""
        with self._errors("releasing a button"):
            self._module.mouseUp(button=button, _pause=False)

    def scroll_down(self, clicks: int) -> None:
        """Turn the wheel down, or up for a negative number."""
        with self._errors("turning the wheel"):
            self._module.vscroll(-clicks * _WHEEL_CLICK[self.platform], _pause=False)

    def scroll_right(self, clicks: int) -> None:
        """Turn the wheel to the right, or to the left for a negative number; not on Windows, where it would go up."""
        assert self.platform != "win32", "pyautogui turns every wheel upright there"
        # The sideways axis of macOS points to the left, as the upright one points up.
        towards = -clicks if self.platform == "darwin" else clicks
        with self._errors("turning the wheel"):
            self._module.hscroll(towards, _pause=False)

    def position(self) -> tuple[int, int]:
        """Return where the pointer is."""
        with self._errors("asking where the pointer is"):
            at = self._module.position()
            return int(at[0]), int(at[1])

    def press_key(self, name: str) -> None:
        """Press a key by pyautogui's name for it; unknown names do nothing."""
        with self._errors("pressing a key"):
            self._module.keyDown(name, _pause=False)

    def release_key(self, name: str) -> None:
        """Release a key."""
        with self._errors("releasing a key"):
            self._module.keyUp(name, _pause=False)

    def has_key(self, name: str) -> bool:
        """Return whether pyautogui would send something for a key, and nothing that is known to be wrong."""
        code = self._module.platformModule.keyboardMapping.get(name)
        # 0 is an X keysym without a key, -1 a character that the Windows layout lacks.
        if code in {None, 0, -1}:
            return False
        # pyautogui holds Shift for the upper characters of a US keyboard; Windows says which need it here.
        return self.platform != "win32" or not self.is_shifted(name) or bool(code & _WINDOWS_SHIFT)

    def x_key_code(self, character: str) -> int:
        """Return the X key that pyautogui presses for a character, 0 for none."""
        return int(self._module.platformModule.keyboardMapping.get(character) or 0)

    def is_shifted(self, character: str) -> bool:
        """Return whether pyautogui holds Shift for a character, whatever the layout."""
        return len(character) == 1 and bool(self._module.isShiftCharacter(character))


def load_driver(environment: Mapping[str, str]) -> Driver:
    """Import pyautogui for a desktop.

    Raises:
        ControllerError: it is not installed, can't reach the display, or is bound to another one.
    """
    if sys.platform in {"win32", "darwin"}:
        return Driver(_import(), "win32" if sys.platform == "win32" else "darwin", _system_errors)
    from harness.controllers.desktop.x11.connection import display_errors  # noqa: PLC0415  # python-xlib is on X11 only

    display = environment.get("DISPLAY", "")
    with authority_of(environment), _display_of(display):
        module = _import()
    bound = module.platformModule._display.get_display_name()  # it tells nobody else
    if bound != display:
        raise ControllerError(
            f"pyautogui is bound to the display {bound!r} for the life of this process, {display!r} was asked for; "
            "drive one display a process"
        )
    return Driver(module, "x11", display_errors)


def _import() -> Any:  # Any: pyautogui has no types
    try:
        with warnings.catch_warnings():
            # Its module for screenshots asks `which` for programs and leaves the pipes open.
            warnings.simplefilter("ignore", ResourceWarning)
            return importlib.import_module("pyautogui")
    except ImportError as exc:
        raise ControllerError(f"pyautogui can't be imported: {exc}; {_INSTALL}") from exc
    except SystemExit as exc:
        raise ControllerError(f"pyautogui can't be imported: {exc}") from exc
    except Exception as exc:  # whatever its drivers raise when the display is not there
        raise ControllerError(f"pyautogui found no display: {exc!r}; check DISPLAY and XAUTHORITY") from exc


@contextmanager
def _display_of(name: str) -> Iterator[None]:
    """Let DISPLAY of this process be `name` while pyautogui looks for it."""
    before = os.environ.get("DISPLAY")
    os.environ["DISPLAY"] = name
    try:
        yield
    finally:
        if before is None:
            del os.environ["DISPLAY"]
        else:
            os.environ["DISPLAY"] = before


@contextmanager
def _system_errors(doing: str) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise ControllerError(f"the system refused {doing}: {exc}; is the screen locked?") from exc
