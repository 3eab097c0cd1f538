"""What a process does, as the kernel tells it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from harness.controllers.desktop.x11.process_rest import Activity, read_activity

pytestmark = [
    pytest.mark.req("R-ACT-1"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has /proc"),
]
LIMIT_S = 20
RESTS = "import time; print('ready', flush=True); time.sleep(60)"
WORKS = "print('ready', flush=True)\nwhile True: pass"
# The first thread waits for the second, which works.
WORKS_ELSEWHERE = f"import threading; threading.Thread(target=exec, args=({WORKS!r},)).start()"


@contextmanager
def python(code: str) -> Iterator[int]:
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process.pid
    finally:
        process.kill()
        process.communicate()


def comes(look: Callable[[], bool]) -> bool:
    end_s = time.monotonic() + LIMIT_S
    while not look():
        if time.monotonic() > end_s:
            return False
        time.sleep(0.01)
    return True


def rests(process_id: int) -> bool:
    before = read_activity(process_id)
    time.sleep(0.05)
    return before is not None and before.is_waiting and read_activity(process_id) == before


def test_a_process_that_waits_rests() -> None:
    with python(RESTS) as process_id:
        assert comes(lambda: rests(process_id))


@pytest.mark.parametrize("code", [WORKS, WORKS_ELSEWHERE])
def test_a_process_that_works_in_any_thread_does_not(code: str) -> None:
    with python(code) as process_id:
        assert not any(rests(process_id) for _ in range(5))
        activity = read_activity(process_id)
        assert activity is not None
        assert not activity.is_waiting


def test_a_process_that_was_woken_meanwhile_did_not_rest() -> None:
    assert Activity(is_waiting=True, time_slices=3) != Activity(is_waiting=True, time_slices=4)
    with python("import time; print('ready', flush=True)\nwhile True: time.sleep(0.01)") as process_id:
        before = read_activity(process_id)
        assert comes(lambda: read_activity(process_id) != before)


def test_a_process_that_is_gone_does_nothing() -> None:
    with python(RESTS) as process_id:
        pass
    assert read_activity(process_id) is None
