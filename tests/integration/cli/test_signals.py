"""A first signal asks for a clean end, a second one does not wait for it."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

# The parent of the tests may ignore SIGINT, and children inherit that.
HEEDING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
STUBBORN = """
import asyncio
from harness.cli.signals import cancel_on_signals

async def work():
    cancel_on_signals()
    print("ready", flush=True)
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        print("cleaning up", flush=True)
        {cleaning}

asyncio.run(work())
"""


def start(program: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.req("R-ACT-6", "R-CLI-4")
@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_the_process_at_once(first: signal.Signals, second: signal.Signals) -> None:
    with start(HEEDING + STUBBORN.format(cleaning="await asyncio.Event().wait()")) as process:
        assert said(process) == "ready"
        process.send_signal(first)
        assert said(process) == "cleaning up"
        process.send_signal(second)
        assert process.wait(timeout=30) == 130
        assert process.stderr is not None
        assert "ended at once" in process.stderr.read()


@pytest.mark.req("R-ACT-6")
def test_one_signal_lets_the_run_clean_up() -> None:
    with start(HEEDING + STUBBORN.format(cleaning="pass")) as process:
        assert said(process) == "ready"
        process.send_signal(signal.SIGTERM)
        assert said(process) == "cleaning up"
        assert process.wait(timeout=30) == 0


def test_an_interrupt_that_a_shell_switched_off_stays_off() -> None:
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    with start(ignoring + STUBBORN.format(cleaning="pass")) as process:
        assert said(process) == "ready"
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        assert said(process) == "cleaning up"
        assert process.wait(timeout=30) == 0
