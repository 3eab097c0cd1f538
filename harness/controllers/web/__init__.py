"""The browser controller: a page through Playwright."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from harness.controllers.web.chromium import find_chromium

if TYPE_CHECKING:
    from harness.controllers.web.controller import WebController, create
    from harness.controllers.web.launch import WarmBrowser, open_browser

__all__ = ["WarmBrowser", "WebController", "create", "find_chromium", "open_browser"]

_LATE: Final = {
    "WebController": "harness.controllers.web.controller",
    "create": "harness.controllers.web.controller",
    "WarmBrowser": "harness.controllers.web.launch",
    "open_browser": "harness.controllers.web.launch",
}


def __getattr__(name: str) -> object:
    """Load what needs Playwright on first use, so that `find_chromium` works without the `web` extra."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)
