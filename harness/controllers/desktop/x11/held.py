"""Keys and buttons that are down, whoever left them so."""

from __future__ import annotations

from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.error import XError
from Xlib.ext import xinput, xtest
from Xlib.protocol import rq

from harness.controllers.desktop.x11.connection import display_errors

_BUTTONS: Final = range(1, 10)
_SYNTHETIC: Final = "XTEST keyboard"
# The answer begins with 4 bytes about itself; 256 bits follow.
_KEYS_AT: Final = 4


class _QueryDeviceState(rq.ReplyRequest):
    """The input extension's request for what is down on one device, which python-xlib lacks."""

    _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(30), rq.RequestLength(), rq.Card8("device"), rq.Pad(3))
    _reply = rq.Struct(
        rq.ReplyCode(), rq.Pad(1), rq.Card16("sequence_number"), rq.ReplyLength(), rq.Pad(24), rq.Binary("data")
    )


class HeldInput:
    """Tells what is down, and releases it.

    A key that is down on any keyboard counts as down, until any keyboard releases it. XTEST has a keyboard of its own.
    """

    def __init__(self, display: Display) -> None:
        self._display = display
        with display_errors("looking for keyboards"):
            extension = display.query_extension(xinput.extname)
            self._opcode = 0 if extension is None else extension.major_opcode
            self._synthetic = None if extension is None else self._synthetic_device()

    def codes(self) -> frozenset[int]:
        """Return the codes of the keys that count as down."""
        return _codes(bytes(self._display.query_keymap()))

    def synthetic_codes(self) -> frozenset[int]:
        """Return the codes of the keys that are down on XTEST's keyboard; those that count where it can't be asked."""
        if self._synthetic is None:
            return self.codes()
        try:
            answer = _QueryDeviceState(display=self._display.display, opcode=self._opcode, device=self._synthetic)
        except XError:
            return self.codes()
        return _codes(bytes(answer.data)[_KEYS_AT:])

    def release_all(self) -> None:
        """Release every key and every button that is down, also those of a program that died.

        A person who holds one has to press it again.

        Raises:
            ControllerError: the display is gone.
        """
        with display_errors("releasing keys and buttons"):
            # A key may be up by another keyboard and down on XTEST's: it could not be pressed there again.
            for code in sorted(self.codes() | self.synthetic_codes()):
                xtest.fake_input(self._display, X.KeyRelease, code)
            # The server tells of the first five buttons only; to release one that is up is no event.
            for button in _BUTTONS:
                xtest.fake_input(self._display, X.ButtonRelease, button)
            self._display.sync()

    def _synthetic_device(self) -> int | None:
        devices = self._display.xinput_query_device(xinput.AllDevices).devices
        return next((int(device.deviceid) for device in devices if str(device.name).endswith(_SYNTHETIC)), None)


def _codes(bits: bytes) -> frozenset[int]:
    return frozenset(code for code in range(8 * min(len(bits), 32)) if bits[code // 8] & (1 << code % 8))
