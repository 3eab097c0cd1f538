"""What the configuration refuses, and what it must not refuse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.config import load_config, resolve_agent
from harness.config.removed import REMOVED
from harness.config.yaml_reader import MAX_BYTES
from harness.errors import ConfigError, RemovedField

Write = Callable[..., Path]

VALID = "version: 1\ndefaults:\n  context_management: {mode: off}\nagents:\n  a:\n    model: heuristic\n"


@pytest.mark.req("R-CFG-1")
@pytest.mark.req("R-CTX-1")
def test_mode_off_unquoted_works(write: Write) -> None:
    config = resolve_agent(load_config(write(VALID)), "a")
    assert config.settings.mode == "off"


@pytest.mark.req("R-CFG-2")
@pytest.mark.parametrize(("section", "key"), sorted(REMOVED))
@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("version: 1\n{section}:\n  {key}: x\nagents: {{a: {{model: idle}}}}\n", 3),
        ("version: 1\ndefaults:\n  {section}:\n    {key}: x\nagents: {{a: {{model: idle}}}}\n", 4),
        ("version: 1\nagents:\n  a:\n    model: idle\n    {section}: {{{key}: x}}\n", 5),
    ],
    ids=["top level", "defaults", "agent"],
)
def test_each_removed_field_alone_is_refused_with_its_own_message(
    write: Write, place: str, line: int, section: str, key: str
) -> None:
    with pytest.raises(RemovedField) as caught:
        load_config(write(place.format(section=section, key=key)))
    error = caught.value
    assert error.exit_code == 2
    assert (error.file, error.line) == ("agents.yaml", line)
    assert error.path.endswith(f"{section}.{key}")
    assert f"`{section}.{key}` was removed: delete it" in str(error)
    assert REMOVED[section, key] in str(error)
    assert "\n" not in str(error), "nothing else is wrong"


@pytest.mark.req("R-CFG-2")
@pytest.mark.parametrize(("section", "key"), sorted(field for field in REMOVED if field[0] == "desktop"))
def test_a_removed_field_is_refused_beside_the_fields_that_section_has_now(
    write: Write, section: str, key: str
) -> None:
    text = f"{VALID}    {section}:\n      marks_image: true\n      {key}: x\n      display: virtual\n"
    with pytest.raises(RemovedField) as caught:
        load_config(write(text))
    assert (caught.value.line, caught.value.path) == (9, f"agents.a.{section}.{key}")
    assert "\n" not in str(caught.value), "nothing else is wrong"


@pytest.mark.req("R-CFG-1")
def test_a_misspelt_field_gets_a_hint_with_file_line_and_path(write: Write) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(write(VALID + "    prompt:\n      screenshot_window_image: 3\n"))
    assert str(caught.value) == (
        "agents.yaml:8: agents.a.prompt.screenshot_window_image: is an unknown field; "
        "did you mean 'screenshot_window_images'?"
    )


@pytest.mark.req("R-CFG-1")
def test_a_duplicate_key_fails(write: Write) -> None:
    with pytest.raises(ConfigError, match=r"agents\.yaml:7: .*'a' twice, first in line 5 and again in line 7"):
        load_config(write(VALID + "  a: {model: idle}\n"))


@pytest.mark.req("R-CFG-1")
def test_a_file_of_ten_megabytes_fails_before_it_is_parsed(folder: Path) -> None:
    path = Path("big.yaml")
    path.write_bytes(b"version: 1\n" + b"[" * 10_000_000)
    with pytest.raises(ConfigError, match=rf"big\.yaml: is larger than {MAX_BYTES:,} bytes"):
        load_config(path)


@pytest.mark.req("R-CFG-1")
@pytest.mark.parametrize(
    ("bomb", "problem"),
    [
        (
            "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)),
            "alias",
        ),
        (
            "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)),
            "alias",
        ),
        ("a: " + "{b: " * 1000 + "1" + "}" * 1000, "deep"),
        ("a: " + "[" * 1000, "deep|nest"),
    ],
)
def test_an_alias_bomb_and_a_deep_file_fail_cleanly(write: Write, bomb: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        load_config(write(f"version: 1\n{bomb}"))


@pytest.mark.req("R-CFG-1")
@pytest.mark.parametrize(
    "field",
    [
        "prompt: {image_placement: end}",
        "prompt: {current_user_image: true}",
        "prompt: {images: 4}",
        "prompt: {probe: true}",
        "observation: {images: 1}",
        "images: {window: 2}",
        "web: {marks_image: true}",
        "tools: {images: 3}",
        "controller: {screenshot: true}",
    ],
)
@pytest.mark.parametrize("where", ["defaults", "agent"])
def test_no_second_image_path_can_be_selected(write: Write, field: str, where: str) -> None:
    text = f"version: 1\ndefaults: {{{field}}}\n" if where == "defaults" else VALID + f"    {field}\n"
    with pytest.raises(ConfigError, match="is an unknown field"):
        load_config(write(text))


@pytest.mark.req("R-CFG-1")
def test_everything_that_is_wrong_is_said_at_once(write: Write) -> None:
    text = (
        "version: 2\nagents:\n  a:\n    modle: idle\n    limits: {steps: -1}\n    observation: {policy: x}\n  b c: {}\n"
    )
    with pytest.raises(ConfigError) as caught:
        load_config(write(text))
    lines = str(caught.value).splitlines()
    assert [line.split(": ")[:2] for line in lines] == [
        ["agents.yaml:1", "version"],
        ["agents.yaml:4", "agents.a.modle"],
        ["agents.yaml:5", "agents.a.limits.steps"],
        ["agents.yaml:6", "agents.a.observation.policy"],
        ["agents.yaml:7", "agents.b c"],
    ]


@pytest.mark.req("R-MEM-6")
def test_a_note_view_is_off_or_has_room(tmp_path: Path) -> None:
    loaded = load_config(None)
    with pytest.raises(ConfigError, match="must be 0 or at least 400, got 5"):
        resolve_agent(loaded, "demo", overrides=["prompt.note_view_chars=5"])
    assert resolve_agent(loaded, "demo", overrides=["prompt.note_view_chars=400"]).settings.note_view_chars == 400
