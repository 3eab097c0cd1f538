"""The two peers that a click is compared with, set up in an environment of their own.

The first is cua-computer-server with its own defaults and the half second that its agent waits before a screenshot.
The second is the recipe of Anthropic's computer-use demo: xdotool, two seconds, a screenshot program.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

PEERS = Path("build/bench-peers")
CUA_REQUIREMENTS = ("cua-computer-server==0.1.25", "fastapi<0.116")
CUA_SCREENSHOT_DELAY_S = 0.5
DEMO_DELAY_S = 2.0
AWAY = (900, 700)
_START_S = 60.0


class PeerMissing(Exception):
    """A peer can't be set up here; the text says why."""


class Clicker(Protocol):
    """Clicks a point and returns the PNG that follows."""

    def click(self, x: int, y: int) -> bytes:
        """Click and return the screenshot of what came of it."""
        ...

    def reset(self) -> None:
        """Close what the click opened and move the pointer away."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CuaServer:
    """The peer's server, reached over loopback as its own client reaches it."""

    port: int

    def click(self, x: int, y: int) -> bytes:
        """Send the click, wait as the peer's agent does, fetch the screenshot."""
        self._send("left_click", x=x, y=y)
        time.sleep(CUA_SCREENSHOT_DELAY_S)
        return base64.b64decode(str(self._send("screenshot")["image_data"]))

    def reset(self) -> None:
        """Press Escape and move away."""
        self._send("press_key", key="esc")
        self._send("move_cursor", x=AWAY[0], y=AWAY[1])

    def _send(self, command: str, **params: object) -> dict[str, object]:
        body = json.dumps({"command": command, "params": params}).encode()
        request = urllib.request.Request(  # loopback
            f"http://127.0.0.1:{self.port}/cmd", data=body, headers={"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=20) as answer:  # loopback
            text = answer.read().decode()
        parsed: dict[str, object] = json.loads(text.removeprefix("data: "))
        if not parsed.get("success"):
            raise PeerMissing(f"its {command} failed: {parsed.get('error')}")
        return parsed


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoRecipe:
    """The demo's own commands, one process each."""

    environment: Mapping[str, str]
    folder: Path

    def click(self, x: int, y: int) -> bytes:
        """Move and click by xdotool, wait two seconds, take the screenshot by scrot."""
        self._run("xdotool", "mousemove", "--sync", str(x), str(y), "click", "1")
        time.sleep(DEMO_DELAY_S)
        shot = self.folder / "demo.png"
        self._run("scrot", "--overwrite", str(shot))
        return shot.read_bytes()

    def reset(self) -> None:
        """Press Escape and move away: `--sync` waits 15 s for a pointer that is there already."""
        self._run("xdotool", "key", "--", "Escape")
        self._run("xdotool", "mousemove", str(AWAY[0]), str(AWAY[1]))

    def _run(self, *argv: str) -> None:
        subprocess.run(argv, env=dict(self.environment), check=True, capture_output=True, timeout=20)


def demo_recipe(environment: Mapping[str, str], folder: Path) -> DemoRecipe:
    """Return the demo's recipe.

    Raises:
        PeerMissing: a program of it is not installed.
    """
    lacking = [name for name in ("xdotool", "scrot") if shutil.which(name) is None]
    if lacking:
        raise PeerMissing(f"{' and '.join(lacking)} not installed; apt-get install {' '.join(lacking)}")
    return DemoRecipe(environment=environment, folder=folder)


@contextlib.contextmanager
def cua_server(environment: Mapping[str, str]) -> Iterator[CuaServer]:
    """Run the peer's server on a desktop, installed into an environment of its own.

    Raises:
        PeerMissing: it can't be installed or does not start.
    """
    python = _install_cua()
    port = _free_port()
    log = PEERS / "cua.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [python, "-m", "computer_server", "--host", "127.0.0.1", "--port", str(port)],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait_for(port, server, log)
        yield CuaServer(port=port)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _install_cua() -> str:
    folder = PEERS / "cua"
    python = folder / "bin" / "python"
    if (folder / ".ready").exists():
        return str(python)
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True, capture_output=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *CUA_REQUIREMENTS], check=True, capture_output=True)
    except subprocess.CalledProcessError as exc:
        raise PeerMissing(f"it can't be installed: {exc.stderr.decode(errors='replace').strip()[-300:]}") from exc
    (folder / ".ready").touch()
    return str(python)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    end_s = time.monotonic() + _START_S
    while time.monotonic() < end_s:
        if server.poll() is not None:
            raise PeerMissing(f"it ended while it started: {log.read_text(errors='replace').strip()[-300:]}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise PeerMissing(f"it did not start within {_START_S:g} s")
