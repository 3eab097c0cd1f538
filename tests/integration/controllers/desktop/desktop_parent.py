"""A process that holds a desktop with applications on it until it is told to end, or is killed.

Options: `daemon` starts one that leaves its process tree as daemons do, `bare` one that drops its environment too;
`fork` makes a child of this process that holds all its descriptors, `thread` starts the desktop in a thread that ends.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

from harness.controllers.desktop.virtual import BlockingDesktop

DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open(os.environ["DAEMON_FILE"], "w").write(str(os.getpid()))
        {last}
    os._exit(0)
"""
SLEEP = "time.sleep(600)"
BARE_SLEEP = 'os.execve("/bin/sleep", ["sleep", "600"], {})'


def main(options: list[str]) -> None:
    with start_in_thread() if "thread" in options else BlockingDesktop.start() as desktop:
        desktop.spawn(["xterm", "-e", "sleep", "600"])
        desktop.spawn(["sh", "-c", 'trap "" TERM HUP; while :; do sleep 600; done'])
        daemons = [start_daemon(desktop, option) for option in options if option in {"daemon", "bare"}]
        copy_id = fork_copy() if "fork" in options else None
        told = {
            "keeper_id": desktop.keeper_id,
            "folder": str(desktop.home.parent),
            "daemons": daemons,
            "copy_id": copy_id,
        }
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
        signal.pause()


def fork_copy() -> int:
    """Make a child that holds all that this process holds, for a minute at most; return its process id."""
    copy_id = os.fork()
    if copy_id == 0:
        signal.alarm(60)
        signal.pause()
    return copy_id


def start_in_thread() -> BlockingDesktop:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(BlockingDesktop.start).result()


def start_daemon(desktop: BlockingDesktop, option: str) -> int:
    """Start a daemon and return its process id, which the process that started it never knew."""
    file = desktop.home / option
    code = DAEMON.format(last=SLEEP if option == "daemon" else BARE_SLEEP)
    desktop.spawn([sys.executable, "-c", code], environment={"DAEMON_FILE": str(file)})
    while not (file.exists() and file.read_text()):
        signal.sigtimedwait([], 0.02)
    return int(file.read_text())


main(sys.argv[1:])
