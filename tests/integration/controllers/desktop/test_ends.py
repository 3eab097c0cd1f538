"""However its parent or its keeper ends, nothing of a desktop lives on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from desktop_endings import ParentRun, desktop_processes, wait_until, wait_until_gone

from harness.controllers.desktop.virtual import BlockingDesktop
from harness.controllers.processes import list_processes

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-6")]
StartParent = Callable[..., ParentRun]
SERVERS_AND_APPS = 6
PARENT = Path(__file__).with_name("desktop_parent.py")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_nothing_outlives_the_parent(start_parent: StartParent, number: signal.Signals) -> None:
    run = start_parent("daemon", "bare")
    run.process.send_signal(number)
    run.process.wait()
    assert wait_until_gone(run.members) == frozenset()
    assert wait_until(lambda: not run.folder.exists())


def test_nothing_outlives_the_keeper_that_is_asked_to_end(start_parent: StartParent) -> None:
    run = start_parent("daemon", "bare")
    os.kill(run.keeper_id, signal.SIGTERM)
    assert wait_until_gone(run.members) == frozenset()
    assert run.process.poll() is None
    assert wait_until(lambda: not run.folder.exists())


def test_nothing_outlives_the_killed_keeper(start_parent: StartParent) -> None:
    run = start_parent("daemon")
    os.kill(run.keeper_id, signal.SIGKILL)
    assert wait_until_gone(run.members) == frozenset()
    assert run.process.poll() is None
    assert wait_until(lambda: not run.folder.exists())


def test_a_forked_child_that_holds_the_link_keeps_nothing_alive(start_parent: StartParent) -> None:
    run = start_parent("fork")
    run.process.kill()
    run.process.wait()
    assert wait_until_gone(run.members) == frozenset()


def test_what_the_keeper_started_ends_with_it_when_nobody_else_is_left(start_parent: StartParent) -> None:
    run = start_parent()
    started = frozenset(process.id for process in list_processes() if process.parent_id == run.keeper_id)
    assert len(started) >= SERVERS_AND_APPS
    _kill_both(run)
    assert wait_until_gone(started) == frozenset()


def test_the_next_start_removes_what_two_kills_left(start_parent: StartParent) -> None:
    run = start_parent("daemon")
    _kill_both(run)
    assert run.folder.exists()
    with BlockingDesktop.start():
        assert wait_until_gone(run.members) == frozenset()
        assert not run.folder.exists()


def test_an_end_of_the_x_server_ends_the_desktop(start_parent: StartParent) -> None:
    run = start_parent("daemon")
    servers = [process_id for process_id in run.members if _name(process_id) == "Xvfb"]
    assert len(servers) == 1
    os.kill(servers[0], signal.SIGKILL)
    assert wait_until_gone(run.members) == frozenset()


@pytest.mark.parametrize("moment_s", [0.0, 0.1, 0.2, 0.3, 0.4, 0.6])
def test_nothing_is_left_of_a_start_that_is_killed(temporary: Path, moment_s: float) -> None:
    _kill_during_start(temporary, moment_s)


@pytest.mark.soak
def test_nothing_is_left_of_fifty_starts_that_are_killed(temporary: Path) -> None:
    moments = random.Random(1)
    for _ in range(50):
        _kill_during_start(temporary, moments.uniform(0.0, 1.0))


def test_the_end_of_a_thread_ends_no_desktop(start_parent: StartParent) -> None:
    run = start_parent("thread", "daemon")  # a daemon writes its file after the thread's end
    assert {run.keeper_id} <= desktop_processes(run.folder.parent)
    run.process.kill()
    run.process.wait()
    assert wait_until_gone(run.members) == frozenset()


def _kill_both(run: ParentRun) -> None:
    os.kill(run.keeper_id, signal.SIGSTOP)  # so that it can't act on its parent's end
    run.process.kill()
    run.process.wait()
    os.kill(run.keeper_id, signal.SIGKILL)


def _kill_during_start(temporary: Path, moment_s: float) -> None:
    process = subprocess.Popen([sys.executable, str(PARENT)], stdout=subprocess.DEVNULL)
    time.sleep(moment_s)
    process.kill()
    process.wait()
    assert wait_until(lambda: not desktop_processes(temporary)), f"left after a kill at {moment_s:.3f} s"
    assert list(temporary.glob("transom-desktop-*/keeper.lock")) == []


def _name(process_id: int) -> str:
    return Path(f"/proc/{process_id}/comm").read_text().strip()
