"""The secret that an X server and its clients share."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Final

from harness.controllers.desktop.root_window import COOKIE_NAME

_FAMILY_LOCAL: Final = 256
_FAMILY_WILD: Final = 0xFFFF


def write_authority(file: Path) -> bytes:
    """Write a fresh secret to an authority file that only this user may read, and return it.

    It is entered twice: clients of the C library take the entry for any address, python-xlib only one of this host.
    """
    secret = os.urandom(16)
    entries = b""
    for family, address in ((_FAMILY_LOCAL, os.uname().nodename.encode()), (_FAMILY_WILD, b"")):
        entries += struct.pack(">H", family)
        for part in (address, b"", COOKIE_NAME, secret):
            entries += struct.pack(">H", len(part)) + part
    file.touch(mode=0o600)
    file.write_bytes(entries)
    return secret
