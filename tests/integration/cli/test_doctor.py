from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from harness.cli import doctor_checks as checks
from harness.cli import doctor_desktop as desktop
from harness.cli.doctor import DOCTOR_SCHEMA, doctor_command, is_fit, report
from harness.cli.doctor_checks import Check
from harness.cli.doctor_fix import browser_commands, fix_browser, fix_programs, run_command
from harness.controllers.desktop.programs import DESKTOP_PROGRAMS, SUITE_APPLICATIONS, XVFB, Program, packages
from harness.errors import ControllerError, PackageClash, PluginError
from harness.plugins import PackageReport


def _app() -> typer.Typer:
    app = typer.Typer()
    app.command()(doctor_command)
    return app


def _browser(folder: Path, body: str = "echo Chromium 1.2.3") -> Path:
    program = folder / "chromium"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(("found", "status"), [((3, 11, 0), "ok"), ((3, 14, 2), "ok"), ((3, 10, 9), "fail")])
def test_python(found: tuple[int, ...], status: str) -> None:
    check = checks.check_python(found)
    assert check.status == status
    assert bool(check.advice) == (status == "fail")


def test_packages_name_each_clash() -> None:
    good = PackageReport(name="harness", location="a/__init__.py")
    bad = PackageReport(name="evals", location="b/__init__.py", problem="overwritten by 'evals'", culprit="evals")
    (failed,) = checks.check_packages([good, bad])
    assert (failed.status, failed.advice) == ("fail", "overwritten by 'evals'")
    (fine,) = checks.check_packages([good])
    assert (fine.status, fine.seen) == ("ok", "harness")


def test_a_browser_that_starts_is_named(tmp_path: Path) -> None:
    program = _browser(tmp_path)
    check = checks.check_browser(lambda: program)
    assert (check.status, check.seen) == ("ok", f"Chromium 1.2.3 at {program}")


def test_a_browser_that_lacks_a_library_says_which(tmp_path: Path) -> None:
    program = _browser(tmp_path, "echo noise >&2; echo 'libnss3.so: cannot open' >&2; exit 127")
    check = checks.check_browser(lambda: program)
    assert check.status == "fail"
    assert "does not start: libnss3.so: cannot open" in check.seen
    assert "--fix" in check.advice


def test_no_browser_and_a_wrong_variable_and_a_missing_extra() -> None:
    def wrong() -> Path | None:
        raise ControllerError("TRANSOM_BROWSER names 'x', which is no program")

    def missing() -> Path | None:
        raise ModuleNotFoundError("No module named 'playwright'", name="playwright")

    assert "--fix" in checks.check_browser(lambda: None).advice
    assert "TRANSOM_BROWSER names 'x'" in checks.check_browser(wrong).seen
    assert "pip install 'transom[web]'" in checks.check_browser(missing).advice
    assert [checks.check_browser(find).status for find in (lambda: None, wrong, missing)] == ["fail"] * 3


