from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from harness.config import check_config, load_shipped, resolve_agent
from harness.config.loader import SHIPPED_FILE
from harness.config.reference import config_reference, default_text
from harness.config.resolve import schema_defaults
from harness.config.schema import DefaultsSection, iterate_fields
from harness.config.yaml_reader import read_yaml

ROOT = Path(__file__).parents[3]


@pytest.mark.req("R-CFG-1")
def test_the_file_in_the_repository_is_the_shipped_one() -> None:
    assert (ROOT / "agents.yaml").read_bytes() == SHIPPED_FILE.read_bytes()


@pytest.mark.req("R-CFG-1")
def test_shipped_file_schema_and_docs_have_the_same_defaults() -> None:
    shipped = load_shipped().defaults.settings
    schema = {path: setting.value for path, setting in schema_defaults().items() if path != ("model",)}
    assert {path: setting.value for path, setting in shipped.items()} == schema
    page = (ROOT / "docs/reference/config.md").read_text("utf-8")
    for path, info in iterate_fields(DefaultsSection):
        row = next(line for line in page.splitlines() if line.startswith(f"| `{'.'.join(map(str, path))}` |"))
        assert f"| `{default_text(info)}` |" in row


def test_every_shipped_agent_resolves() -> None:
    report = check_config(SHIPPED_FILE)
    assert report.is_ok
    assert report.agents == ("demo", "web-scripted", "desktop", "desktop-scripted", "desktop-random", "desktop-remote")
    assert report.warnings == ()
    demo = resolve_agent(load_shipped(), "demo")
    assert (demo.model.use, demo.controller.kind, demo.settings.mode) == ("heuristic", "web", "off")
    assert resolve_agent(load_shipped(), "web-scripted").model.use == "scripted"


@pytest.mark.req("R-CFG-1")
def test_the_shipped_desktop_agents_act_on_desktops() -> None:
    agents = {name: resolve_agent(load_shipped(), name) for name in load_shipped().agents if name.startswith("desktop")}
    assert {name: (agent.controller.kind, agent.model.use) for name, agent in agents.items()} == {
        "desktop": ("desktop", "heuristic"),
        "desktop-scripted": ("desktop", "scripted"),
        "desktop-random": ("desktop", "random"),
        "desktop-remote": ("remote", "heuristic"),
    }
    assert all(agent.observers == ("atspi_marks",) for agent in agents.values())
    assert agents["desktop-random"].controller.display == "virtual", "chance never gets a person's own screen"
    assert agents["desktop"].controller.display == "real"
    started = {words[0] for agent in agents.values() for words in agent.controller.apps.values()}
    assert not started & {"sh", "bash", "xterm", "gnome-terminal"}, "no shell by default"


def test_generated_pages_are_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("generate_reference", ROOT / "scripts/generate_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.stale_pages(ROOT) == (), "run scripts/generate_reference.py"


def test_the_json_schema_is_published_and_forbids_unknown_keys() -> None:
    schema = json.loads((ROOT / "docs/reference/agents.schema.json").read_text("utf-8"))
    assert schema["additionalProperties"] is False
    assert schema["$defs"]["PromptSection"]["properties"]["screenshot_window_images"]["default"] == 3
    assert set(read_yaml(SHIPPED_FILE).data or {}) <= set(schema["properties"])


def test_the_page_names_every_removed_field() -> None:
    page = config_reference()
    assert page.count("`prompt.image_window_policy`") == 1
    assert "`desktop.clipboard_first_typing`" in page
