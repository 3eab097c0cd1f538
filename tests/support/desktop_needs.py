"""Tests on a virtual desktop skip where its programs are missing, and fail there in continuous integration."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from harness.controllers.desktop.programs import DESKTOP_PROGRAMS, Program, install_command, missing


def require_programs(programs: Sequence[Program] = DESKTOP_PROGRAMS) -> None:
    """Skip the test, or fail it when CI is set, unless these programs are here."""
    absent = missing(programs, os.environ)
    if not absent:
        return
    names = ", ".join(program.name for program in absent)
    reason = f"not on this machine: {names}; run `transom doctor --fix` or `{install_command(absent)}`"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
