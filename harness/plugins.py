"""Plug-ins by name, through entry points; and the guard of our own four package names.

`harness`, `observers`, `policies` and `evals` are flat names that other distributions use too, and installers
overwrite silently. Before one of our own plug-ins is loaded its package is compared with what was installed.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from harness.errors import PackageClash, PluginError
from harness.protocols import CONTROLLER_PROTOCOL, OBSERVER_PROTOCOL, POLICY_PROTOCOL, SUITE_PROTOCOL

DISTRIBUTION: Final = "transom"
PACKAGES: Final = ("harness", "observers", "policies", "evals")
GROUPS: Final = (
    "transom.policies",
    "transom.observers",
    "transom.controllers",
    "transom.suites",
    "transom.summarizers",
    "transom.commands",
)
_PROTOCOLS: Final = {
    "transom.policies": POLICY_PROTOCOL,
    "transom.observers": OBSERVER_PROTOCOL,
    "transom.controllers": CONTROLLER_PROTOCOL,
    "transom.suites": SUITE_PROTOCOL,
}
_EXTRAS: Final = {
    "playwright": "web",
    "pyautogui": "pyautogui",
    "mss": "desktop",
    "Xlib": "desktop",
    "jeepney": "desktop",
    "httpx2": "remote",
    "starlette": "remote",
    "uvicorn": "remote",
    "openai": "openai",
    "anthropic": "anthropic",
    "miniwob": "evals",
    "gymnasium": "evals",
    "ray": "ray",
    "opentelemetry": "otel",
}
_REINSTALL: Final = f"pip install --force-reinstall --no-deps {DISTRIBUTION}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageReport:
    """Whether one of our packages is the one that was installed.

    Attributes:
        name: `harness`, `observers`, `policies` or `evals`.
        location: The file that Python imports it from; empty when it can't be found.
        problem: What is wrong and what to do; empty when all is well.
        culprit: The distribution that put another file there, or None when no distribution lists it.
    """

    name: str
    location: str
    problem: str = ""
    culprit: str | None = None

    @property
    def is_ok(self) -> bool:
        """Whether the package is ours."""
        return not self.problem


def names(group: str) -> tuple[str, ...]:
    """Return the plug-in names of a group, sorted; `policies` is short for `transom.policies`."""
    return tuple(sorted({point.name for point in _points(_full_group(group))}))


def load(group: str, name: str) -> object:
    """Return the object that an entry point names; `policies` is short for `transom.policies`.

    Raises:
        PluginError: no plug-in has that name, two have it, it is broken, needs an extra, or speaks another protocol.
        PackageClash: another distribution overwrote or hides the package it comes from.
    """
    group = _full_group(group)
    point = _find_point(group, name)
    package = point.module.partition(".")[0]
    if _owner(point) == DISTRIBUTION and package in PACKAGES:
        _refuse_clash(package)
    loaded = _load_point(point)
    check_protocol(group, name, loaded)
    return loaded


def check_protocol(group: str, name: str, plugin: object) -> None:
    """Refuse a plug-in that says it speaks another protocol version; one that says nothing passes.

    Factories carry no version: call this again with what they return.

    Raises:
        PluginError: `plugin.PROTOCOL` is there and differs.
    """
    wanted = _PROTOCOLS.get(_full_group(group))
    spoken = getattr(plugin, "PROTOCOL", wanted)
    if wanted is not None and spoken != wanted:
        raise PluginError(
            f"{_kind(group)} {name!r} speaks protocol {spoken!r}, this {DISTRIBUTION} speaks {wanted}; "
            f"install a version of the plug-in made for it, or another {DISTRIBUTION}"
        )


def check_packages() -> tuple[PackageReport, ...]:
    """Return one report for each of our four packages, in the order of `PACKAGES`."""
    return tuple(_inspect_package(package) for package in PACKAGES)


def extra_for(module: str) -> str | None:
    """Return the extra of ours that brings a module, or None."""
    return _EXTRAS.get(module.partition(".")[0])


def _full_group(group: str) -> str:
    full = group if group.startswith("transom.") else f"transom.{group}"
    if full not in GROUPS:
        raise PluginError(f"unknown plug-in group {group!r}; the groups are {', '.join(GROUPS)}")
    return full


def _kind(group: str) -> str:
    plural = _full_group(group).removeprefix("transom.")
    return "policy" if plural == "policies" else plural.removesuffix("s")


@cache
def _points(group: str) -> tuple[metadata.EntryPoint, ...]:
    """Return the entry points of a group; looking through every installed distribution costs some 20 ms."""
    return tuple(metadata.entry_points(group=group))


def _find_point(group: str, name: str) -> metadata.EntryPoint:
    points = {point.value: point for point in _points(group) if point.name == name}
    if not points:
        raise PluginError(_unknown_text(group, name))
    if len(points) > 1:
        owners = sorted(_owner(point) for point in points.values())
        raise PluginError(
            f"{_kind(group)} {name!r} is offered by {len(points)} distributions ({', '.join(owners)}); "
            "uninstall all but one"
        )
    return next(iter(points.values()))


def _unknown_text(group: str, name: str) -> str:
    available = names(group)
    near = get_close_matches(name, available, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    listing = ", ".join(available) if available else f"none: is {DISTRIBUTION} installed in this environment?"
    return f"unknown {_kind(group)} {name!r}{hint}; available: {listing}"


def _owner(point: metadata.EntryPoint) -> str:
    return "" if point.dist is None else point.dist.name


def _load_point(point: metadata.EntryPoint) -> object:
    try:
        loaded: object = point.load()
    except ImportError as exc:
        raise PluginError(_import_text(point, exc)) from exc
    except Exception as exc:  # the named boundary of one plug-in load: a plug-in may fail in any way
        raise PluginError(
            f"plug-in {point.name!r} ({point.value}) of {_owner(point)!r} is broken: {type(exc).__name__}: {exc}; "
            "tell its authors"
        ) from exc
    return loaded


def _import_text(point: metadata.EntryPoint, exc: ImportError) -> str:
    missing = (exc.name or "").partition(".")[0]
    extra = extra_for(missing)
    if extra is not None:
        return f"{point.name!r} needs the module {missing!r}; run: pip install '{DISTRIBUTION}[{extra}]'"
    if missing in PACKAGES:
        return f"{point.name!r} needs {exc.name!r}, which is missing or damaged ({exc}); run: {_REINSTALL}"
    return (
        f"{point.name!r} ({point.value}) can't be imported: {exc}; "
        f"install what it needs, or tell the authors of {_owner(point)!r}"
    )


def _refuse_clash(package: str) -> None:
    report = _inspect_package(package)
    if not report.is_ok:
        raise PackageClash(report.problem)


@cache
def _inspect_package(package: str) -> PackageReport:
    """Compare where Python finds a package, and its bytes, with what was installed (under a millisecond)."""
    expected = Path(__file__).resolve().parent.parent / package / "__init__.py"
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        problem = f"package {package!r} has no __init__.py at {expected.parent}; run: {_REINSTALL}"
        return PackageReport(name=package, location="", problem=problem)
    found = Path(spec.origin).resolve()
    if found == expected and _is_as_installed(package, found):
        return PackageReport(name=package, location=str(found))
    culprit = next(_owners_of(package, found), None)
    return PackageReport(
        name=package, location=str(found), culprit=culprit, problem=_clash_text(package, found, expected, culprit)
    )


def _clash_text(package: str, found: Path, expected: Path, culprit: str | None) -> str:
    what = "was overwritten" if found == expected else f"is hidden: ours is {expected}, Python imports {found}"
    if culprit is not None:
        return (
            f"package {package!r} of {DISTRIBUTION} {what} by the distribution {culprit!r}; use an environment of its "
            f"own for {DISTRIBUTION}, or run: pip uninstall {culprit} && {_REINSTALL}"
        )
    if found == expected:
        return (
            f"package {package!r}: {found} was changed after the installation, by no known distribution; {_REINSTALL}"
        )
    return f"package {package!r} of {DISTRIBUTION} {what}; remove that folder from PYTHONPATH or rename it"


def _is_as_installed(package: str, file: Path) -> bool:
    """Compare `file` with the recorded hash; an editable install records none, there its place is enough."""
    try:
        own = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return True  # run from a source tree: nothing was installed that could have been overwritten
    recorded = _recorded_hash(own, f"{package}/__init__.py")
    if recorded is None or _place(own, f"{package}/__init__.py") != file:
        return True
    digest = hashlib.sha256(file.read_bytes()).digest()
    return recorded == "sha256=" + base64.urlsafe_b64encode(digest).decode().rstrip("=")


def _recorded_hash(own: metadata.Distribution, name: str) -> str | None:
    for line in (own.read_text("RECORD") or "").splitlines():
        if line.startswith(f"{name},"):
            return line.split(",")[1] or None
    return None


def _owners_of(package: str, file: Path) -> Iterator[str]:
    """Yield the other distributions that put `file` there."""
    name = f"{package}/__init__.py"
    for other in metadata.distributions():
        if other.name != DISTRIBUTION and _has_file(other, name, file):
            yield other.name


def _has_file(other: metadata.Distribution, name: str, file: Path) -> bool:
    root = _editable_root(other)
    if root is not None:
        return file.is_relative_to(root)
    return _place(other, name) == file and any(str(item) == name for item in other.files or ())


def _place(owner: metadata.Distribution, name: str) -> Path:
    return Path(str(owner.locate_file(name))).resolve()


def _editable_root(other: metadata.Distribution) -> Path | None:
    body = json.loads(other.read_text("direct_url.json") or "{}")
    if not body.get("dir_info", {}).get("editable"):
        return None
    return Path(unquote(urlsplit(body.get("url", "")).path)).resolve()
