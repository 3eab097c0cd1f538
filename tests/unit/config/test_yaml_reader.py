from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.config.yaml_reader import MAX_DEPTH, parse_yaml
from harness.errors import ConfigError

PRINTABLE = st.text(
    st.characters(codec="utf-8", max_codepoint=0xFFFF, exclude_characters="\x7f", exclude_categories=("Cs",)),
    max_size=20,
)
NUMBERS = st.integers(-(10**29), 10**29) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | PRINTABLE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PRINTABLE, inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=50)
@given(VALUES)
def test_json_reads_as_itself(value: object) -> None:
    assert parse_yaml(json.dumps(value), file="f").data == value


@pytest.mark.req("R-CFG-1")
@pytest.mark.parametrize("word", ["off", "on", "yes", "no", "Off", "YES", "n", "y"])
def test_yaml_1_1_booleans_are_text(word: str) -> None:
    assert parse_yaml(f"mode: {word}", file="f").data == {"mode": word}


def test_lines_and_quotes_are_known() -> None:
    document = parse_yaml('a:\n  b: "1"\nc:\n  - x\n  - y: 2\n', file="f")
    assert document.data == {"a": {"b": "1"}, "c": ["x", {"y": 2}]}
    assert document.line(("a", "b")) == 2
    assert document.line(("c", 1, "y")) == 5
    assert document.line(("c", 1, "nothing")) == 5
    assert document.quoted == {("a", "b")}


def test_a_byte_order_mark_and_an_empty_file_are_read() -> None:
    assert parse_yaml("", file="f").data is None
    assert parse_yaml("# nothing\n", file="f").data is None


@pytest.mark.req("R-CFG-1")
@pytest.mark.parametrize("text", ["a: 1\nb: 2\na: 3", '"a": 1\nb: {}\na: 3'])
def test_a_duplicate_key_names_both_lines(text: str) -> None:
    with pytest.raises(ConfigError, match=r"'a' twice, first in line 1 and again in line 3") as caught:
        parse_yaml(text, file="agents.yaml")
    assert (caught.value.file, caught.value.line) == ("agents.yaml", 3)


def alias_bomb(levels: int, width: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.req("R-CFG-1")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 1000, "nest"),
        ("[" * 1000 + "]" * 1000, "nested deeper than 50 levels"),
        ("{a: " * 1000 + "1" + "}" * 1000, "nested deeper than 50 levels"),
        ("- " * 1000, "nested deeper than 50 levels"),
        (alias_bomb(30, 9), "more than 100 aliases"),
        (alias_bomb(11, 9), "more than 10,000 values once aliases are written out"),
        ("a: &a [*a]", "before its anchor is complete"),
        ("a: *b", "before its anchor is complete|undefined alias"),
        ("[" + "a," * 20_000 + "]", "more than 10,000 values"),
        ("a: !!python/object/apply:os.system [ls]", "tags are not allowed"),
        ("a: !env X", "tags are not allowed"),
        ("base: &b {x: 1}\na: {<<: *b}", "merge key"),
        ("a: 1\n---\nb: 2", "second document"),
        ("? [a, b]\n: 1", "key that is no plain text"),
        ("a: 'open", "not valid YAML"),
        ("a: b: c", "not valid YAML"),
        ("a: \x01", "not valid YAML"),
        ("\ta: 1", "not valid YAML"),
    ],
)
def test_hostile_or_broken_text_is_one_clean_error(text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem) as caught:
        parse_yaml(text, file="agents.yaml")
    assert caught.value.file == "agents.yaml"
    assert caught.value.line is not None


def test_aliases_in_reason_work() -> None:
    document = parse_yaml("a: &x {steps: 3}\nb: *x\n", file="f")
    assert document.data == {"a": {"steps": 3}, "b": {"steps": 3}}
    assert document.line(("b", "steps")) == 1
    assert document.line(("b",)) == 2


def test_nested_aliases_do_not_pass_the_depth_cap() -> None:
    deep = "[" * 40 + "]" * 40
    text = f"a: &a {deep}\nb: &b {'[' * 40}*a{']' * 40}\n"
    with pytest.raises(ConfigError, match=f"deeper than {MAX_DEPTH} levels"):
        parse_yaml(text, file="f")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-3", -3),
        ("012", 12),
        ("0o14", 12),
        ("0x1F", 31),
        ("1_000", "1_000"),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1:30", "1:30"),
        ("2026-01-02", "2026-01-02"),
        ("~", None),
        ("null", None),
        ("true", True),
        ("False", False),
        ('"true"', "true"),
        ("'1'", "1"),
        ("1" * 5000, "1" * 5000),
    ],
)
def test_scalars_follow_the_core_schema(text: str, value: object) -> None:
    found = parse_yaml(f"a: {text}", file="f").data
    assert found == {"a": value}
    assert isinstance(found, dict)
    assert type(found["a"]) is type(value)
