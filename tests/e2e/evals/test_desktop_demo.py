"""`transom demo --desktop`, as a person sees it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from desktop_needs import require_programs

from harness.controllers.desktop.programs import DESKTOP_PROGRAMS, SUITE_APPLICATIONS

pytestmark = pytest.mark.desktop

TRANSOM = Path(sys.executable).with_name("transom")


def demo(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = (str(TRANSOM), "demo", "--desktop", "--seed", "5", "--artifacts", str(folder))
    return subprocess.run(
        command,
        env={**os.environ, "COLUMNS": "100", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.req("R-CLI-1")
def test_the_demo_uses_real_applications_without_a_screen_and_says_where_to_look(tmp_path: Path) -> None:
    require_programs((*DESKTOP_PROGRAMS, *SUITE_APPLICATIONS))
    done = demo(tmp_path, DISPLAY="")

    assert done.returncode == 0, done.stderr
    assert done.stdout.count("│ solved │") == 4
    page = re.search(r"file://\S+/index.html", done.stdout)
    assert page is not None
    assert Path(urlsplit(page[0]).path).is_file()


@pytest.mark.req("R-CLI-4")
def test_the_demo_names_what_is_missing_and_how_to_get_it(tmp_path: Path) -> None:
    done = demo(tmp_path, PATH=str(tmp_path))

    assert done.returncode == 3
    assert "transom doctor --fix" in done.stderr
    assert "apt-get install" in done.stderr
    assert "Traceback" not in done.stderr
