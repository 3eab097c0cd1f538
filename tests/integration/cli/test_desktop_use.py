"""`transom run` and `observe` on desktops: what is refused, and what is said where there is no display."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TRANSOM = Path(sys.executable).with_name("transom")
NO_DISPLAY = {"PATH": os.environ["PATH"], "XDG_SESSION_TYPE": "tty"}


def transom(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(TRANSOM), *arguments],
        cwd=cwd,
        env={**NO_DISPLAY, "HOME": str(cwd), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.req("R-CLI-1", "R-CLI-4")
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("run", "desktop", "x", "--url", "http://127.0.0.1:9/"), "--url is for a browser"),
        (("run", "demo", "x", "--desktop", "virtual", "--url", "http://127.0.0.1:9/"), "--url is for a browser"),
        (("run", "desktop", "x", "--headed"), "--headed is for a browser"),
        (("run", "demo", "x", "--desktop", "mine"), "'virtual'"),
        (("run", "desktop-scripted", "x"), "--script"),
        (("run", "desktop-remote", "x"), "TRANSOM_DEVICE_TOKEN"),
        (("run", "desktop-remote", "x", "--set", "controller.address=null"), "transom device serve"),
        (("observe", "--out", "look"), "give a URL, or --desktop"),
        (("observe", "http://127.0.0.1:9/", "--desktop", "--out", "look"), "a desktop opens no URL"),
        (("observe", "--desktop", "--monitor", "-1", "--out", "look"), "--monitor"),
    ],
)
def test_wrong_use_of_a_desktop_exits_with_2_and_says_what_to_do(
    arguments: tuple[str, ...], text: str, tmp_path: Path
) -> None:
    done = transom(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert text in flat(done.stderr)
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == [], "nothing was begun"


@pytest.mark.req("R-ACT-1", "R-CLI-4")
def test_without_a_display_a_run_says_what_to_do_and_is_listed_as_infrastructure(tmp_path: Path) -> None:
    done = transom("run", "demo", "Press OK.", "--desktop", "real", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    said = flat(done.stderr)
    assert said.index("takes over the pointer and keyboard") < said.index("error:"), "it is said before it starts"
    assert "there is no display" in said
    assert "--desktop virtual" in said
    listed = json.loads(transom("sessions", "--json", cwd=tmp_path).stdout)
    assert [row["status"] for row in listed["sessions"]] == ["infrastructure"]
    quiet = transom("run", "demo", "Press OK.", "--desktop", "real", "--quiet", cwd=tmp_path)
    assert "takes over" not in quiet.stderr


@pytest.mark.req("R-ACT-1", "R-CLI-4")
def test_without_a_display_there_is_nothing_to_observe(tmp_path: Path) -> None:
    done = transom("observe", "--desktop", "--out", "look", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "--desktop virtual" in flat(done.stderr)
    assert not (tmp_path / "look").exists()
