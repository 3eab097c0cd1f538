"""Launching a real application on a real display."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from desktop_session import DesktopSession, wait_for

from harness.controllers.desktop.launch import Launcher
from harness.controllers.desktop.x11.connection import open_display
from harness.controllers.desktop.x11.windows import X11Windows

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-1")]


@pytest.fixture
def launcher(desktop: DesktopSession) -> Iterator[Launcher]:
    apps = {"editor": ("mousepad", "--disable-server"), "calculator": ("galculator",)}
    with closing(Launcher(apps, desktop.environment)) as made:
        yield made


@pytest.mark.req("R-ACT-6")
def test_what_was_launched_opens_its_window_and_ends_with_the_device(
    desktop: DesktopSession, launcher: Launcher
) -> None:
    with closing(X11Windows(open_display(desktop.environment))) as windows:
        launcher.launch("editor")
        launcher.launch("calculator")
        seen = wait_for(lambda: found if len(found := windows.windows()) == 2 else None, "two windows")
        assert {window.app for window in seen} == {"mousepad", "galculator"}
        processes = [Path(f"/proc/{window.process_id}") for window in seen]
        assert all(process.exists() for process in processes)
        launcher.close()
        assert not any(process.exists() for process in processes)
        wait_for(lambda: windows.windows() == (), "no window")
