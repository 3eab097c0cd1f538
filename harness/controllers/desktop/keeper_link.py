"""The parent's end of a keeper: its process, and requests to it."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from harness.controllers.desktop.place import sweep
from harness.errors import ControllerError
from harness.values.geometry import Size

ANSWER_S: Final = 20.0
CLOSE_S: Final = 4.0
# The keeper runs our code and needs no secret: what finds Python and us, and where temporary files go.
_KEEPER_VARIABLES: Final = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "TMPDIR", "VIRTUAL_ENV")


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A desktop that is ready.

    Attributes:
        environment: Every variable of its applications.
        home: Their home folder.
    """

    environment: dict[str, str]
    home: Path


class KeeperLink:
    """A keeper and the socket to it. May be used from any thread; one request at a time."""

    def __init__(self, process: subprocess.Popen[bytes], link: socket.socket, messages: IO[bytes]) -> None:
        self._process = process
        self._link = link
        self._messages = messages
        self._lines = link.makefile("rb")
        self._turn = threading.Lock()
        self._sweeper: threading.Thread | None = None
        self._is_closed = False

    @classmethod
    def start(cls) -> KeeperLink:
        """Start a keeper.

        Raises:
            ControllerError: it can't be started.
        """
        ours, theirs = socket.socketpair()
        ours.settimeout(ANSWER_S)
        messages = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the keeper lives
        try:
            process = subprocess.Popen(  # noqa: S603  # our own module
                [sys.executable, "-P", "-m", "harness.controllers.desktop.keeper", str(os.getpid())],
                env={name: os.environ[name] for name in _KEEPER_VARIABLES if name in os.environ},
                cwd="/",
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=messages,
                start_new_session=True,
            )
        except OSError as exc:
            ours.close()
            messages.close()
            raise ControllerError(f"the keeper of a virtual desktop did not start: {exc}") from exc
        finally:
            theirs.close()
        return cls(process, ours, messages)

    @property
    def process_id(self) -> int:
        """The keeper's process id."""
        return self._process.pid

    def start_desktop(
        self, *, size: Size, allowed: Mapping[str, str], extra: Mapping[str, str], has_accessibility: bool
    ) -> Started:
        """Have it start the desktop and return when that is ready.

        Raises:
            ControllerError: a part did not start.
        """
        answer = self._ask(
            "start",
            size=[size.width_px, size.height_px],
            allowed=dict(allowed),
            extra=dict(extra),
            has_accessibility=has_accessibility,
        )
        folder = Path(answer["folder"])
        self._sweeper = threading.Thread(target=self._sweep_after, args=(folder,), name="sweep desktop", daemon=True)
        self._sweeper.start()
        return Started(environment=answer["environment"], home=Path(answer["home"]))

    def spawn(
        self, argv: Sequence[str], *, stdout: Path | None, environment: Mapping[str, str], cwd: Path | None
    ) -> int:
        """Have it start an application; return the process id.

        Raises:
            ControllerError: the application can't be started, or the keeper is gone.
        """
        process_id: int = self._ask(
            "spawn",
            argv=list(argv),
            stdout=None if stdout is None else str(stdout.absolute()),
            environment=dict(environment),
            cwd=None if cwd is None else str(cwd.absolute()),
        )
        return process_id

    def returncode(self, process_id: int) -> int | None:
        """Return how an application ended, None while it runs.

        Raises:
            ControllerError: it is none of the keeper's, or the keeper is gone.
        """
        code: int | None = self._ask("returncode", process_id=process_id)
        return code

    def end(self, process_id: int) -> None:
        """Have it end an application.

        Raises:
            ControllerError: it is none of the keeper's, or the keeper is gone.
        """
        self._ask("end", process_id=process_id)

    def close(self) -> None:
        """Let the keeper end everything and return when it has. One that does not is killed, and its desktop swept."""
        with self._turn:
            if self._is_closed:
                return
            self._is_closed = True
            self._lines.close()
            self._link.close()
        try:
            self._process.wait(CLOSE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._messages.close()
        if self._sweeper is not None:
            self._sweeper.join(CLOSE_S)

    def _ask(self, what: str, **fields: object) -> Any:  # what a request returns, `keeper.py` says
        request = json.dumps({"ask": what, **fields}).encode() + b"\n"
        with self._turn:
            if self._is_closed:
                raise ControllerError("the virtual desktop is closed")
            try:
                self._link.sendall(request)
                line = self._lines.readline()
            except OSError as exc:
                raise ControllerError(f"the virtual desktop does not answer: {exc or 'timeout'}") from exc
        if not line.endswith(b"\n"):
            raise ControllerError(f"the virtual desktop is gone{self._last_words()}; start it again")
        answer: dict[str, Any] = json.loads(line)  # one line of the protocol between the two halves of one version
        if "problem" in answer:
            raise ControllerError(str(answer["problem"]))
        return answer["value"]

    def _last_words(self) -> str:
        with contextlib.suppress(OSError, ValueError):
            self._messages.seek(0)
            lines = self._messages.read().decode(errors="replace").strip().splitlines()
            return f": {lines[-1]}" if lines else ""
        return ""

    def _sweep_after(self, folder: Path) -> None:
        """End what is left when the keeper was killed; does nothing when it ended by itself."""
        self._process.wait()
        sweep(folder)
