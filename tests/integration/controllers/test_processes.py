"""Finding and ending processes through the real /proc."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from harness.controllers.processes import (
    descendants,
    end_processes,
    has_variable,
    list_processes,
    marked_processes,
    session_members,
)

pytestmark = [pytest.mark.req("R-ACT-6"), pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")]
Start = Callable[..., subprocess.Popen[str]]
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(600)"
TREE = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    print("ready", flush=True)
    time.sleep(600)
time.sleep(600)
"""


@pytest.fixture
def start() -> Iterator[Start]:
    """Return a function that runs Python code and waits for its first line."""
    started: list[subprocess.Popen[str]] = []

    def run(code: str, **environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    yield run
    for process in started:
        for member in descendants(process.pid):
            os.kill(member, signal.SIGKILL)
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def test_descendants_are_found_nearest_first(start: Start) -> None:
    process = start(TREE)
    child, grandchild = descendants(process.pid)
    assert set(session_members(child)) == {child, grandchild}
    assert process.pid not in session_members(child)
    assert child in descendants(os.getpid())


def test_zombies_do_not_live(start: Start) -> None:
    process = start("print('ready', flush=True)")
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert process.pid not in {entry.id for entry in list_processes()}


def test_processes_are_found_by_a_variable_they_were_started_with(start: Start) -> None:
    marked = start(TREE, TRANSOM_TEST_MARK="this one")
    start(TREE, TRANSOM_TEST_MARK="this")
    expected = {marked.pid, *descendants(marked.pid)}
    assert set(marked_processes("TRANSOM_TEST_MARK", "this one")) == expected
    assert not has_variable(marked.pid, "TEST_MARK", "this one")
    assert not has_variable(2**22 + 1, "TRANSOM_TEST_MARK", "this one")


def test_ending_asks_first_then_kills(start: Start) -> None:
    polite, deaf = start(TREE), start(DEAF)
    wanted = (polite.pid, *descendants(polite.pid), deaf.pid)

    def living() -> list[int]:
        alive = {entry.id for entry in list_processes()}
        return [process_id for process_id in wanted if process_id in alive]

    assert end_processes(living, grace_s=0.3) == ()
    assert polite.wait() == -signal.SIGTERM
    assert deaf.wait() == -signal.SIGKILL


def test_ending_is_bounded_when_one_can_not_be_ended() -> None:
    started_s = time.monotonic()
    assert end_processes(lambda: (2**22 + 1,), grace_s=0.0) == (2**22 + 1,)
    assert time.monotonic() - started_s < 60


def test_an_end_of_the_parent_ends_a_child_that_asked_for_it() -> None:
    code = """
import os, signal, subprocess, sys, time
from harness.controllers.processes import die_with_parent
parent_id = os.getpid()
child = subprocess.Popen(["sleep", "600"], preexec_fn=lambda: die_with_parent(parent_id, signal.SIGKILL))
print(child.pid, flush=True)
time.sleep(600)
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child_id = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    assert parent.stdout.read() == ""  # its end is the child's: both held the other end of the pipe
    parent.stdout.close()
    assert child_id not in {entry.id for entry in list_processes()}


def test_a_subreaper_adopts_orphans() -> None:
    code = """
import os, subprocess, sys
from harness.controllers.processes import become_subreaper
become_subreaper()
inner = "import os, sys, time; os.fork() and os._exit(0); print(os.getpid(), flush=True); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", inner], stdout=subprocess.PIPE, text=True)
orphan = int(child.stdout.readline())
child.wait()
from harness.controllers.processes import descendants
print(descendants(os.getpid()) == (orphan,))
os.kill(orphan, 9)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "True\n", done.stderr
