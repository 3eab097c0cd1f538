"""What `transom doctor` looks at: one function a check, each with what it saw and what to do."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, Literal

from harness import plugins
from harness.errors import HarnessError, PackageClash, PluginError
from harness.plugins import PackageReport

CheckStatus = Literal["ok", "warn", "fail"]
FindBrowser = Callable[[], Path | None]
OLDEST_PYTHON: Final = (3, 11)
LOW_SPACE_BYTES: Final = 1_000_000_000
NO_SPACE_BYTES: Final = 100_000_000
_VERSION_S: Final = 20.0
_NEEDED_PLUGINS: Final = frozenset(
    {
        ("transom.controllers", "web"),
        ("transom.observers", "web_marks"),
        ("transom.observers", "web_settle"),
        ("transom.observers", "overlays"),
    }
)
_WEB_EXTRA: Final = "pip install 'transom[web]'"
_FIX: Final = "run: transom doctor --fix"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line of the report.

    Attributes:
        name: What was looked at.
        status: `fail` only for what a web run needs; `warn` for everything else that is amiss.
        seen: What was found.
        advice: What to do; when it is ok, what else could be had, or empty.
    """

    name: str
    status: CheckStatus
    seen: str
    advice: str = ""


def machine_checks(artifacts: Path) -> Iterator[Check]:
    """Yield what every run needs and what web runs need, in order; `artifacts` is where session directories go."""
    yield check_python(sys.version_info[:3])
    yield from check_packages(plugins.check_packages())
    yield check_playwright(installed_version("playwright"))
    yield check_browser(find_browser)
    yield from check_plugins(plugins.GROUPS, names=plugins.names, load=plugins.load)
    yield check_artifacts(artifacts)
    yield check_disk(artifacts, shutil.disk_usage(existing_parent(artifacts)).free)


def check_python(found: Sequence[int]) -> Check:
    """Say whether this Python is new enough."""
    seen = ".".join(str(number) for number in found)
    if tuple(found[:2]) >= OLDEST_PYTHON:
        return Check(name="Python", status="ok", seen=seen)
    wanted = ".".join(str(number) for number in OLDEST_PYTHON)
    return Check(name="Python", status="fail", seen=seen, advice=f"install Python {wanted} or newer")


def check_packages(reports: Sequence[PackageReport]) -> Iterator[Check]:
    """Say whether our packages are ours: one line when they are, else one for each that isn't."""
    bad = [report for report in reports if not report.is_ok]
    for report in bad:
        seen = f"{report.name} at {report.location or 'no place'}"
        yield Check(name="packages", status="fail", seen=seen, advice=report.problem)
    if not bad:
        yield Check(name="packages", status="ok", seen=", ".join(report.name for report in reports))


def check_playwright(found: str | None) -> Check:
    """Say whether Playwright is installed."""
    if found is None:
        return Check(name="Playwright", status="fail", seen="not installed", advice=f"run: {_WEB_EXTRA}")
    return Check(name="Playwright", status="ok", seen=found)


def check_browser(find: FindBrowser) -> Check:
    """Say whether there is a browser that starts."""
    try:
        program = find()
    except ImportError as exc:
        advice = f"run: {_WEB_EXTRA}" if plugins.extra_for(exc.name or "") else "reinstall transom"
        return Check(name="browser", status="fail", seen=f"can't be looked for: {exc}", advice=advice)
    except HarnessError as exc:
        return Check(name="browser", status="fail", seen=str(exc), advice="correct TRANSOM_BROWSER or unset it")
    if program is None:
        return Check(name="browser", status="fail", seen="no Chromium found", advice=f"{_FIX}, or set TRANSOM_BROWSER")
    return _browser_that_starts(program)


