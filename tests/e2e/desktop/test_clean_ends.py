"""However a run on a desktop ends, no key stays down and no process stays behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping
from pathlib import Path

import pytest
from desktop_endings import processes_with, wait_until
from desktop_session import DesktopSession, wait_for

from harness.controllers.desktop.controller import DesktopController
from harness.protocols import ControllerSpec, DeviceStart
from harness.values.geometry import Size

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-6")]
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
FIXED = [(number, SIGNALS[number % 3]) for number in range(6)]
SOAK = [(number, SIGNALS[number % 3]) for number in range(50)]
MARK = "TRANSOM_TEST_RUN"
# Shift is down for most of the time: dragging takes 0.25 s, typing capitals some milliseconds a character.
SCRIPT = "\n".join(
    [
        "- drag: {from: [300, 300], to: [700, 500], keys: [Shift]}",
        f"- type_text: {{text: {'ABCDEFGHIJ' * 30}}}",
    ]
    * 100
)


def start_run(folder: Path, environment: Mapping[str, str], run: str) -> subprocess.Popen[bytes]:
    """Start a scripted run on a desktop that outlives it, in a process group of its own."""
    script = folder / "script.yaml"
    script.write_text(SCRIPT)
    with (folder / "out.txt").open("wb") as output:
        return subprocess.Popen(
            [
                *(str(Path(sys.executable).with_name("transom")), "run", "desktop-scripted", "Draw and type"),
                *("--desktop", "real", "--script", str(script), "--artifacts", str(folder / "artifacts"), "--quiet"),
                *("--set", "observers=[]"),
            ],
            env={**environment, "PATH": os.environ["PATH"], MARK: run},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def end_at_a_random_moment(desktop: DesktopSession, folder: Path, number: int, how: signal.Signals) -> None:
    """Let a run act, end it, and look at what is left."""
    run = uuid.uuid4().hex
    process = start_run(folder, desktop.environment, run)
    wait_for(lambda: bool(desktop.held_keys() or desktop.held_buttons()), "the run to hold a key or a button")
    time.sleep(random.Random(number).uniform(0, 1.5))  # the moment is what is tested
    process.send_signal(how)
    process.wait(10)
    assert wait_until(lambda: not processes_with(MARK, run)), (how.name, processes_with(MARK, run))
    assert (desktop.held_keys(), desktop.held_buttons()) == ([], []), how.name


@pytest.mark.parametrize(("number", "how"), FIXED)
def test_nothing_is_held_and_nothing_lives(
    desktop: DesktopSession, tmp_path: Path, number: int, how: signal.Signals
) -> None:
    desktop.start(["mousepad"], title="Mousepad")
    end_at_a_random_moment(desktop, tmp_path, number, how)


@pytest.mark.soak
def test_nothing_is_held_and_nothing_lives_fifty_times(desktop: DesktopSession, tmp_path: Path) -> None:
    desktop.start(["mousepad"], title="Mousepad")
    for number, how in SOAK:
        folder = tmp_path / str(number)
        folder.mkdir()
        end_at_a_random_moment(desktop, folder, number, how)


async def test_a_start_releases_what_a_killed_device_left_down(desktop: DesktopSession, tmp_path: Path) -> None:
    run = uuid.uuid4().hex
    process = start_run(tmp_path, desktop.environment, run)
    wait_for(lambda: bool(desktop.held_keys() or desktop.held_buttons()), "the run to hold a key or a button")
    for victim in processes_with(MARK, run):
        os.kill(victim, signal.SIGKILL)
    process.wait(10)
    assert desktop.held_keys() or desktop.held_buttons()
    controller = DesktopController(ControllerSpec(kind="desktop", environment=desktop.environment, display="virtual"))
    await controller.open(DeviceStart(url=None, max_sent=Size(width_px=1280, height_px=800)), ())
    await controller.close()
    assert (desktop.held_keys(), desktop.held_buttons()) == ([], [])
