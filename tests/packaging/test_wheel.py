"""The wheel, built from this checkout and installed elsewhere, is whole."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = "<title>One button</title><button onclick=\"document.title = 'pressed'\">OK</button>"
SCRIPT = "- click: {mark: {role: button, name: OK}}\n- finish: {success: true, answer: pressed}\n"
CORE_MODULES = """
import harness.api, harness.cli.main, harness.context, harness.window, harness.memory.store, harness.store.export
import harness.controllers.desktop, harness.controllers.desktop.virtual, harness.controllers.desktop.preflight
import evals.cli, observers.overlays, policies.heuristic, policies.scripted, policies.replay
import sys
extras = {"playwright", "miniwob", "gymnasium", "openai", "anthropic", "pyautogui", "mss", "ray"}
extras |= {"Xlib", "jeepney", "starlette", "uvicorn", "httpx2"}
print(sorted(extras & set(sys.modules)))
"""


def call(*command: str | Path, cwd: Path, expected: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == expected, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel once."""
    out = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    return next(out.glob("*.whl"))


def test_the_wheel_holds_the_four_packages_and_their_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"harness", "observers", "policies", "evals"}
    data = {
        "harness/config/agents.yaml",
        "harness/controllers/desktop/openbox.xml",
        "harness/store/page.html.j2",
        "observers/web_marks/page/collect.js",
    }
    assert data <= set(names)
    assert not [name for name in names if "test" in name.partition("/")[0]]


@pytest.mark.browser
@pytest.mark.req("R-CLI-4")
def test_an_installed_wheel_checks_the_machine_and_runs_a_script(
    wheel: Path, tmp_path: Path, serve: Callable[[dict[str, str]], str]
) -> None:
    home = tmp_path / "env"
    venv.create(home, with_pip=True)
    scripts = home / ("Scripts" if sys.platform == "win32" else "bin")
    pip = (scripts / "python", "-m", "pip", "install", "--quiet", "--constraint", ROOT / "requirements.lock")
    call(*pip, wheel, cwd=tmp_path)
    assert call(scripts / "python", "-c", CORE_MODULES, cwd=tmp_path).stdout.strip() == "[]"
    bare = call(scripts / "transom", "doctor", cwd=tmp_path, expected=3)
    assert "transom[web]" in bare.stdout + bare.stderr
    call(*pip, f"{wheel}[web]", cwd=tmp_path)
    report = json.loads(call(scripts / "transom", "doctor", "--json", cwd=tmp_path).stdout)
    assert report["schema"] == "transom/doctor/1"
    seen = {check["name"]: check["seen"] for check in report["checks"]}
    assert "wait for the extras" in seen["plug-ins"]
    assert "python-xlib" in seen["desktop"]
    (tmp_path / "s.yaml").write_text(SCRIPT)
    run = ("run", "web-scripted", "Press OK.", "--url", serve({"/": PAGE}), "--script", "s.yaml", "--json")
    result = json.loads(call(scripts / "transom", *run, cwd=tmp_path).stdout.splitlines()[-1])
    assert (result["success"], result["answer"]) == (True, "pressed")
    call(scripts / "transom", "export", "last", "--out", "page", cwd=tmp_path)
    assert "Press OK." in (tmp_path / "page" / "index.html").read_text()
