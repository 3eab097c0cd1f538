"""A device process, as the session sees it that started it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import tempfile
from dataclasses import replace
from typing import IO, Final

from harness.controllers.device.channel import Channel
from harness.controllers.device.encoding import encode_setup
from harness.controllers.device.messages import DeviceSetup
from harness.errors import ControllerError
from harness.protocols import ControllerSpec
from harness.values.mark import quote_page_text

_MODULE: Final = "harness.controllers.device.process"
_TAIL_BYTES: Final = 8192
_SHOWN_LINES: Final = 5
_SHOWN_CHARS: Final = 300


class DeviceProcess:
    """A running device process and the channel to it. Dies with the thread that started it."""

    def __init__(self, process: subprocess.Popen[bytes], channel: Channel, log: IO[bytes]) -> None:
        self.channel = channel
        self._process = process
        self._log = log

    @classmethod
    async def start(cls, spec: ControllerSpec, factory: str) -> DeviceProcess:
        """Start a device process and tell it what it is. It inherits one socket and nothing else.

        Raises:
            ControllerError: the system starts no process.
        """
        log = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the process lives
        ours, theirs = socket.socketpair()
        try:
            process = _spawn(theirs, log, spec)
        except OSError as exc:
            ours.close()
            log.close()
            raise ControllerError(f"the device process can't be started: {exc.strerror}; free some memory") from exc
        finally:
            theirs.close()
        device = cls(process, await Channel.over(ours), log)
        told = replace(spec, environment=None, page=None, token=None)
        device.channel.send(encode_setup(DeviceSetup(factory=factory, spec=told)))
        return device

    @property
    def id(self) -> int:
        """Its process id."""
        return self._process.pid

    def kill(self) -> None:
        """End it at once; safe when it has ended."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def ended(self, within_s: float) -> bool:
        """Wait until it has ended, at most `within_s` seconds, and return whether it has."""
        try:
            await asyncio.to_thread(self._process.wait, within_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _last_words(self) -> str:
        """Return the end of what it and its children wrote to their error stream, quoted; hostile."""
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - _TAIL_BYTES))
        lines = [line.strip() for line in self._log.read().decode("utf-8", "replace").splitlines() if line.strip()]
        return " ".join(quote_page_text(line[-_SHOWN_CHARS:]) for line in lines[-_SHOWN_LINES:])

    def death(self) -> str:
        """Return in words how it ended."""
        code = self._process.returncode
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        words = self._last_words()
        return f"{how}: {words}" if words else how

    async def dispose(self) -> None:
        """Close what this side holds of a process that has ended or was killed."""
        self.channel.abort()
        await self.channel.closed()
        self._log.close()


def _spawn(connection: socket.socket, log: IO[bytes], spec: ControllerSpec) -> subprocess.Popen[bytes]:
    """Start the process in a process session of its own: Ctrl-C in our terminal must not reach it.

    Called on the thread of the session's event loop, because Linux ties the process's life to this thread.
    """
    environment = dict(os.environ if spec.environment is None else spec.environment)
    if sys.platform == "win32":
        process = subprocess.Popen(  # noqa: S603  # our own module
            _command("stdin"),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env=environment,
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP,
        )
        assert process.stdin is not None
        with process.stdin:  # Windows hands a socket to a process that runs already
            process.stdin.write(connection.share(process.pid))
        return process
    number = connection.fileno()
    return subprocess.Popen(  # noqa: S603  # our own module
        _command(str(number)),
        pass_fds=(number,),
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env=environment,
        start_new_session=True,
    )


def _command(where: str) -> list[str]:
    return [sys.executable, "-P", "-m", _MODULE, where, str(os.getpid())]
