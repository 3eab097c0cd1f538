"""The licence gate: fail when the environment holds a package that Transom must not install.

What Transom installs on Linux, without the extra `pyautogui`, holds nothing under the GPL or AGPL; tools of the
development environment are held to the same rule. The extra is an alternative that a user chooses; decision 0006 says
why it exists. Its GPL packages are named here and may come by no other way.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from typing import cast

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

FORBIDDEN = ("GPL", "General Public", "AGPL", "SSPL", "Business Source", "Commons Clause")
ALLOWED_ALTHOUGH = ("LGPL", "Lesser General Public")
# Packages that offer a choice of licences; the one we take stands beside the name.
CHOICES: dict[str, str] = {"text-unidecode": "Artistic License"}
# What pyautogui needs under the GPL. Nothing of ours imports them; they are there because pyautogui asks for them.
ONLY_WITH_PYAUTOGUI = {"mouseinfo", "pymsgbox", "python3-xlib"}
WITHOUT_PYAUTOGUI = "transom[web,desktop,remote,openai,anthropic,evals,otel]"


def find_problems(rows: list[dict[str, str]], *, installed_without_choice: set[str]) -> list[str]:
    """Return one line for each package whose licence is forbidden or unknown.

    Args:
        rows: Name, version and licence of each package in the environment.
        installed_without_choice: Canonical names of what comes without the extra `pyautogui`.
    """
    problems = []
    for row in rows:
        name, licence = row["Name"], row["License"]
        canonical = canonicalize_name(name)
        is_chosen = canonical in ONLY_WITH_PYAUTOGUI and canonical not in installed_without_choice
        if name in CHOICES or name == "transom" or is_chosen:
            continue
        stripped = licence
        for allowed in ALLOWED_ALTHOUGH:
            stripped = stripped.replace(allowed, "")
        if licence.strip().upper() in {"", "UNKNOWN"}:
            problems.append(f"{name} {row['Version']}: no licence is stated; read it and decide")
        elif any(word in stripped for word in FORBIDDEN):
            problems.append(f"{name} {row['Version']}: {licence} is not allowed outside the extra pyautogui")
    return problems


def closure(requirement: str) -> set[str]:
    """Return the canonical names of all that a requirement installs on Linux, read from what is installed here."""
    seen: set[tuple[str, str]] = set()
    waiting = [Requirement(requirement)]
    while waiting:
        wanted = waiting.pop()
        for extra in ("", *wanted.extras):
            key = (canonicalize_name(wanted.name), extra)
            if key not in seen:
                seen.add(key)
                waiting += _needs(wanted.name, extra)
    return {name for name, _ in seen}


def _needs(name: str, extra: str) -> Iterator[Requirement]:
    environment = {**cast("dict[str, str]", default_environment()), "sys_platform": "linux", "extra": extra}
    try:
        lines = requires(name) or []
    except PackageNotFoundError:
        return
    for line in lines:
        needed = Requirement(line)
        if needed.marker is None or needed.marker.evaluate(environment):
            yield needed


def main() -> int:
    """Print what is wrong and return 1, or 0 when nothing is."""
    output = subprocess.run(
        [sys.executable, "-m", "piplicenses", "--format=json", "--from=mixed"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    rows = json.loads(output)
    problems = find_problems(rows, installed_without_choice=closure(WITHOUT_PYAUTOGUI))
    for line in problems:
        print(f"licences: {line}", file=sys.stderr)
    print(f"licences: {len(rows)} packages checked, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
