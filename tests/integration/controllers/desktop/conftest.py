"""Desktops that are killed on purpose, each in a temporary folder of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from desktop_endings import ParentRun
from desktop_needs import require_programs

from harness.controllers.processes import descendants

PARENT = Path(__file__).with_name("desktop_parent.py")
StartParent = Callable[..., ParentRun]


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the temporary folder that desktops use in this test; its name is short, as sockets want it."""
    require_programs()
    folder = Path(tempfile.mkdtemp(prefix="tt-"))
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)  # else Python remembers the folder of the first look
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def start_parent(temporary: Path) -> Iterator[StartParent]:
    """Return a function that starts a process with a desktop and waits until applications run on it."""
    started: list[subprocess.Popen[str]] = []
    copies: list[int] = []

    def start(*options: str) -> ParentRun:
        process = subprocess.Popen([sys.executable, str(PARENT), *options], stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        keeper_id = int(told["keeper_id"])
        members = frozenset({keeper_id, *descendants(keeper_id), *told["daemons"]})
        if told["copy_id"] is not None:
            copies.append(told["copy_id"])
        return ParentRun(process=process, keeper_id=keeper_id, folder=Path(told["folder"]), members=members)

    yield start
    for copy_id in copies:
        os.kill(copy_id, signal.SIGKILL)
    for process in started:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
