"""Real applications on a virtual desktop, with checks on files, processes, windows and the accessibility tree."""

from __future__ import annotations

from evals.suites.desktop.suite import RealApplications


def create() -> RealApplications:
    """Return the suite, not opened yet."""
    return RealApplications()
