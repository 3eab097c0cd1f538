"""The keyboard that a person would sit at: keys of the server's own device, which XTEST's keyboard can't release."""

from __future__ import annotations

from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xinput, xtest
from Xlib.protocol import rq

_DEVICE_KEY_PRESS: Final = 1
_DEVICE_KEY_RELEASE: Final = 2
SHIFT_CODE: Final = 50


class _FakeDeviceInput(rq.Request):
    """XTEST's request for an event of a device of its own number."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(2),
        rq.RequestLength(),
        rq.Card8("kind"),
        rq.Card8("code"),
        rq.Pad(29),
        rq.Card8("device"),
    )


class RealKeyboard:
    """Presses keys of the server's own keyboard."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._number = device_number(display, "Xvfb keyboard")
        extension = display.query_extension(xinput.extname)
        assert extension is not None
        self._first_event = extension.first_event

    def press(self, code: int) -> None:
        self._send(_DEVICE_KEY_PRESS, code)

    def release(self, code: int) -> None:
        self._send(_DEVICE_KEY_RELEASE, code)

    def _send(self, kind: int, code: int) -> None:
        _FakeDeviceInput(
            display=self._display.display,
            opcode=self._display.display.get_extension_major(xtest.extname),
            kind=self._first_event + kind,
            code=code,
            device=self._number,
        )
        self._display.sync()


def device_number(display: Display, name: str) -> int:
    """Return the number of the input device whose name ends so."""
    devices = display.xinput_query_device(xinput.AllDevices).devices
    return next(device.deviceid for device in devices if device.name.endswith(name) and device.use != X.NONE)
