"""The import contract of reference solutions: they know what an agent is shown, and nothing of page, seed or suite."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import evals.suites

SUITES = Path(evals.suites.__file__).parent
SOLUTIONS = sorted((*SUITES.glob("*/solutions/*.py"), *SUITES.glob("*/solution.py")))
# Modules of the standard library that reach files, processes or displays.
FORBIDDEN = frozenset({"asyncio", "ctypes", "io", "os", "pathlib", "shutil", "socket", "subprocess", "sys", "tempfile"})
FORBIDDEN_CALLS = frozenset({"open", "eval", "exec", "__import__", "compile", "globals", "getattr", "vars"})
CONTRACT = "harness.protocols.policies"


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            yield str(node.module)


def may_import(module: str, *, own: str) -> bool:
    if module in {CONTRACT, own} or module.startswith(f"{own}."):
        return True
    top = module.partition(".")[0]
    return top in sys.stdlib_module_names and top not in FORBIDDEN


def problems(source: str, *, own: str) -> list[str]:
    tree = ast.parse(source)
    called = [node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    return [
        *(f"imports {module}" for module in imported(tree) if not may_import(module, own=own)),
        *(f"calls {name}" for name in called if name in FORBIDDEN_CALLS),
    ]


@pytest.mark.req("R-CLI-5")
@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_a_solution_imports_the_contract_and_plain_computing_only(path: Path) -> None:
    own = f"evals.suites.{path.relative_to(SUITES).parts[0]}.solutions"

    assert problems(path.read_text(encoding="utf-8"), own=own) == []


@pytest.mark.req("R-CLI-5")
@pytest.mark.parametrize(
    "source",
    [
        "import os",
        "from pathlib import Path",
        "import asyncio",
        "from evals.suites.desktop.draw import Draw",
        "from harness.protocols.suites import SuiteDesktop",
        "import Xlib",
        "open('/etc/passwd')",
    ],
)
def test_what_a_solution_must_not_do_is_found(source: str) -> None:
    assert problems(source, own="evals.suites.desktop.solutions")


def test_every_suite_with_solutions_is_looked_at() -> None:
    assert {path.relative_to(SUITES).parts[0] for path in SOLUTIONS} == {"desktop", "miniwob", "three_pages"}
