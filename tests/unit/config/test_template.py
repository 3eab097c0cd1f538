from __future__ import annotations

from harness.config.template import starter_text
from harness.config.yaml_reader import parse_yaml


def test_a_provider_gets_a_model_entry_with_its_limit() -> None:
    data = parse_yaml(starter_text("some_provider", model='x "y": #z', context_tokens=9), file="f").data
    assert isinstance(data, dict)
    assert data["models"] == {"main": {"use": "some_provider", "model": 'x "y": #z', "context_tokens": 9}}
    agents = data["agents"]
    assert isinstance(agents, dict)
    assert isinstance(agents["web"], dict)
    assert agents["web"]["model"] == "main"


def test_a_keyless_one_needs_none() -> None:
    data = parse_yaml(starter_text("heuristic"), file="f").data
    assert isinstance(data, dict)
    assert "models" not in data
