"""Whether the Python packages of the extra `desktop` are here and whole. Connects to no display."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Final

from harness.errors import ControllerError

_LINUX_MODULES: Final = {"mss": "mss", "Xlib": "python-xlib", "jeepney": "jeepney"}
_OTHER_MODULES: Final = {"mss": "mss", "pyautogui": "pyautogui"}


def missing_packages(platform: str) -> tuple[str, ...]:
    """Return the packages that desktop agents need on a platform, as in `sys.platform`, and that are not installed."""
    modules = _LINUX_MODULES if platform.startswith("linux") else _OTHER_MODULES
    return tuple(package for module, package in modules.items() if find_spec(module) is None)


def driver_problem() -> str | None:
    """Return what is wrong with python-xlib and what to do, or None; Linux only.

    pyautogui brings python3-xlib, an old package whose files have the same names: the one installed last wins.
    """
    try:
        connection = import_module("harness.controllers.desktop.x11.connection")
        connection.check_version(getattr(import_module("Xlib"), "__version__", (0, 0)))
    except ControllerError as exc:
        return str(exc)
    except ImportError as exc:
        return f"python-xlib can't be loaded: {exc}; run `pip install --force-reinstall --no-deps python-xlib`"
    return None
