"""The tree of errors is drawn once, and it is the one that the code has."""

from __future__ import annotations

import re

import pytest

from harness import errors
from harness.errors import HarnessError

_LINE = re.compile(r"^(?P<indent>[│├└─ ]*)(?P<name>[A-Z]\w+)")


def drawn_parents() -> dict[str, str | None]:
    """Return each drawn class with its parent."""
    assert errors.__doc__ is not None
    path: list[str] = []
    parents: dict[str, str | None] = {}
    for line in errors.__doc__.splitlines():
        found = _LINE.match(line)
        if found is None or found["name"] not in vars(errors):
            continue
        depth = len(found["indent"]) // 4
        path = [*path[:depth], found["name"]]
        parents[found["name"]] = path[depth - 1] if depth else None
    return parents


def coded_parents() -> dict[str, str | None]:
    """Return each class of the module with its parent."""
    classes = [item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, HarnessError)]
    return {cls.__name__: None if cls is HarnessError else cls.__bases__[0].__name__ for cls in classes}


def test_the_drawn_tree_is_the_coded_one() -> None:
    assert drawn_parents() == coded_parents()


@pytest.mark.req("R-CLI-4")
def test_exit_codes_follow_the_kind_of_error() -> None:
    assert errors.ConfigError("x").exit_code == errors.PluginError("x").exit_code == 2
    assert errors.StorageDamaged("x").exit_code == errors.ControllerError("x").exit_code == 3
    assert errors.SafetyStop("x").exit_code == 4
