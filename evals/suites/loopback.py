"""A quiet HTTP server on 127.0.0.1 for the pages of a suite, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket

from harness.errors import InfrastructureError

Handler = Callable[..., BaseHTTPRequestHandler]


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: socket | tuple[bytes, socket], client_address: object) -> None:
        """Say nothing: a browser that hangs up in the middle of an answer is no fault of the suite."""


class StaticFiles(SimpleHTTPRequestHandler):
    """Serves the files of one folder and lists nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing; progress belongs to the runner."""

    def list_directory(self, path: object) -> None:
        """Refuse to list a folder."""
        self.send_error(HTTPStatus.NOT_FOUND)


class LoopbackServer:
    """Serves one handler on an ephemeral port of 127.0.0.1."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._server: _QuietServer | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The server's address without a trailing slash.

        Raises:
            InfrastructureError: the server does not run.
        """
        if self._server is None:
            raise InfrastructureError("the suite's server does not run; open the suite before starting a task")
        return f"http://127.0.0.1:{self._server.server_port}"

    def open(self) -> None:
        """Start to serve; a second call changes nothing."""
        if self._server is not None:
            return
        self._server = _QuietServer(("127.0.0.1", 0), self._handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    async def close(self) -> None:
        """Stop to serve and free the port; a second call changes nothing."""
        server, thread, self._server, self._thread = self._server, self._thread, None, None
        if server is None or thread is None:
            return
        await asyncio.to_thread(server.shutdown)
        await asyncio.to_thread(thread.join)
        server.server_close()


def static_handler(folder: Path) -> Handler:
    """Return a handler that serves `folder` and nothing above it."""
    return partial(StaticFiles, directory=str(folder))
