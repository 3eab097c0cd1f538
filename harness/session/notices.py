"""What a person should know before a device opens."""

from __future__ import annotations

import sys
from typing import Final

from harness.controllers.desktop.corner import HOLD_S, STOP_CHORD
from harness.protocols import ControllerSpec

_TAKES_OVER: Final = "the agent takes over the pointer and keyboard of this desktop until the run ends"


def device_notices(spec: ControllerSpec, platform: str = sys.platform) -> tuple[str, ...]:
    """Return what to say before the device opens; `platform` is as in `sys.platform`."""
    if spec.kind != "desktop" or spec.display != "real":
        return ()
    corner = f"hold the pointer in its top-left corner for {HOLD_S:g} s"
    chord = f"press {STOP_CHORD} or " if platform == "linux" else ""
    return (f"{_TAKES_OVER}; to stop it {chord}{corner}, or press Ctrl-C here",)
