from __future__ import annotations

import pytest

from harness.config.build import build_controller, build_settings
from harness.config.problem import dotted
from harness.config.resolve import schema_defaults
from harness.config.schema import AgentSection, ConfigFile, DefaultsSection, iterate_fields
from harness.config.translate import validate
from harness.config.yaml_reader import parse_yaml
from harness.protocols import ControllerSpec
from harness.values.settings import HistoryPolicy, SessionSettings

# What an agent can be told. A change here is a change of the public surface: no skill induction, no checkpoint
# search and no policy training may appear, and no second way to select images.
KEYS = {
    "model",
    "controller.kind",
    "controller.viewport",
    "controller.device_scale",
    "controller.browser",
    "controller.monitor",
    "controller.address",
    "observers",
    "prompt.screenshot_window_images",
    "prompt.note_view_chars",
    "context_management.mode",
    "context_management.history",
    "tools.result_chars",
    "limits.steps",
    "limits.seconds",
    "limits.cost_usd",
    "limits.input_tokens",
    "limits.idle_steps",
    "limits.step_seconds",
    "web.page_text_chars",
    "desktop.marks_image",
    "desktop.display",
    "desktop.apps",
    "desktop.input",
    "strict",
    "extends",
    "agent",
    "config_path",
}


def problems(text: str) -> dict[str, str]:
    document = parse_yaml(text, file="f")
    return {item.path: item.text for item in validate(AgentSection, document.data, (), document)[1]}


@pytest.mark.req("R-SCOPE-1")
def test_the_keys_of_an_agent_are_exactly_these() -> None:
    assert {dotted(path) for path, _ in iterate_fields(AgentSection)} == KEYS
    assert set(ConfigFile.model_fields) == {"version", "models", "defaults", "agents"}


@pytest.mark.req("R-CFG-1")
def test_schema_and_values_have_the_same_defaults() -> None:
    section = DefaultsSection()
    assert build_settings(section) == SessionSettings()
    assert build_controller(section) == ControllerSpec(kind="web")


@pytest.mark.req("R-MEM-6")
@pytest.mark.req("R-RUN-2")
@pytest.mark.req("R-CTX-1")
@pytest.mark.req("R-CTX-14")
@pytest.mark.req("R-IMG-4")
@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("prompt.screenshot_window_images", 3),
        ("prompt.note_view_chars", 12_000),
        ("context_management.mode", "off"),
        ("context_management.history", "full"),
        ("tools.result_chars", 10_000),
        ("limits.steps", 100),
        ("limits.seconds", 1800),
        ("limits.cost_usd", 5),
        ("limits.input_tokens", 2_000_000),
        ("limits.idle_steps", 30),
        ("desktop.marks_image", False),
        ("desktop.display", "real"),
        ("desktop.apps", {}),
        ("controller.monitor", 1),
    ],
)
def test_promised_defaults(path: str, value: object) -> None:
    assert schema_defaults()[tuple(path.split("."))].value == value


def test_every_field_says_what_it_means() -> None:
    assert [dotted(path) for path, info in iterate_fields(AgentSection) if not info.description] == []


def test_the_three_histories() -> None:
    def history(text: str) -> HistoryPolicy:
        data = parse_yaml(f"context_management: {{history: {text}}}", file="f").data
        return build_settings(DefaultsSection.model_validate(data)).history

    assert history("full") == HistoryPolicy()
    assert history("{recent_exchanges: 4}") == HistoryPolicy(kind="recent_exchanges", amount=4)
    assert history("{recent_tokens: 900}") == HistoryPolicy(kind="recent_tokens", amount=900)


