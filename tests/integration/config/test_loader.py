from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.config import load_config
from harness.errors import ConfigError

Write = Callable[..., Path]


@pytest.mark.req("R-CLI-2")
def test_the_file_is_the_given_one_else_the_folders_else_the_shipped(write: Write) -> None:
    assert list(load_config().agents)[:2] == ["demo", "web-scripted"]
    write("version: 1\nagents: {mine: {model: idle}}\n")
    assert list(load_config().agents) == ["mine"]
    other = write("version: 1\nagents: {other: {model: idle}}\n", "sub/x.yaml")
    assert list(load_config(other).agents) == ["other"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "must be a mapping that starts with `version: 1`, got null"),
        ("- a\n", "must be a mapping that starts"),
        ("agents: {}\n", "version: is missing; write `version: 1`"),
        ("version: 2\n", "must be 1, got 2; a larger number is for a newer version"),
        ("version: '1'\n", "must be 1, got '1'"),
        ("version: 1\nagents: [a]\n", "agents: must be a mapping"),
        ("version: 1\nagents: {a: [b]}\n", r"agents\.a: must be a mapping, got \['b'\]"),
        ("version: 1\nagents: {'../x': {model: idle}}\n", "is no valid name"),
        ("version: 1\nagnets: {}\n", "did you mean 'agents'"),
        ("version: 1\nprompt: {}\n", "`prompt` stands in `defaults` or directly in an agent"),
        ("version: 1\nmodels: {m: {model: x}}\n", r"models\.m\.use: is missing"),
        ("version: 1\nmodels: {m: {use: openai_chat, model: x}}\n", "needs `context_tokens: N`"),
        ("version: 1\nmodels: {heuristic: {use: idle}}\n", "always means the keyless policy"),
        ("version: 1\nmodels: {m: {use: idle, key: x}}\n", r"models\.m\.key: is an unknown field"),
        ("version: 1\nagents: {a: {agent: {}, config_path: x}}\n", "keep one"),
        ("version: 1\nagents: {a: {safety: {}}}\n", "`safety` is not available yet"),
    ],
)
def test_a_wrong_file_is_explained(write: Write, text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        load_config(write(text))


@pytest.mark.req("R-CFG-4")
def test_unknown_model_limits_are_an_error_but_a_known_one_is_kept(write: Write) -> None:
    loaded = load_config(write("version: 1\nmodels: {m: {use: openai_chat, context_tokens: 9}, k: {use: idle}}\n"))
    assert loaded.models["m"].settings[("context_tokens",)].value == 9


def test_empty_sections_count_as_absent(write: Write) -> None:
    text = "version: 1\nmodels:\ndefaults:\n  prompt:\n    # all commented out\nagents:\n  a:\n"
    assert list(load_config(write(text)).agents) == ["a"]


def test_what_cannot_be_read_is_a_configuration_error(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml: can't be read: No such file") as caught:
        load_config(Path("none.yaml"))
    assert caught.value.exit_code == 2
    with pytest.raises(ConfigError, match="can't be read"):
        load_config(folder)
    Path("latin.yaml").write_bytes(b"version: 1\nx: \xe9\n")
    with pytest.raises(ConfigError, match=r"latin\.yaml:2: is not UTF-8: byte 0xe9"):
        load_config(Path("latin.yaml"))


def test_a_byte_order_mark_is_tolerated(folder: Path) -> None:
    Path("bom.yaml").write_bytes(b"\xef\xbb\xbfversion: 1\nagents: {a: {model: idle}}\n")
    assert list(load_config(Path("bom.yaml")).agents) == ["a"]
