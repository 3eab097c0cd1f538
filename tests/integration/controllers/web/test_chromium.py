from __future__ import annotations

from pathlib import Path

import pytest

from harness.controllers.web import find_chromium
from harness.errors import ControllerError


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    path.chmod(0o755)
    return path


def test_the_named_browser_comes_first(tmp_path: Path) -> None:
    named = program(tmp_path / "mine")
    program(tmp_path / "bin" / "chromium")
    environ = {"TRANSOM_BROWSER": str(named), "PATH": str(tmp_path / "bin")}
    assert find_chromium(environ) == named


def test_a_named_browser_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ControllerError, match=r"TRANSOM_BROWSER names '.*nowhere'"):
        find_chromium({"TRANSOM_BROWSER": str(tmp_path / "nowhere")})


def test_an_installed_browser_comes_before_a_download(tmp_path: Path) -> None:
    download = program(tmp_path / "cache" / "chromium-1200" / "chrome-linux" / "chrome")
    environ = {"PATH": str(tmp_path / "bin"), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "cache")}
    assert find_chromium(environ) == download
    installed = program(tmp_path / "bin" / "google-chrome")
    assert find_chromium(environ) == installed


def test_the_newest_download_wins(tmp_path: Path) -> None:
    program(tmp_path / "chromium-999" / "chrome-linux" / "chrome")
    newest = program(tmp_path / "chromium-1200" / "chrome-linux64" / "chrome")
    assert find_chromium({"PATH": "", "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}) == newest


def test_no_browser_is_none(tmp_path: Path) -> None:
    assert find_chromium({"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}) is None


def test_without_a_window_the_headless_shell_comes_first(tmp_path: Path) -> None:
    shell, full = (tmp_path / name for name in ("chromium-headless-shell", "chromium"))
    for program in (shell, full):
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    environ = {"PATH": str(tmp_path)}
    assert find_chromium(environ) == shell
    assert find_chromium(environ, is_headed=True) == full
