"""The processes of a virtual desktop: started without our descriptors, reaped, ended with all that they started."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from harness.controllers.processes import descendants, die_with_parent, end_processes, session_members
from harness.errors import ControllerError

APP_GRACE_S: Final = 1.0
ALL_GRACE_S: Final = 0.5


class Children:
    """Every process below this one. It has to be a subreaper: then nothing that a child starts gets away."""

    def __init__(self) -> None:
        self._started: dict[int, subprocess.Popen[bytes]] = {}

    def start(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        cwd: Path,
        output: Path | None = None,
        has_error_output: bool = False,
        descriptors: Sequence[int] = (),
        death_signal: signal.Signals = signal.SIGKILL,
    ) -> int:
        """Start a program in a process session of its own and return its process id.

        Args:
            argv: Program and arguments; no shell reads them.
            environment: All of its variables.
            cwd: Where it starts.
            output: A file that its output replaces; None drops it.
            has_error_output: Whether its messages go to that file too; else they are dropped.
            descriptors: The descriptors that it inherits, besides the first three.
            death_signal: What it gets when this process is killed.

        Raises:
            OSError: it can't be started, or the file can't be written.
        """
        parent_id = os.getpid()
        with Path(os.devnull if output is None else output).open("wb") as stdout:
            process = subprocess.Popen(  # noqa: S603  # the caller names the program; no shell
                list(argv),
                env=dict(environment),
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stdout if has_error_output else subprocess.DEVNULL,
                pass_fds=tuple(descriptors),
                start_new_session=True,
                preexec_fn=lambda: die_with_parent(parent_id, death_signal),  # noqa: PLW1509  # one thread here
            )
        self._started[process.pid] = process
        return process.pid

    def reap(self) -> None:
        """Take notice of every child that ended, adopted ones too."""
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            known = self._started.get(ended.si_pid)
            if known is None or known.returncode is not None:  # ids are used again
                os.waitpid(ended.si_pid, os.WNOHANG)
            else:
                known.poll()

    def returncode(self, process_id: int) -> int | None:
        """Return how a started process ended, negative for a signal; None while it runs.

        Raises:
            ControllerError: it was not started here.
        """
        return self._process(process_id).poll()

    def end(self, process_id: int) -> None:
        """End a started process and all of its process session, double forks too; 3 s at most.

        Raises:
            ControllerError: it was not started here.
        """
        process = self._process(process_id)
        end_processes(lambda: self._family(process_id), grace_s=APP_GRACE_S)
        process.poll()

    def end_all(self) -> None:
        """End every process below this one; 2.5 s at most."""
        end_processes(self._everything, grace_s=ALL_GRACE_S)
        self.reap()

    def _process(self, process_id: int) -> subprocess.Popen[bytes]:
        if process_id not in self._started:
            raise ControllerError(f"process {process_id} was not started in this desktop")
        return self._started[process_id]

    def _family(self, process_id: int) -> tuple[int, ...]:
        self.reap()
        is_ours = self._started[process_id].returncode is None
        return tuple({*session_members(process_id), *(descendants(process_id) if is_ours else ())})

    def _everything(self) -> tuple[int, ...]:
        self.reap()
        return descendants(os.getpid())
