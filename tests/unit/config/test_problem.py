from __future__ import annotations

import pytest

from harness.config.problem import Problem, dotted, raise_problems, show, suggest
from harness.errors import ConfigError, RemovedField


def test_all_problems_are_one_error_with_the_place_of_the_first() -> None:
    problems = [
        Problem(text="second", file="f", line=7, path="b"),
        Problem(text="first", file="f", line=2, path="a"),
        Problem(text="first", file="f", line=2, path="a"),
    ]
    with pytest.raises(ConfigError) as caught:
        raise_problems(problems)
    assert str(caught.value) == "f:2: a: first\nf:7: b: second"
    assert (caught.value.file, caught.value.line, caught.value.path) == ("f", 2, "a")
    raise_problems([])


def test_a_removed_field_has_its_own_error() -> None:
    with pytest.raises(RemovedField):
        raise_problems([Problem(text="x", is_removed=True)])


def test_hints() -> None:
    assert suggest("heuristik", ["heuristic", "idle"]) == "did you mean 'heuristic'?"
    assert suggest("zzz", ["b", "a"]) == "valid here: a, b"
    assert suggest("zzz", [f"n{i:02}" for i in range(30)]).endswith("n19 and 10 more")
    assert suggest("zzz", []) == "there is none to choose from"


def test_values_and_paths_as_text() -> None:
    assert (show(None), show(True), show("x")) == ("null", "true", "'x'")
    assert len(show("x" * 1000)) == 60
    assert dotted(("agents", "a", "observers", 0)) == "agents.a.observers[0]"
