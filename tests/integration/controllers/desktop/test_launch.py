"""Applications of an allow-list: how they are started, and that they end with the device."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from desktop_session import read_when_written, wait_for

from harness.controllers.aim import CallFailed
from harness.controllers.desktop.launch import Launcher, end_directly
from harness.controllers.processes import session_members

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]

# Writes its process id first, so that a test can find it.
_SHELL_APP = 'echo $$ > "$0.new"; mv "$0.new" "$0"; '
_DEVICE = """
import sys, threading, time
from harness.controllers.desktop.launch import Launcher

launcher = Launcher({"app": sys.argv[2:]}, {"PATH": sys.argv[1]})
asking = threading.Thread(target=launcher.launch, args=("app",))
asking.start()
asking.join()
print("launched", flush=True)
time.sleep(60)
"""


def is_alive(process_id: int) -> bool:
    try:
        state = Path(f"/proc/{process_id}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except OSError:
        return False
    return state != b"Z"


def number_in(file: Path) -> int:
    return wait_for(lambda: int(file.read_text()) if file.exists() else None, f"{file.name} to be written")


@pytest.fixture
def apps(tmp_path: Path) -> dict[str, tuple[str, ...]]:
    """Return an allow-list whose applications are shell scripts; each writes its process id to a file of its name."""
    scripts = {
        "sleeper": "exec sleep 60",
        "stubborn": "trap '' TERM; while :; do sleep 60; done",
        "parent": "sleep 60 & sleep 60 & wait",
        "leaver": "sleep 60 & exit 0",
        "short": "exit 0",
        "descriptors": 'ls -l /proc/self/fd > "$0.fds"; exec sleep 60',
        "variables": 'env > "$0.env"; pwd >> "$0.env"; exec sleep 60',
    }
    shell = {name: ("sh", "-c", _SHELL_APP + script, str(tmp_path / name)) for name, script in scripts.items()}
    literal = str(tmp_path / "a $(touch evil) `b` > c; d")
    return {**shell, "literal": ("touch", literal), "absent": ("no-such-program-here",)}


@contextmanager
def launching(apps: dict[str, tuple[str, ...]], environment: dict[str, str] | None = None) -> Iterator[Launcher]:
    launcher = Launcher(apps, {"PATH": os.environ["PATH"]} if environment is None else environment)
    try:
        yield launcher
    finally:
        launcher.close()


@pytest.mark.req("R-ACT-1")
@pytest.mark.req("R-ACT-5")
def test_only_exact_names_of_the_list_are_launched(apps: dict[str, tuple[str, ...]]) -> None:
    with launching(apps) as launcher:
        for name in ("Sleeper", "sleeper ", "sleep", "/bin/sleep", ""):
            with pytest.raises(CallFailed, match=r"use one of: absent, descriptors, leaver, literal, "):
                launcher.launch(name)


def test_an_empty_list_says_so() -> None:
    with launching({}) as launcher, pytest.raises(CallFailed, match="use one of: none"):
        launcher.launch("sleeper")


def test_a_program_that_is_missing_or_no_program_is_named(apps: dict[str, tuple[str, ...]], tmp_path: Path) -> None:
    apps["folder"] = (str(tmp_path),)
    with launching(apps) as launcher:
        with pytest.raises(CallFailed, match="its program 'no-such-program-here' is not on this machine"):
            launcher.launch("absent")
        with pytest.raises(CallFailed, match="is not on this machine"):
            launcher.launch("folder")


@pytest.mark.req("R-ACT-1")
def test_no_shell_reads_the_arguments(apps: dict[str, tuple[str, ...]], tmp_path: Path) -> None:
    with launching(apps) as launcher:
        assert launcher.launch("literal") == "started literal; its window may still be on its way"
        wait_for((tmp_path / "a $(touch evil) `b` > c; d").exists, "the file of that very name")
    assert [path.name for path in tmp_path.iterdir()] == ["a $(touch evil) `b` > c; d"]


@pytest.mark.req("R-ACT-6")
def test_no_descriptor_of_ours_is_passed_on(apps: dict[str, tuple[str, ...]], tmp_path: Path) -> None:
    ends = os.pipe()
    try:
        for end in ends:
            os.set_inheritable(end, True)
        with launching(apps) as launcher:
            launcher.launch("descriptors")
            number_in(tmp_path / "descriptors")
            listing = read_when_written(tmp_path / "descriptors.fds", lambda text: text.count("\n") > 4)
    finally:
        for end in ends:
            os.close(end)
    targets = {line.split()[-3]: line.split()[-1] for line in listing.splitlines()[1:]}
    assert {number: targets.pop(number) for number in ("0", "2")} == {"0": "/dev/null", "2": "/dev/null"}
    assert targets.pop("1").endswith("descriptors.fds")
    assert all(target.startswith("/proc/") for target in targets.values()), targets


def test_variables_and_folder_are_those_of_the_desktop(apps: dict[str, tuple[str, ...]], tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "DISPLAY": ":7", "PYTHONHOME": "/nowhere"}
    with launching(apps, environment) as launcher:
        launcher.launch("variables")
        lines = read_when_written(tmp_path / "variables.env", lambda text: text.endswith(f"\n{home}\n"))
    seen = set(lines.splitlines())
    assert {f"{name}={value}" for name, value in environment.items()} <= seen
    assert str(home) in seen
    assert not {line for line in seen if line.startswith(("VIRTUAL_ENV", "PYTEST"))}


@pytest.mark.req("R-ACT-6")
@pytest.mark.parametrize("name", ["sleeper", "stubborn", "parent", "leaver"])
def test_close_ends_all_that_was_started(apps: dict[str, tuple[str, ...]], tmp_path: Path, name: str) -> None:
    with launching(apps) as launcher:
        launcher.launch(name)
        session_id = number_in(tmp_path / name)
        assert os.getsid(session_id) == session_id != os.getsid(0)
        if name == "leaver":
            wait_for(lambda: not is_alive(session_id), "the leaver to leave")
        members = session_members(session_id)
        assert members
        launcher.close()
        assert not [member for member in members if is_alive(member)]
        assert not Path(f"/proc/{session_id}").exists(), "it was not reaped"
        launcher.close()


@pytest.mark.req("R-ACT-6")
def test_a_program_that_ends_by_itself_is_reaped(apps: dict[str, tuple[str, ...]], tmp_path: Path) -> None:
    with launching(apps) as launcher:
        launcher.launch("short")
        process_id = number_in(tmp_path / "short")
        wait_for(lambda: not Path(f"/proc/{process_id}").exists(), "it to be reaped")
        launcher.launch("short")


@pytest.mark.req("R-ACT-6")
def test_programs_outlive_the_thread_that_asked_for_them_and_end_with_the_process(
    apps: dict[str, tuple[str, ...]], tmp_path: Path
) -> None:
    device = subprocess.Popen(
        [sys.executable, "-c", _DEVICE, os.environ["PATH"], *apps["sleeper"]], stdout=subprocess.PIPE, text=True
    )
    try:
        assert device.stdout is not None
        assert device.stdout.readline() == "launched\n"
        app = number_in(tmp_path / "sleeper")
        assert is_alive(app)
        device.send_signal(signal.SIGKILL)
        device.wait(5)
        wait_for(lambda: not is_alive(app), "the application to end with its device", limit_s=5)
    finally:
        device.kill()
        device.wait()
        if device.stdout is not None:
            device.stdout.close()


@pytest.mark.req("R-ACT-6")
def test_where_sessions_can_not_be_listed_the_program_itself_ends() -> None:
    scripts = ("echo ready; exec sleep 60", "trap '' TERM; echo ready; while :; do sleep 1; done")
    processes = [subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE) for script in scripts]
    try:
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
        end_directly(processes)
        assert [process.wait(5) for process in processes] == [-signal.SIGTERM, -signal.SIGKILL]
    finally:
        for process in processes:
            process.kill()
            process.communicate()
