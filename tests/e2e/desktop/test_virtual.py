"""A virtual desktop as applications see it."""

from __future__ import annotations

from pathlib import Path

import pytest
from desktop_session import DesktopSession, read_when_written

pytestmark = [pytest.mark.desktop]


@pytest.mark.req("R-ACT-6")
def test_an_application_opens_its_window(desktop: DesktopSession) -> None:
    process_id = desktop.start(["mousepad"], title="Mousepad")
    assert desktop.blocking.returncode(process_id) is None
    desktop.blocking.end(process_id)
    assert desktop.blocking.returncode(process_id) is not None
    desktop.wait_for_no_window("Mousepad")


def test_output_goes_to_the_file(desktop: DesktopSession, tmp_path: Path) -> None:
    desktop.start(["printenv", "HOME"], stdout=tmp_path / "out")
    assert read_when_written(tmp_path / "out") == f"{desktop.home}\n"