@pytest.mark.req("R-ACT-1")
@pytest.mark.parametrize(
    ("environ", "platform", "status", "text"),
    [
        ({"DISPLAY": "elsewhere:1"}, "linux", "ok", "elsewhere:1"),
        ({"DISPLAY": "elsewhere:1", "XDG_SESSION_TYPE": "wayland"}, "linux", "warn", "X11 session"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", "warn", "X11 session"),
        ({}, "linux", "warn", "--desktop virtual"),
        ({}, "darwin", "warn", "Accessibility"),
        ({}, "win32", "ok", "win32"),
    ],
)
def test_display(environ: dict[str, str], platform: str, status: str, text: str) -> None:
    check = desktop.check_screen(environ, platform)
    assert check.status == status
    assert text in check.seen + check.advice


@pytest.mark.req("R-ACT-1")
def test_what_desktop_agents_lack_is_never_a_failure(tmp_path: Path) -> None:
    none_here = {"PATH": str(tmp_path)}
    programs = desktop.check_programs("virtual desktop", DESKTOP_PROGRAMS, none_here)
    assert programs.status == "warn"
    assert "Xvfb" in programs.seen
    assert "apt-get install --no-install-recommends xvfb openbox" in programs.advice
    driver = desktop.check_driver("python-xlib is 0.15; run `pip …`")
    assert (driver.status, driver.advice) == ("warn", "python-xlib is 0.15; run `pip …`")
    assert desktop.check_driver(None).status == "ok"
    packages = desktop.check_desktop_packages(["mss"])
    assert (packages.status, packages.seen) == ("ok", "not installed: mss")
    assert "transom[desktop]" in packages.advice


def test_programs_that_are_here_are_named(tmp_path: Path) -> None:
    (tmp_path / "Xvfb").write_text("#!/bin/sh\n")
    (tmp_path / "Xvfb").chmod(0o755)
    check = desktop.check_programs("virtual desktop", [XVFB], {"PATH": str(tmp_path)})
    assert (check.status, check.seen) == ("ok", "Xvfb")


def test_without_the_extra_nothing_else_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [check.name for check in desktop.desktop_checks({}, "plan9")]
    assert names == ["display", "desktop"]
    assert desktop.wanted_groups("plan9") == {}


def test_plugins_that_do_not_load_are_named() -> None:
    def load(group: str, name: str) -> object:
        if name == "clash":
            raise PackageClash("overwritten by 'evals'")
        if name in {"bad", "web"}:
            raise PluginError(f"{group} {name} needs pip install 'transom[web]'")
        return object()

    found = list(
        checks.check_plugins(
            ["transom.controllers", "transom.suites"],
            names=lambda group: ["web" if group == "transom.controllers" else "bad", "clash", "good"],
            load=load,
        )
    )
    assert [(check.status, check.seen) for check in found] == [
        ("fail", "controllers: web"),
        ("fail", "controllers: clash"),
        ("warn", "suites: bad"),
        ("fail", "suites: clash"),
        ("ok", "2 load"),
    ]
    assert "transom[web]" in found[0].advice


def test_plugins_of_an_extra_that_was_not_wanted_are_no_problem() -> None:
    def load(group: str, name: str) -> object:
        if name in {"remote", "web"}:
            module = "httpx2" if name == "remote" else "playwright"
            raise PluginError(f"{name} needs {module}") from ModuleNotFoundError("none", name=module)
        return object()

    found = list(check_all(load))
    assert [(check.status, check.seen) for check in found] == [
        ("fail", "controllers: web"),
        ("ok", "1 load; others wait for the extras remote"),
    ]


def check_all(load: Callable[[str, str], object]) -> Iterator[Check]:
    return checks.check_plugins(["transom.controllers"], names=lambda _: ["remote", "web", "good"], load=load)


def test_no_plugin_at_all_is_a_failure() -> None:
    (check,) = checks.check_plugins(["transom.suites"], names=lambda _: [], load=lambda _group, _name: None)
    assert check.status == "fail"


def test_artifacts_are_written_where_they_will_land(tmp_path: Path) -> None:
    check = checks.check_artifacts(tmp_path / "new" / "deeper")
    assert (check.status, check.seen) == ("ok", f"{tmp_path / 'new' / 'deeper'} (will be made)")
    assert checks.check_artifacts(tmp_path).seen == str(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_artifacts_that_are_a_file_fail(tmp_path: Path) -> None:
    blocked = tmp_path / "artifacts"
    blocked.write_text("")
    check = checks.check_artifacts(blocked)
    assert check.status == "fail"
    assert "--artifacts" in check.advice


@pytest.mark.parametrize(("free_bytes", "status"), [(2 * 10**9, "ok"), (5 * 10**8, "warn"), (10**7, "fail")])
def test_disk(free_bytes: int, status: str, tmp_path: Path) -> None:
    assert checks.check_disk(tmp_path, free_bytes).status == status


def test_only_failures_make_the_machine_unfit() -> None:
    fine = [Check(name="a", status="ok", seen=""), Check(name="b", status="warn", seen="", advice="x")]
    assert is_fit(fine)
    assert report(fine)["ok"] is True
    assert not is_fit([*fine, Check(name="c", status="fail", seen="")])


class Machine:
    """A machine on which the n-th command brings a browser."""

    def __init__(self, *, works_after: int, failing: frozenset[str] = frozenset()) -> None:
        self.works_after = works_after
        self.failing = failing
        self.ran: list[str] = []
        self.said: list[str] = []

    def run(self, command: Sequence[str]) -> bool:
        self.ran.append(command[0])
        return command[0] not in self.failing

    def fix(self) -> bool:
        return fix_browser(
            is_working=lambda: len(self.ran) >= self.works_after,
            run=self.run,
            say=self.said.append,
            commands=[("download",), ("apt",), ("update",)],
        )


def test_fix_keeps_a_browser_that_works() -> None:
    machine = Machine(works_after=0)
    assert machine.fix()
    assert (machine.ran, machine.said) == ([], [])


def test_fix_goes_on_until_a_browser_works_and_says_what_it_does() -> None:
    machine = Machine(works_after=2, failing=frozenset({"download"}))
    assert machine.fix()
    assert machine.ran == ["download", "apt"]
    assert machine.said == ["running: download", "that failed; trying the next way", "running: apt"]


def test_fix_says_when_nothing_helped() -> None:
    machine = Machine(works_after=9)
    assert not machine.fix()
    assert machine.ran == ["download", "apt", "update"]
    assert "TRANSOM_BROWSER" in machine.said[-1]


class DebianMachine:
    """A machine on which an installation brings every program, unless it has to be told of packages first."""

    def __init__(self, *, absent: Sequence[Program], knows_packages: bool = True, works: bool = True) -> None:
        self.absent = absent
        self.knows_packages = knows_packages
        self.works = works
        self.ran: list[Sequence[str]] = []
        self.said: list[str] = []

    def run(self, command: Sequence[str]) -> bool:
        self.ran.append(command)
        if command[1] == "update":
            self.knows_packages = True
            return True
        if self.works and self.knows_packages:
            self.absent = ()
        return self.works and self.knows_packages

    def fix(self, *, can_install: bool = True) -> bool:
        return fix_programs(
            find_missing=lambda: self.absent, run=self.run, say=self.said.append, can_install=can_install
        )


def test_fix_installs_the_programs_that_are_missing() -> None:
    machine = DebianMachine(absent=[*DESKTOP_PROGRAMS, *SUITE_APPLICATIONS])
    assert machine.fix()
    (command,) = machine.ran
    assert command[:4] == ("apt-get", "install", "-y", "--no-install-recommends")
    assert set(command[4:]) >= {"xvfb", "openbox", "dbus", "at-spi2-core", "mousepad", "zenity"}
    assert "about a minute" in machine.said[0]
    assert machine.fix()
    assert len(machine.ran) == 1


def test_fix_asks_for_the_list_of_packages_when_it_has_to() -> None:
    machine = DebianMachine(absent=[XVFB], knows_packages=False)
    assert machine.fix()
    assert [command[1] for command in machine.ran] == ["install", "update", "install"]


@pytest.mark.parametrize("can_install", [True, False])
def test_fix_says_the_command_when_it_can_not_install(can_install: bool) -> None:
    machine = DebianMachine(absent=[XVFB], works=False)
    assert not machine.fix(can_install=can_install)
    assert machine.said[-1].startswith("desktop agents lack Xvfb; run: ")
    assert machine.said[-1].endswith("apt-get install --no-install-recommends xvfb")
    assert bool(machine.ran) == can_install


def test_each_package_is_named_once() -> None:
    assert packages([XVFB, XVFB]) == ("xvfb",)


def test_the_first_way_is_the_download_of_playwright() -> None:
    assert browser_commands()[0][1:] == ("-m", "playwright", "install", "chromium")


def test_a_command_that_fails_or_is_missing_is_a_failure(tmp_path: Path) -> None:
    assert run_command(["true"])
    assert not run_command(["false"])
    assert not run_command([str(tmp_path / "missing")])


@pytest.mark.req("R-CLI-1")
def test_json_holds_every_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRANSOM_BROWSER", str(_browser(tmp_path)))
    result = CliRunner().invoke(_app(), ["--json", "--artifacts", str(tmp_path)])
    body = json.loads(result.stdout)
    assert body["schema"] == DOCTOR_SCHEMA == "transom/doctor/1"
    assert {"Python", "packages", "Playwright", "browser", "display", "artifacts", "disk"} <= {
        check["name"] for check in body["checks"]
    }
    assert (result.exit_code == 0) == body["ok"]


@pytest.mark.req("R-CLI-4")
def test_a_browser_that_is_missing_ends_with_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRANSOM_BROWSER", str(tmp_path / "none"))
    result = CliRunner().invoke(_app(), ["--quiet", "--artifacts", str(tmp_path)])
    assert result.exit_code == 3
    assert "TRANSOM_BROWSER names" in result.stdout
    assert "Python" not in result.stdout
    assert "to mend before a web run can work" in result.stdout
