"""The browser controller: a page through Playwright."""

from __future__ import annotations

from harness.controllers.web.chromium import find_chromium
from harness.controllers.web.controller import WebController
from harness.controllers.web.launch import WarmBrowser, open_browser
from harness.protocols import ControllerSpec

__all__ = ["WarmBrowser", "WebController", "create", "find_chromium", "open_browser"]


def create(spec: ControllerSpec) -> WebController:
    """Return a web controller that is not opened yet."""
    return WebController(spec)
