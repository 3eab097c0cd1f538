"""Errors of the X protocol reach us as what they are."""

from __future__ import annotations

from contextlib import closing

import pytest
from desktop_session import DesktopSession
from Xlib.error import BadValue, CatchError
from Xlib.protocol import request

from harness.controllers.desktop.x11.connection import open_display

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-1")]


def test_a_bad_value_is_called_one(desktop: DesktopSession) -> None:
    with closing(open_display(desktop.environment)) as display:
        assert display.has_extension("RANDR")
        caught = CatchError(BadValue)
        request.KillClient(display=display.display, onerror=caught, resource=0x1FFFFFFF)
        display.sync()
        error = caught.get_error()
    assert isinstance(error, BadValue)