def check_plugins(
    groups: Sequence[str],
    *,
    names: Callable[[str], Sequence[str]],
    load: Callable[[str, str], object],
) -> Iterator[Check]:
    """Say which plug-ins load: a line for each that is broken, then one for all that load or wait for an extra."""
    loaded = 0
    waiting: dict[str, None] = {}
    for group in groups:
        for name in names(group):
            try:
                load(group, name)
            except PluginError as exc:
                is_needed = (group, name) in _NEEDED_PLUGINS or isinstance(exc, PackageClash)
                extra = _extra_that_lacks(exc)
                if extra is not None and not is_needed:
                    waiting[extra] = None
                    continue
                status: CheckStatus = "fail" if is_needed else "warn"
                yield Check(name="plug-in", status=status, seen=f"{group.partition('.')[2]}: {name}", advice=str(exc))
            else:
                loaded += 1
    if not loaded:
        advice = "install transom in this environment: pip install transom"
        yield Check(name="plug-ins", status="fail", seen="none loads", advice=advice)
        return
    seen = f"{loaded} load" + (f"; others wait for the extras {', '.join(waiting)}" if waiting else "")
    yield Check(name="plug-ins", status="ok", seen=seen)


def check_artifacts(folder: Path) -> Check:
    """Say whether session directories can be written; leaves nothing behind."""
    place = existing_parent(folder)
    seen = str(folder) if place == folder else f"{folder} (will be made)"
    try:
        with tempfile.TemporaryFile(dir=place):
            return Check(name="artifacts", status="ok", seen=seen)
    except OSError as exc:
        advice = "make it writable, or name another folder with --artifacts"
        return Check(name="artifacts", status="fail", seen=f"{folder}: {exc.strerror}", advice=advice)


def check_disk(folder: Path, free_bytes: int) -> Check:
    """Say whether there is room for sessions; one with screenshots takes some megabytes."""
    seen = f"{free_bytes / 1e9:.1f} GB free"
    if free_bytes >= LOW_SPACE_BYTES:
        return Check(name="disk", status="ok", seen=seen)
    status: CheckStatus = "warn" if free_bytes >= NO_SPACE_BYTES else "fail"
    return Check(name="disk", status=status, seen=seen, advice=f"free space on the disk of {folder}")


def find_browser() -> Path | None:
    """Return the browser that web runs would start, or None.

    Raises:
        ImportError: the extra `web` is missing.
        ControllerError: TRANSOM_BROWSER names nothing that can be run.
    """
    web = import_module("harness.controllers.web")
    found: Path | None = web.find_chromium()
    return found


def installed_version(distribution: str) -> str | None:
    """Return the version of an installed distribution, or None."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def existing_parent(folder: Path) -> Path:
    """Return `folder`, or the nearest folder above it that exists."""
    absolute = folder.absolute()
    if absolute.exists():
        return folder
    return next(parent for parent in absolute.parents if parent.exists())


def _browser_that_starts(program: Path) -> Check:
    if sys.platform == "win32":  # there `--version` opens a window
        return Check(name="browser", status="ok", seen=str(program))
    try:
        answer = subprocess.run(  # noqa: S603  # the program is the one that web runs start anyway
            [str(program), "--version"], capture_output=True, text=True, timeout=_VERSION_S, check=True
        )
    except (OSError, subprocess.SubprocessError) as exc:
        return Check(name="browser", status="fail", seen=f"{program} does not start: {_reason(exc)}", advice=_FIX)
    return Check(name="browser", status="ok", seen=f"{answer.stdout.strip()} at {program}")


def _extra_that_lacks(exc: PluginError) -> str | None:
    """Return the extra that brings the module that a plug-in misses, or None where that is not the cause."""
    cause = exc.__cause__
    return plugins.extra_for(cause.name or "") if isinstance(cause, ModuleNotFoundError) else None


def _reason(exc: OSError | subprocess.SubprocessError) -> str:
    """Return the last line that the program wrote, for example the library it misses."""
    if isinstance(exc, subprocess.CalledProcessError):
        lines = str(exc.stderr or "").strip().splitlines()
        return lines[-1] if lines else f"exit code {exc.returncode}"
    return str(exc)
