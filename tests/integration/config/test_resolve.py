from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.config import AgentConfig, load_config, resolve_agent
from harness.errors import ConfigError
from harness.protocols import ModelSpec

Write = Callable[..., Path]

LAYERS = """\
version: 1
defaults: {limits: {steps: 1}}
agents:
  base:
    model: idle
    limits: {steps: 2}
  middle:
    extends: base
    limits: {steps: 3}
  top:
    extends: middle
    limits: {steps: 4}
"""


def resolve(write: Write, text: str, name: str = "a", **options: object) -> AgentConfig:
    return resolve_agent(load_config(write(text)), name, **options)  # type: ignore[arg-type]  # options of any test


@pytest.mark.req("R-CFG-1")
@pytest.mark.req("R-CFG-4")
@pytest.mark.parametrize(
    ("dropped", "steps", "origin"),
    [
        ((), 4, "agents.yaml:12"),
        (("4",), 3, "agents.yaml:9"),
        (("4", "3"), 2, "agents.yaml:6"),
        (("4", "3", "2"), 1, "agents.yaml:2"),
        (("4", "3", "2", "1"), 100, "default"),
    ],
)
def test_the_last_layer_that_sets_a_value_wins_and_is_its_origin(
    write: Write, dropped: tuple[str, ...], steps: int, origin: str
) -> None:
    text = LAYERS
    for number in dropped:
        text = text.replace(f"limits: {{steps: {number}}}", "limits: {}")
    config = resolve(write, text, "top")
    assert config.settings.limits.steps == steps
    assert config.origins["limits.steps"] == origin


@pytest.mark.req("R-CLI-2")
def test_model_and_set_win_over_the_file(write: Write) -> None:
    config = resolve(
        write, LAYERS, "top", model="random", overrides=["limits.steps=9", "controller.viewport=[800, 600]"]
    )
    assert config.model == ModelSpec(name="random", use="random")
    assert config.settings.limits.steps == 9
    assert (config.controller.viewport.width_px, config.controller.viewport.height_px) == (800, 600)
    assert (config.origins["model.name"], config.origins["limits.steps"]) == ("--model", "--set")
    assert resolve(write, LAYERS, "top", model="random", overrides=["model=idle"]).model.name == "idle"


def test_mappings_merge_and_lists_and_history_are_replaced(write: Write) -> None:
    text = """\
version: 1
defaults:
  observers: [web_marks, overlays]
  context_management: {mode: off, history: {recent_exchanges: 5}}
agents:
  a:
    model: idle
    observers: [web_settle]
    context_management: {history: {recent_tokens: 100}}
"""
    config = resolve(write, text)
    assert config.observers == ("web_settle",)
    assert (config.settings.history.kind, config.settings.history.amount) == ("recent_tokens", 100)
    assert config.origins["context_management.mode"] == "agents.yaml:4"


@pytest.mark.req("R-CLI-2")
def test_a_shipped_agent_can_be_extended_even_under_its_own_name(write: Write) -> None:
    text = "version: 1\nagents:\n  demo: {extends: demo, limits: {steps: 7}}\n  mine: {extends: web-scripted}\n"
    assert resolve(write, text, "demo").model.name == "heuristic"
    assert resolve(write, text, "demo").settings.limits.steps == 7
    assert resolve(write, text, "mine").model.name == "scripted"
    assert resolve(write, text, "mine").origins["model.name"].startswith("shipped agents.yaml:")


def test_a_shipped_agent_can_be_named_from_any_file(write: Write) -> None:
    assert resolve(write, "version: 1\nagents: {}\n", "demo").model.name == "heuristic"


@pytest.mark.req("R-CFG-1")
@pytest.mark.parametrize("name", ["heuristic", "scripted", "reference", "replay", "random", "idle"])
def test_a_keyless_policy_is_a_model_and_an_agent_of_its_own_name(write: Write, name: str) -> None:
    config = resolve(write, "version: 1\ndefaults: {model: idle, limits: {steps: 3}}\n", name)
    assert (config.name, config.model, config.controller.kind) == (name, ModelSpec(name=name, use=name), "web")
    assert config.settings.limits.steps == 3


