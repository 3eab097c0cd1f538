"""The licence gate lets the GPL in by one door only."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def gate() -> ModuleType:
    """Return the script as a module."""
    spec = importlib.util.spec_from_file_location("check_licences", ROOT / "scripts" / "check_licences.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _row(name: str, licence: str) -> dict[str, str]:
    return {"Name": name, "Version": "1.0", "License": licence}


@pytest.mark.parametrize(
    ("name", "licence", "is_allowed"),
    [
        ("click", "BSD-3-Clause", True),
        ("python-xlib", "GNU Lesser General Public License v2 or later (LGPLv2+)", True),
        ("MouseInfo", "GNU General Public License v3 or later (GPLv3+)", True),
        ("python3-xlib", "GPLv2", True),
        ("another", "GNU General Public License v3", False),
        ("another", "AGPL-3.0", False),
        ("another", "UNKNOWN", False),
    ],
)
def test_licences(gate: ModuleType, name: str, licence: str, is_allowed: bool) -> None:
    problems = gate.find_problems([_row(name, licence)], installed_without_choice={"click", "python-xlib"})
    assert (problems == []) == is_allowed


def test_a_gpl_package_that_comes_by_another_way_is_refused(gate: ModuleType) -> None:
    rows = [_row("PyMsgBox", "GPLv3+")]
    assert gate.find_problems(rows, installed_without_choice=set()) == []
    (problem,) = gate.find_problems(rows, installed_without_choice={"pymsgbox"})
    assert "PyMsgBox 1.0: GPLv3+" in problem


def test_the_gpl_comes_with_the_extra_pyautogui_alone(gate: ModuleType) -> None:
    without = gate.closure(gate.WITHOUT_PYAUTOGUI)
    assert {"python-xlib", "mss", "jeepney", "playwright", "starlette"} <= without
    assert without & {*gate.ONLY_WITH_PYAUTOGUI, "pyautogui"} == set()
    assert gate.closure("transom[pyautogui]") >= {*gate.ONLY_WITH_PYAUTOGUI, "python-xlib"}
