"""One virtual desktop for all tests here; each finds it empty. This process is on it while a test runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest
from desktop_needs import require_programs
from desktop_session import DesktopSession, joined

from harness.controllers.desktop.programs import DESKTOP_PROGRAMS, SUITE_APPLICATIONS
from harness.controllers.desktop.virtual import BlockingDesktop, VirtualDesktop

FreshDesktop = Callable[..., DesktopSession]


@pytest.fixture(scope="session")
def virtual_desktop() -> Iterator[VirtualDesktop]:
    """Return the desktop of the test session, 1280x800."""
    require_programs((*DESKTOP_PROGRAMS, *SUITE_APPLICATIONS))
    with BlockingDesktop.start() as blocking:
        yield VirtualDesktop(blocking)


@pytest.fixture(autouse=True)
def _on_desktop(virtual_desktop: VirtualDesktop) -> Iterator[None]:
    """Put this process on the desktop while a test runs."""
    with joined(virtual_desktop.environment):
        yield


@pytest.fixture
def desktop(virtual_desktop: VirtualDesktop) -> Iterator[DesktopSession]:
    """Return the desktop of the test session, empty, and leave it empty."""
    with closing(DesktopSession(virtual_desktop)) as session:
        session.reset()
        yield session
        session.reset()


@pytest.fixture
def fresh_desktop(virtual_desktop: VirtualDesktop) -> Iterator[FreshDesktop]:
    """Return a function that starts a desktop of the test's own; its arguments are those of `BlockingDesktop.start`.

    This process is on the desktop that was started last.
    """
    with ExitStack() as stack:

        def start(**options: Any) -> DesktopSession:
            blocking = stack.enter_context(BlockingDesktop.start(**options))
            stack.enter_context(joined(blocking.environment))
            session = DesktopSession(VirtualDesktop(blocking))
            stack.callback(session.close)
            return session

        yield start