@pytest.mark.parametrize(
    ("text", "name", "problem"),
    [
        ("agents: {a: {model: idle}}", "b", "there is no agent 'b'; valid here: a, demo"),
        ("agents: {alpha: {model: idle}}", "alhpa", "did you mean 'alpha'?"),
        ("agents: {a: {extends: dmeo}}", "a", r"agents\.yaml:2: agents\.a\.extends: .*did you mean 'demo'"),
        ("agents: {a: {extends: b}, b: {extends: a}}", "a", "in a circle: a → b → a; break it"),
        ("agents: {a: {extends: a}}", "a", "in a circle: a → a"),
        ("agents: {a: {}}", "a", "names no model; add `model: heuristic`"),
        (
            "agents: {a: {model: hueristic}}",
            "a",
            r"agents\.yaml:2: model: there is no model 'hueristic'; did you mean 'heuristic'",
        ),
        (
            "agents: {a: {model: idle, controller: {kind: wbe}}}",
            "a",
            "there is no controller 'wbe'; did you mean 'web'",
        ),
        ("agents: {a: {model: idle, observers: [web_mark]}}", "a", "did you mean 'web_marks'"),
        (
            "models: {m: {use: idel, context_tokens: 5}}\nagents: {a: {model: m}}",
            "a",
            "there is no policy 'idel'; did you mean 'idle'",
        ),
        ("agents: {a: {model: '${env.TRANSOM_TEST_NONE}'}}", "a", "'TRANSOM_TEST_NONE' is not set"),
    ],
)
def test_a_wrong_agent_is_explained(write: Write, text: str, name: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        resolve(write, f"version: 1\n{text}\n", name)


@pytest.mark.req("R-CFG-3")
def test_the_environment_fills_values_in_and_only_where_they_are_used(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRANSOM_TEST_STEPS", "12")
    text = """\
version: 1
agents:
  b:
    model: idle
    limits:
      steps: ${env.TRANSOM_TEST_STEPS}
  c:
    model: idle
    limits:
      steps: ${env.TRANSOM_TEST_NONE}
"""
    config = resolve(write, text, "b")
    assert config.settings.limits.steps == 12
    assert config.values["limits.steps"] == "***"
    with pytest.raises(
        ConfigError, match=r"agents\.yaml:10: agents\.c\.limits\.steps: .* 'TRANSOM_TEST_NONE' is not set"
    ):
        resolve(write, text, "c")


def test_a_value_from_the_environment_is_not_shown_in_errors(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRANSOM_TEST_NAME", "hunter2")
    with pytest.raises(ConfigError, match=r"agents\.yaml:2: model: there is no model of a hidden name"):
        resolve(write, "version: 1\nagents: {a: {model: '${env.TRANSOM_TEST_NAME}'}}\n")
    monkeypatch.setenv("TRANSOM_TEST_STEPS", "hunter2")
    with pytest.raises(ConfigError, match="must be a whole number, got a hidden value"):
        resolve(write, "version: 1\nagents: {a: {limits: {steps: '${env.TRANSOM_TEST_STEPS}'}}}\n")


@pytest.mark.req("R-CFG-4")
def test_the_resolved_configuration_is_json_with_origins_and_without_secrets(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRANSOM_TEST_KEY", "hunter2")
    text = """\
version: 1
models: {m: {use: idle, model: "x ${env.TRANSOM_TEST_KEY}", context_tokens: 10}}
agents:
  a:
    model: m
    agent: {type: agent, llm_config: {model: gpt, api_key: "${env.TRANSOM_TEST_KEY}"}, system_prompt: Be brief.}
"""
    config = resolve(write, text)
    assert config.model.model == "x hunter2"
    document = json.loads(config.to_json())
    assert "hunter2" not in config.to_json()
    assert document["values"]["model"] == {"name": "m", "use": "idle", "model": "***", "context_tokens": 10}
    assert document["nexau"]["llm_config"]["api_key"] == "***"
    assert document["origins"]["model.context_tokens"] == "agents.yaml:2"
    leaves = set(document["origins"])
    assert leaves == set(config.values), "every value has an origin"
    assert config.system == "Be brief."


@pytest.mark.req("R-CFG-1", "R-CFG-4", "R-IMG-4")
def test_a_desktop_agent_resolves_to_how_its_controller_is_made(write: Write) -> None:
    text = """\
version: 1
agents:
  a:
    model: idle
    controller: {kind: desktop, monitor: 2, viewport: [1920, 1080]}
    desktop:
      marks_image: true
      display: virtual
      input: pyautogui
      apps: {editor: [mousepad, --new], calculator: [galculator]}
"""
    config = resolve(write, text)
    spec = config.controller
    assert (spec.kind, spec.monitor, spec.display, spec.desktop_input) == ("desktop", 2, "virtual", "pyautogui")
    assert spec.apps == {"editor": ("mousepad", "--new"), "calculator": ("galculator",)}
    assert (config.observers, config.origins["observers"]) == (("atspi_marks",), "default for desktop")
    assert config.settings.marks_image is True
    assert config.origins["desktop.apps"] == "agents.yaml:10"
    assert json.loads(config.to_json())["values"]["desktop"]["apps"] == {
        "editor": ["mousepad", "--new"],
        "calculator": ["galculator"],
    }


@pytest.mark.req("R-CLI-1")
def test_a_web_agent_on_a_desktop_says_where_that_comes_from(write: Write) -> None:
    config = resolve(write, "version: 1\nagents: {a: {model: idle, observers: [web_marks]}}\n", display="virtual")
    assert (config.controller.kind, config.controller.display) == ("desktop", "virtual")
    assert config.observers == ("atspi_marks",)
    assert config.origins["controller.kind"] == config.origins["desktop.display"] == "--desktop"


@pytest.mark.req("R-ACT-4")
def test_a_remote_agent_without_an_address_says_what_to_do(write: Write) -> None:
    text = "version: 1\nagents:\n  a:\n    model: idle\n    controller: {kind: remote}\n"
    with pytest.raises(ConfigError, match=r"agents\.yaml:5: controller\.kind: .* `transom device serve`"):
        resolve(write, text)
    assert resolve(write, text, overrides=["controller.address=http://127.0.0.1:1"]).controller.address is not None
