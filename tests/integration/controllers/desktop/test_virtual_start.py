"""How a desktop starts, fails to start, and what its applications get from us."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from desktop_endings import desktop_processes, wait_until

from harness.controllers.desktop.virtual import BlockingDesktop, VirtualDesktop
from harness.controllers.processes import descendants
from harness.errors import ControllerError
from harness.values.geometry import Size

pytestmark = [pytest.mark.desktop]
SECRET = "sk-not-for-applications"


def read_output(desktop: BlockingDesktop, argv: list[str], file: Path) -> str:
    process_id = desktop.spawn(argv, stdout=file)
    assert wait_until(lambda: desktop.returncode(process_id) is not None)
    return file.read_text()


@pytest.mark.req("R-ACT-1")
def test_missing_programs_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ControllerError, match=r"not installed: Xvfb, openbox, .*apt-get install .* xvfb openbox"):
        BlockingDesktop.start()


@pytest.mark.parametrize("name", ["Xvfb", "openbox"])
def test_a_server_that_ends_is_told_with_its_last_words(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    broken = temporary / "bin"
    broken.mkdir()
    (broken / name).write_text("#!/bin/sh\necho starting\necho the moon is in the wrong phase >&2\nexit 3\n")
    (broken / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken}:{os.environ['PATH']}")
    with pytest.raises(ControllerError, match=f"{name} ended at once: the moon is in the wrong phase"):
        BlockingDesktop.start()
    assert desktop_processes(temporary) == frozenset()
    assert not list(temporary.glob("transom-desktop-*"))


def test_four_start_at_once(temporary: Path, tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool, contextlib.ExitStack() as stack:
        desktops = [
            stack.enter_context(desktop.result()) for desktop in [pool.submit(BlockingDesktop.start) for _ in range(4)]
        ]
        for name in ("DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "HOME", "XDG_RUNTIME_DIR"):
            assert len({desktop.environment[name] for desktop in desktops}) == 4
        for number, desktop in enumerate(desktops):
            assert "1280 x 800" in read_output(desktop, ["xrandr"], tmp_path / str(number))
    assert desktop_processes(temporary) == frozenset()


@pytest.mark.req("R-ACT-6")
def test_no_secret_reaches_the_desktop(temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("LD_PRELOAD_NOTE", SECRET)
    with BlockingDesktop.start(environment={"GDK_SCALE": "2"}) as desktop:
        seen = read_output(desktop, ["env"], tmp_path / "env")
        desktop.spawn(["xterm"])
        assert "GDK_SCALE=2" in seen
        assert SECRET not in seen
        members = (desktop.keeper_id, *descendants(desktop.keeper_id))
        environments = [Path(f"/proc/{member}/environ").read_bytes() for member in members]
        assert len(environments) >= 6
        assert not any(SECRET.encode() in environment for environment in environments)


@pytest.mark.req("R-ACT-6")
def test_no_descriptor_is_inherited(temporary: Path, tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    ours, theirs = socket.socketpair()
    for descriptor in (read_end, write_end, ours.fileno(), theirs.fileno()):
        os.set_inheritable(descriptor, True)
    try:
        with BlockingDesktop.start() as desktop:
            mute = desktop.spawn(["sleep", "600"])
            assert wait_until(lambda: _descriptors(mute) == {0: os.devnull, 1: os.devnull, 2: os.devnull})
            writer = desktop.spawn(["sleep", "600"], stdout=tmp_path / "out")
            expected = {0: os.devnull, 1: str(tmp_path / "out"), 2: os.devnull}
            assert wait_until(lambda: _descriptors(writer) == expected)
            pipe = str(Path(f"/proc/self/fd/{write_end}").readlink())
            for member in (desktop.keeper_id, *descendants(desktop.keeper_id)):
                assert pipe not in _descriptors(member).values()
    finally:
        os.close(read_end)
        os.close(write_end)
        ours.close()
        theirs.close()


def test_an_application_that_can_not_be_started_is_told(temporary: Path) -> None:
    with BlockingDesktop.start() as desktop:
        with pytest.raises(ControllerError, match="no-such-program"):
            desktop.spawn(["no-such-program"])
        with pytest.raises(ControllerError, match="process 1 was not started in this desktop"):
            desktop.returncode(1)
        assert desktop.returncode(desktop.spawn(["sleep", "600"])) is None


def test_codes_and_ends_of_applications(temporary: Path, tmp_path: Path) -> None:
    with BlockingDesktop.start() as desktop:
        failed = desktop.spawn(["sh", "-c", "exit 3"])
        assert wait_until(lambda: desktop.returncode(failed) is not None)
        assert desktop.returncode(failed) == 3
        polite = desktop.spawn(["sleep", "600"])
        desktop.end(polite)
        assert desktop.returncode(polite) == -signal.SIGTERM
        desktop.end(polite)
        deaf = desktop.spawn(["sh", "-c", 'trap "" TERM; while :; do sleep 600 & wait; done'])
        desktop.end(deaf)
        assert desktop.returncode(deaf) == -signal.SIGKILL


def test_ending_an_application_ends_what_it_left_behind(temporary: Path) -> None:
    code = "import os, time\nif os.fork() == 0:\n    time.sleep(600)\n"
    with BlockingDesktop.start() as desktop:
        before = set(descendants(desktop.keeper_id))
        starter = desktop.spawn([sys.executable, "-c", code])
        assert wait_until(lambda: desktop.returncode(starter) == 0)
        assert len(set(descendants(desktop.keeper_id)) - before) == 1
        desktop.end(starter)
        assert set(descendants(desktop.keeper_id)) <= before


def test_a_desktop_that_is_gone_says_so(temporary: Path) -> None:
    desktop = BlockingDesktop.start()
    os.kill(desktop.keeper_id, signal.SIGKILL)
    assert wait_until(lambda: not desktop.home.exists())
    with pytest.raises(ControllerError, match="virtual desktop"):
        desktop.spawn(["sleep", "600"])
    desktop.close()
    desktop.close()
    with pytest.raises(ControllerError, match="virtual desktop is closed"):
        desktop.spawn(["sleep", "600"])


def test_applications_keep_out_of_the_callers_home(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "settings"))
    with BlockingDesktop.start() as desktop:
        marker = desktop.home / "ready"
        desktop.spawn(["xterm", "-e", "sh", "-c", f"env > {marker}; sleep 600"])
        assert wait_until(marker.exists)
        assert read_output(desktop, ["pwd"], tmp_path / "pwd") == f"{desktop.home}\n"
        assert str(home) not in marker.read_text()
    assert list(home.iterdir()) == []
    assert not desktop.home.exists()


def test_a_long_temporary_folder_is_no_obstacle(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = temporary / ("long-" * 20)
    long.mkdir()
    monkeypatch.setenv("TMPDIR", str(long))
    with BlockingDesktop.start() as desktop:
        assert len(f"{desktop.environment['XDG_RUNTIME_DIR']}/at-spi/bus_123") < 108


async def test_a_start_that_is_cancelled_leaves_nothing(temporary: Path) -> None:
    starting = asyncio.create_task(VirtualDesktop.start())
    await asyncio.to_thread(wait_until, lambda: bool(desktop_processes(temporary)))
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert await asyncio.to_thread(wait_until, lambda: not desktop_processes(temporary))
    assert await asyncio.to_thread(wait_until, lambda: not any(temporary.iterdir()))


async def test_the_awaiting_twin_does_the_same(temporary: Path, tmp_path: Path) -> None:
    async with await VirtualDesktop.start(size=Size(width_px=640, height_px=480), has_accessibility=False) as desktop:
        assert desktop.size == Size(width_px=640, height_px=480)
        process_id = await desktop.spawn(
            ["sh", "-c", "echo $WHO; pwd; exec sleep 600"],
            stdout=tmp_path / "out",
            environment={"WHO": "me"},
            cwd=tmp_path,
        )
        expected = f"me\n{tmp_path}\n"
        assert await asyncio.to_thread(wait_until, lambda: (tmp_path / "out").read_text() == expected)
        assert await desktop.returncode(process_id) is None
        await desktop.end(process_id)
        assert await desktop.returncode(process_id) == -signal.SIGTERM
        assert not any("at-spi" in name for name in map(_command, descendants(desktop.blocking.keeper_id)))
    assert desktop_processes(temporary) == frozenset()


def test_only_what_dead_keepers_left_is_swept(temporary: Path) -> None:
    with BlockingDesktop.start() as living:
        old = temporary / "transom-desktop-without-lock"
        fresh = temporary / "transom-desktop-just-made"
        others = temporary / "somebody-else"
        for folder in (old, fresh, others):
            folder.mkdir()
        os.utime(old, (0, 0))
        (temporary / "transom-desktop-link").symlink_to(others)
        with BlockingDesktop.start():
            assert living.returncode(living.spawn(["sleep", "600"])) is None
            assert living.home.exists()
            assert not old.exists()
            assert fresh.exists()
            assert others.exists()
            assert (temporary / "transom-desktop-link").is_symlink()
    shutil.rmtree(fresh)


def _descriptors(process_id: int) -> dict[int, str]:
    found: dict[int, str] = {}
    for entry in Path(f"/proc/{process_id}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile, as a program's libraries are at its start
            found[int(entry.name)] = str(entry.readlink())
    return found


def _command(process_id: int) -> str:
    return Path(f"/proc/{process_id}/cmdline").read_bytes().decode()