@pytest.mark.parametrize("mode", ["off", "shadow", "enforce"])
def test_the_three_modes_are_known_unquoted(mode: str) -> None:
    assert problems(f"context_management: {{mode: {mode}}}") == {}


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        (
            "context_management: {mode: of}",
            "context_management.mode",
            "must be one of 'off', 'shadow' or 'enforce', got 'of'",
        ),
        ("context_management: {mode: false}", "context_management.mode", "got false"),
        ("context_management: {history: {recent_exchanges: 0}}", "context_management.history", 'must be "full"'),
        (
            "context_management: {history: {recent_exchanges: 1, recent_tokens: 1}}",
            "context_management.history",
            'must be "full"',
        ),
        ("context_management: {history: none}", "context_management.history", "got 'none'"),
        (
            'prompt: {screenshot_window_images: "3"}',
            "prompt.screenshot_window_images",
            "must be a whole number, got '3'",
        ),
        ("prompt: {screenshot_window_images: 101}", "prompt.screenshot_window_images", "must be at most 100, got 101"),
        ("prompt: {screenshot_window_images: -1}", "prompt.screenshot_window_images", "must be at least 0, got -1"),
        (
            "prompt: {screenshot_window_images: true}",
            "prompt.screenshot_window_images",
            "must be a whole number, got true",
        ),
        ("prompt: {screenshot_window_images: null}", "prompt.screenshot_window_images", "got null"),
        ("prompt: 3", "prompt", "must be a mapping, got 3"),
        ("controller: {viewport: [1280]}", "controller.viewport", "must be a list of 2 items"),
        ("controller: {viewport: [1280, 10]}", "controller.viewport[1]", "must be at least 50, got 10"),
        ("limits: {seconds: .inf}", "limits.seconds", "must be a finite number"),
        ("limits: {seconds: .nan}", "limits.seconds", "must be"),
        ("limits: {step_seconds: null}", "limits.step_seconds", "must be a number, got null"),
        ("observers: web_marks", "observers", "must be a list"),
        ("strict: 1", "strict", "must be true or false, got 1"),
        ("controller: {monitor: -1}", "controller.monitor", "must be at least 0, got -1"),
        ("controller: {address: 127.0.0.1}", "controller.address", "such as http://127.0.0.1:8765"),
        ("controller: {address: 'ftp://h'}", "controller.address", "such as http://127.0.0.1:8765"),
        ("controller: {address: 'http://:8765'}", "controller.address", "such as http://127.0.0.1:8765"),
        ("controller: {address: 'http://h:x'}", "controller.address", "such as http://127.0.0.1:8765"),
        ("controller: {address: 'http://h/device'}", "controller.address", "such as http://127.0.0.1:8765"),
        ("controller: {address: 'http://h/?token=abc'}", "controller.address", "with no token in it"),
        ("desktop: {display: mine}", "desktop.display", "must be one of 'real' or 'virtual', got 'mine'"),
        ("desktop: {input: xtest}", "desktop.input", "must be one of 'auto', 'x11' or 'pyautogui'"),
        ("desktop: {apps: [mousepad]}", "desktop.apps", "must be a mapping"),
        ("desktop: {apps: {editor: mousepad -x}}", "desktop.apps.editor", "must be a list"),
        ("desktop: {apps: {editor: []}}", "desktop.apps.editor", "must be a list of 1 items"),
        ("desktop: {apps: {editor: ['']}}", "desktop.apps.editor[0]", "must be text that is not empty"),
    ],
)
def test_wrong_values_are_said_in_plain_words(text: str, path: str, message: str) -> None:
    found = problems(text)
    assert list(found) == [path]
    assert message in found[path]


@pytest.mark.req("R-CFG-1")
@pytest.mark.parametrize(
    ("text", "path", "hint"),
    [
        (
            "prompt: {screenshot_window_image: 3}",
            "prompt.screenshot_window_image",
            "did you mean 'screenshot_window_images'?",
        ),
        ("promt: {}", "promt", "did you mean 'prompt'?"),
        ("steps: 3", "steps", "did you mean `limits.steps` of an agent?"),
        ("limits: {stpes: 3}", "limits.stpes", "did you mean 'steps'?"),
        (
            "prompt: {image_placement: end}",
            "prompt.image_placement",
            "valid here: note_view_chars, screenshot_window_images",
        ),
    ],
)
def test_an_unknown_field_gets_the_nearest_one(text: str, path: str, hint: str) -> None:
    found = problems(text)
    assert list(found) == [path]
    assert f"is an unknown field; {hint}" in found[path]


@pytest.mark.parametrize("address", ["http://127.0.0.1:8765", "https://desk.example/", "http://[::1]:9"])
def test_an_address_of_a_device(address: str) -> None:
    assert problems(f"controller: {{address: '{address}'}}") == {}


@pytest.mark.req("R-ACT-4")
def test_a_secret_in_an_address_is_refused_and_not_shown() -> None:
    found = problems("controller: {address: 'http://me:hunter2secret@127.0.0.1:8765'}")
    assert "with no token in it" in found["controller.address"]
    assert "hunter2" not in found["controller.address"]


@pytest.mark.req("R-ACT-4")
@pytest.mark.parametrize("key", ["controller: {token: abc}", "desktop: {token: abc}", "token: abc"])
def test_no_key_takes_the_token_of_a_device(key: str) -> None:
    assert "is an unknown field" in next(iter(problems(key).values()))


def test_a_limit_can_be_switched_off() -> None:
    names = ("steps", "seconds", "cost_usd", "input_tokens", "idle_steps")
    assert problems(f"limits: {{{', '.join(f'{name}: null' for name in names)}}}") == {}
