"""The keeper of a virtual desktop: one process that starts everything and leaves nothing when it ends.

Started as `python -m harness.controllers.desktop.keeper PARENT_ID` with a socket as its standard input; on it, one
JSON line a request `{"ask", …}` and one an answer `{"value"}` or `{"problem"}`. The socket's end, a signal, or the
death of the process that started it, and the desktop goes. It has one thread: children get their death signal from it.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import sys
from pathlib import Path
from typing import Any, Final

from harness.controllers.desktop.children import Children
from harness.controllers.desktop.place import DesktopPlace, sweep_leftovers
from harness.controllers.desktop.servers import Servers
from harness.controllers.processes import become_subreaper, die_with_parent
from harness.errors import ControllerError
from harness.values.geometry import Size

_END_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# Not one of those above: it comes as well when a thread of the parent ends, and then means nothing.
_PARENT_SIGNAL: Final = signal.SIGUSR1
Message = dict[str, Any]  # one line of the protocol between the two halves of one version


class Keeper:
    """Answers requests until its parent is gone."""

    def __init__(self, link: socket.socket, place: DesktopPlace, children: Children) -> None:
        self._link = link
        self._place = place
        self._children = children
        self._servers: Servers | None = None
        self._environment: dict[str, str] = {}

    def serve(self) -> None:
        """Answer request after request; return when the link ends, or one of the desktop's servers."""
        wakeup, wakeup_write = socket.socketpair()
        for end in (wakeup, wakeup_write):
            end.setblocking(False)
        signal.set_wakeup_fd(wakeup_write.fileno(), warn_on_full_buffer=False)
        with selectors.DefaultSelector() as selector:
            selector.register(wakeup, selectors.EVENT_READ)
            selector.register(self._link, selectors.EVENT_READ)
            lines = self._link.makefile("rb")
            while True:
                for key, _ in selector.select():
                    if key.fileobj is wakeup:
                        wakeup.recv(4096)
                        self._children.reap()
                        if self._servers is not None and self._servers.ended() is not None:
                            return
                    elif not self._answer(lines.readline()):
                        return

    def _answer(self, line: bytes) -> bool:
        """Answer one request; return False at the link's end."""
        if not line.endswith(b"\n"):
            return False
        try:
            answer: Message = {"value": self._do(json.loads(line))}
        except (ControllerError, OSError) as exc:
            answer = {"problem": str(exc)}
        self._link.sendall(json.dumps(answer).encode() + b"\n")
        return True

    def _do(self, request: Message) -> object:
        match request["ask"]:
            case "start":
                return self._start(request)
            case "spawn":
                return self._spawn(request)
            case "returncode":
                return self._children.returncode(request["process_id"])
            case "end":
                self._children.end(request["process_id"])
                return None
            case unknown:
                raise ControllerError(f"the keeper knows no request {unknown!r}")

    def _start(self, request: Message) -> Message:
        sweep_leftovers()
        servers = Servers(self._children, self._place, request["allowed"])
        width_px, height_px = request["size"]
        self._environment = servers.start(
            Size(width_px=width_px, height_px=height_px),
            request["extra"],
            has_accessibility=request["has_accessibility"],
        )
        self._servers = servers
        return {"environment": self._environment, "folder": str(self._place.folder), "home": str(self._place.home)}

    def _spawn(self, request: Message) -> int:
        stdout = request["stdout"]
        return self._children.start(
            request["argv"],
            environment={**self._environment, **request["environment"]},
            cwd=Path(request["cwd"] or self._place.home),
            output=None if stdout is None else Path(stdout),
        )


def main(argv: list[str]) -> int:
    """Keep one desktop until its parent, named by its process id, is gone."""
    parent_id = int(argv[0])
    _listen_to_signals(parent_id)
    die_with_parent(parent_id, _PARENT_SIGNAL)
    become_subreaper()
    children = Children()
    place = DesktopPlace.create()
    try:
        with socket.socket(fileno=os.dup(0)) as link:
            Keeper(link, place, children).serve()
    except (BrokenPipeError, ConnectionResetError):
        return 0
    finally:
        for number in (*_END_SIGNALS, _PARENT_SIGNAL):
            signal.signal(number, signal.SIG_IGN)
        children.end_all()
        place.remove()
    return 0


def _listen_to_signals(parent_id: int) -> None:
    def end(number: int, frame: object) -> None:
        raise SystemExit(0)

    def end_with_parent(number: int, frame: object) -> None:
        if os.getppid() != parent_id:
            raise SystemExit(0)

    for number in _END_SIGNALS:
        signal.signal(number, end)
    signal.signal(_PARENT_SIGNAL, end_with_parent)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
