"""Changes to a virtual desktop while it runs: the keyboard's layout, and monitors."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from typing import Final

from harness.controllers.desktop.programs import SETXKBMAP, XRANDR, Program
from harness.errors import ControllerError
from harness.values.desktop import DeviceBox

_ANSWER_S: Final = 10.0
_NAME: Final = "transom-"


def set_layout(environment: Mapping[str, str], layout: str) -> None:
    """Give the keyboard another layout. Applications notice some milliseconds later.

    Args:
        environment: The desktop's.
        layout: Its name, for example `us`, `de` or `fr`.

    Raises:
        ControllerError: there is no such layout, or the display is gone.
    """
    _run(SETXKBMAP, environment, "-layout", layout)


def set_monitors(environment: Mapping[str, str], boxes: Sequence[DeviceBox]) -> None:
    """Divide the screen into monitors.

    Args:
        environment: The desktop's.
        boxes: Where each stands; the first is the primary one. Empty for one monitor, the whole screen.

    Raises:
        ControllerError: the server refuses, or the display is gone.
    """
    for name in _monitors(environment):
        if name.startswith(_NAME):
            _run(XRANDR, environment, "--delmonitor", name)
    output = _output(environment)
    for number, box in enumerate(boxes, start=1):
        # Only one monitor can own the one output that there is; the others have none.
        owner = output if number == 1 else "none"
        _run(XRANDR, environment, "--setmonitor", f"{'*' if number == 1 else ''}{_NAME}{number}", _place(box), owner)


def _place(box: DeviceBox) -> str:
    """Return a box as xrandr writes one, with a size in millimetres that gives 96 dots per inch."""
    width, height = round(box.width), round(box.height)
    millimetres = (round(side * 25.4 / 96) for side in (width, height))
    return "{0}/{2}x{1}/{3}{4:+d}{5:+d}".format(width, height, *millimetres, round(box.x), round(box.y))


def _monitors(environment: Mapping[str, str]) -> list[str]:
    """Return the monitors' names: in the list, the second word of each line but the first, with `+` or `*` before."""
    return [line.split()[1].lstrip("+*") for line in _run(XRANDR, environment, "--listmonitors").splitlines()[1:]]


def _output(environment: Mapping[str, str]) -> str:
    for line in _run(XRANDR, environment).splitlines():
        words = line.split()
        if words[1:2] == ["connected"]:
            return words[0]
    raise ControllerError("the display has no output that a monitor could own")


def _run(program: Program, environment: Mapping[str, str], *options: str) -> str:
    found = program.require(environment)
    try:
        done = subprocess.run(  # noqa: S603  # a program of the virtual desktop; no shell
            [found, *options],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ANSWER_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as exc:
        raise ControllerError(f"{program.name} failed: {exc}") from exc
    if done.returncode != 0:
        raise ControllerError(f"{program.name} {' '.join(options)} failed: {done.stderr.strip() or done.returncode}")
    return done.stdout
