"""What the kind of a device decides in a configuration: its observers, and what it can't do without."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.config.layer import Setting
from harness.config.problem import Path
from harness.protocols import Display

DESKTOP_KINDS: Final = frozenset({"desktop", "remote"})
OWN_OBSERVERS: Final[Mapping[str, tuple[str, ...]]] = {
    "web": ("web_marks",),
    "desktop": ("atspi_marks",),
    "remote": ("atspi_marks",),
}
KIND: Final[Path] = ("controller", "kind")
ADDRESS: Final[Path] = ("controller", "address")
OBSERVERS: Final[Path] = ("observers",)
_DISPLAY: Final[Path] = ("desktop", "display")
_ORIGIN: Final = "--desktop"


def choose_device(settings: Mapping[Path, Setting], display: Display | None) -> dict[Path, Setting]:
    """Return the settings with the desktop that `--desktop` asks for, and with observers where none are named.

    Args:
        settings: Every value of an agent.
        display: What `--desktop` says; None leaves the device as it is. An agent that acted on something else than a
            desktop gets a desktop's own observers.
    """
    chosen = dict(settings)
    if display is not None:
        if chosen[KIND].value not in DESKTOP_KINDS:
            chosen[OBSERVERS] = Setting(value=None, origin=_ORIGIN)
        chosen[KIND] = Setting(value="desktop", origin=_ORIGIN)
        chosen[_DISPLAY] = Setting(value=display, origin=_ORIGIN)
    if chosen[OBSERVERS].value is None:
        kind = str(chosen[KIND].value)
        chosen[OBSERVERS] = Setting(value=list(OWN_OBSERVERS.get(kind, ())), origin=f"default for {kind}")
    return chosen


def missing_address(settings: Mapping[Path, Setting]) -> str | None:
    """Return what is wrong when a remote device has no address, else None."""
    if settings[KIND].value != "remote" or settings[ADDRESS].value is not None:
        return None
    return (
        "a remote device needs `controller.address`; start it there with `transom device serve` and write the "
        "address that it prints, for example http://127.0.0.1:8765"
    )
