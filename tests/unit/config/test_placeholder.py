from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harness.config.placeholder import Substitution
from harness.config.yaml_reader import Data, parse_yaml


def fill(text: str, env: dict[str, str], variables: dict[str, Data] | None = None) -> tuple[Data, Substitution]:
    document = parse_yaml(text, file="f")
    work = Substitution(document=document, env=env, folder="/home/me", variables=variables)
    return work.fill(document.data, ()), work


def test_a_lone_placeholder_is_read_as_yaml_unless_quoted() -> None:
    data, work = fill('a: ${env.N}\nb: "${env.N}"\nc: x${env.N}', {"N": "12"})
    assert data == {"a": 12, "b": "12", "c": "x12"}
    assert work.secret == {("a",), ("b",), ("c",)}


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_a_value_never_changes_the_structure(value: str) -> None:
    data, _ = fill("a: x ${env.V}\nb: 1", {"V": value})
    assert data == {"a": f"x {value}", "b": 1}


def test_a_value_is_not_substituted_again() -> None:
    assert fill("a: ${env.V}", {"V": "${env.SECRET}", "SECRET": "s"})[0] == {"a": "${env.SECRET}"}


def test_an_unset_variable_is_a_problem_with_its_line() -> None:
    data, work = fill("a: 1\nb: [x, '${env.NONE}']", {})
    assert data == {"a": 1, "b": ["x"]}
    assert [(item.line, item.path) for item in work.problems] == [(2, "b[1]")]
    assert "'NONE' is not set" in work.problems[0].text


def test_folder_and_variables() -> None:
    variables: dict[str, Data] = {"a": {"b": 3, "list": [1]}, "none": None}
    data, work = fill("a: ${this_file_dir}/x\nb: ${variables.a.b}\nc: ${other} $x ${variables.none}", {}, variables)
    assert data == {"a": "/home/me/x", "b": 3, "c": "${other} $x null"}
    assert not work.problems


def test_unknown_and_structured_variables_are_problems() -> None:
    _, work = fill("a: ${variables.x}\nb: ${variables.a}", {}, {"a": [1]})
    assert ["not defined" in work.problems[0].text, "single values" in work.problems[1].text] == [True, True]


def test_without_variables_their_placeholders_stay() -> None:
    document = parse_yaml("a: ${variables.x} ${this_file_dir}", file="f")
    assert Substitution(document=document, env={}).fill(document.data, ()) == document.data
