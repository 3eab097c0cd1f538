"""Starting applications of an allow-list, and ending them with the device."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Final

from harness.controllers.aim import CallFailed
from harness.controllers.desktop import guard
from harness.controllers.processes import end_processes, session_members

GRACE_S: Final = 1.0
_REAP_S: Final = 0.5
_SECRET_NAME: Final = re.compile(r"(?i)(^|_)(api)?(key|token|secret|password|passwd|credential)s?(_|$)")


class Launcher:
    """Starts programs by the names of an allow-list. No shell reads a word, and no descriptor is passed on.

    On Linux a program ends with this process, however that ends. It is started and attended by a thread of its own,
    since the kernel sends the death signal when that thread ends, not when the process does.
    """

    def __init__(self, apps: Mapping[str, Sequence[str]], environment: Mapping[str, str]) -> None:
        """Store the allow-list.

        Args:
            apps: Name to program and arguments.
            environment: All variables of the programs; PATH finds them, HOME is where they start.
        """
        self._apps = apps
        self._environment = environment
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._lock = threading.Lock()

    def launch(self, name: str) -> str:
        """Start the application of that name and say so; its window comes later.

        Raises:
            CallFailed: the name is not on the list (the text gives those that are), or its program can't be started.
        """
        command = self._command(name)
        started: Future[None] = Future()
        threading.Thread(target=self._attend, args=(command, started), name=f"attend {name}", daemon=True).start()
        try:
            started.result()
        except OSError as exc:
            raise CallFailed(f"{name} can't be started: {exc}") from exc
        return f"started {name}; its window may still be on its way"

    def close(self) -> None:
        """End everything that was launched: ask, then kill after a second; 4 s at most. Again is harmless.

        On Linux with all that it started in its turn, unless that left its process session.
        """
        if sys.platform == "linux":
            end_processes(self._living, grace_s=GRACE_S)
        else:
            end_directly(self._held())
        for process in self._held():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_REAP_S)
                self._forget(process)

    def _command(self, name: str) -> list[str]:
        if name not in self._apps:
            known = ", ".join(sorted(self._apps)) or "none"
            raise CallFailed(f"there is no application {name!r} to launch; use one of: {known}")
        program, *arguments = self._apps[name]
        found = shutil.which(program, path=self._environment.get("PATH", os.defpath))
        if found is None:
            raise CallFailed(f"{name} can't be started: its program {program!r} is not on this machine")
        return [found, *arguments]

    def _attend(self, command: list[str], started: Future[None]) -> None:
        try:
            process = self._start(command)
        except OSError as exc:
            started.set_exception(exc)
            return
        with self._lock:
            self._processes[process.pid] = process
        started.set_result(None)
        if sys.platform == "linux":
            # Not reaped yet: as long as something of its session lives, nobody else may get its id.
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            if session_members(process.pid):
                return
        process.wait()
        self._forget(process)

    def _start(self, command: list[str]) -> subprocess.Popen[bytes]:
        if sys.platform == "linux":
            command = [sys.executable, "-I", "-S", guard.__file__, str(os.getpid()), *command]
        home = Path(self._environment.get("HOME", "/"))
        return subprocess.Popen(  # noqa: S603  # a program of the allow-list; no shell
            command,
            env=without_secrets(self._environment),
            cwd=home if home.is_dir() else None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _held(self) -> tuple[subprocess.Popen[bytes], ...]:
        with self._lock:
            return tuple(self._processes.values())

    def _living(self) -> tuple[int, ...]:
        return session_members(*(process.pid for process in self._held()))

    def _forget(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._processes.pop(process.pid, None)


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables an application gets: none whose name says that it holds a key, a token or a password.

    On a person's own desktop the session's keys stand in the environment, and an agent can read what an application
    can show.
    """
    return {name: value for name, value in environment.items() if not _SECRET_NAME.search(name)}


def end_directly(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """End programs without what they started, where process sessions can't be listed: ask, then kill after a second."""
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
