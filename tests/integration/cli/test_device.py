"""`transom device serve` as a program: what it refuses before it listens."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_TRANSOM = Path(sys.executable).with_name("transom")
_SECRET = "a-given-secret-0123456789"


def _serve(*options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in {"TRANSOM_DEVICE_TOKEN", "DISPLAY"}}
    return subprocess.run(
        [_TRANSOM, "device", "serve", *options],
        env={**environment, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.req("R-ACT-4")
def test_it_does_not_listen_to_others_without_a_token() -> None:
    done = _serve("--host", "0.0.0.0", "--port", "0")
    assert done.returncode == 2
    assert "TRANSOM_DEVICE_TOKEN" in done.stderr
    assert "SSH tunnel" in done.stderr
    assert done.stdout == ""


@pytest.mark.req("R-ACT-4")
def test_a_weak_token_is_refused_and_not_repeated() -> None:
    done = _serve("--port", "0", TRANSOM_DEVICE_TOKEN="hunter2")
    assert done.returncode == 2
    assert "has 7 characters" in done.stderr
    assert "hunter2" not in done.stdout + done.stderr


@pytest.mark.req("R-ACT-1")
def test_without_a_display_it_says_what_to_do() -> None:
    done = _serve("--port", "0", TRANSOM_DEVICE_TOKEN=_SECRET)
    assert done.returncode == 3
    assert "there is no display" in done.stderr
    assert "--desktop virtual" in done.stderr
    assert _SECRET not in done.stdout + done.stderr
