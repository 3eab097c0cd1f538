"""The clash guard, in made-up site-packages folders and processes of their own."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import harness

SOURCE = Path(harness.__file__).parent
PACKAGES = ("harness", "observers", "policies", "evals")
ENTRY_POINTS = """\
[transom.suites]
tiny = evals.tiny:create
needy = evals.needy:create
lonely = evals.lonely:create
lost = evals.nowhere:create
crash = evals.crash:create
blank = evals.tiny:nothing
twice = evals.tiny:create
old = evals.tiny:OldSuite
"""
TINY = """\
def create():
    return "ours"

class OldSuite:
    PROTOCOL = 0
"""
MODULES = {
    "tiny": TINY,
    "needy": "import playwright\n",
    "lonely": "import quux_sdk\n",
    "crash": "raise RuntimeError('boom')\n",
}
PROGRAM = """\
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
from harness import plugins
from harness.errors import PluginError
reports = [[r.name, r.is_ok, r.culprit, r.problem] for r in plugins.check_packages()]
try:
    loaded = plugins.load("suites", sys.argv[2])
    answer = ["loaded", loaded() if callable(loaded) else repr(loaded)]
except PluginError as exc:
    answer = [type(exc).__name__, str(exc)]
print(json.dumps({"reports": reports, "answer": answer}))
"""


def _write_dist(site: Path, name: str, files: list[str], **texts: str) -> None:
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    for file, text in texts.items():
        (info / file.replace("_json", ".json").replace("_txt", ".txt")).write_text(text)
    lines = []
    for file in files:
        body = (site / file).read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(body).digest()).decode().rstrip("=")
        lines.append(f"{file},sha256={digest},{len(body)}")
    (info / "RECORD").write_text("\n".join(lines) + "\n")


def _write_packages(root: Path) -> None:
    keep = shutil.ignore_patterns("__pycache__")
    for part in ("protocols", "values"):
        shutil.copytree(SOURCE / part, root / "harness" / part, ignore=keep)
    for file in ("__init__.py", "plugins.py", "errors.py"):
        shutil.copy(SOURCE / file, root / "harness" / file)
    for package in PACKAGES[1:]:
        (root / package).mkdir()
        (root / package / "__init__.py").write_text(f'"""Our {package}."""\n')
    for name, text in MODULES.items():
        (root / "evals" / f"{name}.py").write_text(text)


def _install(site: Path) -> None:
    _write_packages(site)
    _write_dist(site, "transom", [f"{name}/__init__.py" for name in PACKAGES], entry_points_txt=ENTRY_POINTS)


def _install_editable(site: Path, root: Path) -> None:
    _write_packages(root)
    direct = json.dumps({"dir_info": {"editable": True}, "url": root.as_uri()})
    _write_dist(site, "transom", [], entry_points_txt=ENTRY_POINTS, direct_url_json=direct)


def _write_foreign(site: Path, distribution: str, package: str) -> None:
    (site / package).mkdir(parents=True, exist_ok=True)
    (site / package / "__init__.py").write_text("# a stranger's package\n")
    _write_dist(site, distribution, [f"{package}/__init__.py"])


def _run(path: list[Path], name: str = "tiny") -> dict[str, list]:
    command = [sys.executable, "-I", "-S", "-c", PROGRAM, json.dumps([str(item) for item in path]), name]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    return json.loads(done.stdout)


def test_our_own_packages_load(tmp_path: Path) -> None:
    _install(tmp_path)
    seen = _run([tmp_path])
    assert seen["answer"] == ["loaded", "ours"]
    assert [report[:2] for report in seen["reports"]] == [[name, True] for name in PACKAGES]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_foreign_distribution_that_overwrote_a_package_is_named(tmp_path: Path, package: str) -> None:
    _install(tmp_path)
    _write_foreign(tmp_path, f"big-{package}", package)
    seen = _run([tmp_path])
    assert [report[0] for report in seen["reports"] if not report[1]] == [package]
    report = next(report for report in seen["reports"] if report[0] == package)
    assert report[2] == f"big-{package}"
    assert f"pip uninstall big-{package}" in report[3]
    assert (seen["answer"][0] == "PackageClash") == (package == "evals")


def test_a_package_changed_by_nobody_known_is_a_clash(tmp_path: Path) -> None:
    _install(tmp_path)
    (tmp_path / "evals" / "__init__.py").write_text("# edited\n")
    kind, text = _run([tmp_path])["answer"]
    assert kind == "PackageClash"
    assert "changed after the installation" in text


def test_a_package_hidden_by_an_earlier_folder_is_a_clash(tmp_path: Path) -> None:
    _install(tmp_path / "site")
    (tmp_path / "work" / "evals").mkdir(parents=True)
    (tmp_path / "work" / "evals" / "__init__.py").write_text("# the user's own\n")
    kind, text = _run([tmp_path / "work", tmp_path / "site"])["answer"]
    assert kind == "PackageClash"
    assert "is hidden" in text
    assert "PYTHONPATH" in text


def test_a_package_without_init_is_a_clash(tmp_path: Path) -> None:
    _install(tmp_path)
    (tmp_path / "evals" / "__init__.py").unlink()
    kind, text = _run([tmp_path])["answer"]
    assert kind == "PackageClash"
    assert "no __init__.py" in text


def test_an_editable_install_is_ours_by_its_place(tmp_path: Path) -> None:
    _install_editable(tmp_path / "site", tmp_path / "checkout")
    assert _run([tmp_path / "site", tmp_path / "checkout"])["answer"] == ["loaded", "ours"]


def test_an_editable_install_hidden_by_a_distribution_names_it(tmp_path: Path) -> None:
    _install_editable(tmp_path / "site", tmp_path / "checkout")
    _write_foreign(tmp_path / "site", "evals", "evals")
    seen = _run([tmp_path / "site", tmp_path / "checkout"])
    assert seen["answer"][0] == "PackageClash"
    assert "by the distribution 'evals'" in seen["answer"][1]


def test_an_editable_install_of_a_stranger_is_named(tmp_path: Path) -> None:
    _install(tmp_path / "site")
    other = tmp_path / "other"
    (other / "evals").mkdir(parents=True)
    (other / "evals" / "__init__.py").write_text("# theirs\n")
    direct = json.dumps({"dir_info": {"editable": True}, "url": other.as_uri()})
    _write_dist(tmp_path / "site", "their-evals", [], direct_url_json=direct)
    assert "by the distribution 'their-evals'" in _run([other, tmp_path / "site"])["answer"][1]


def test_without_an_installation_the_message_says_so(tmp_path: Path) -> None:
    _write_packages(tmp_path)
    seen = _run([tmp_path])
    assert "is transom installed" in seen["answer"][1]
    assert all(report[1] for report in seen["reports"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("needy", "pip install 'transom[web]'"),
        ("lonely", "quux_sdk"),
        ("lost", "--force-reinstall"),
        ("crash", "RuntimeError: boom"),
        ("blank", "AttributeError"),
        ("old", "speaks protocol 0"),
        ("tinny", "did you mean 'tiny'?"),
    ],
)
def test_a_plugin_that_cannot_be_loaded_says_what_to_do(tmp_path: Path, name: str, text: str) -> None:
    _install(tmp_path)
    kind, message = _run([tmp_path], name)["answer"]
    assert kind == "PluginError"
    assert text in message


def test_a_name_offered_twice_is_refused(tmp_path: Path) -> None:
    _install(tmp_path)
    points = "[transom.suites]\ntwice = theirs:create\nextra = evals_extra:create\n"
    _write_dist(tmp_path, "their-suites", [], entry_points_txt=points)
    kind, message = _run([tmp_path], "twice")["answer"]
    assert kind == "PluginError"
    assert "their-suites, transom" in message


def test_a_plugin_of_another_distribution_loads(tmp_path: Path) -> None:
    _install(tmp_path)
    (tmp_path / "evals_extra.py").write_text("def create():\n    return 'theirs'\n")
    _write_dist(tmp_path, "their-suites", [], entry_points_txt="[transom.suites]\nextra = evals_extra:create\n")
    assert _run([tmp_path], "extra")["answer"] == ["loaded", "theirs"]
