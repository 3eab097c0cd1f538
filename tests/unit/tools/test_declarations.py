from __future__ import annotations

import json

import pytest

from harness.tools.declarations import DEVICE_TOOLS, TOOLS, declare

PROMISED = {
    "click": {"mark", "at", "button", "count", "keys"},
    "move": {"mark", "at"},
    "drag": {"from", "to", "path", "keys"},
    "scroll": {"mark", "at", "dx", "dy"},
    "type_text": {"text", "mark"},
    "press_keys": {"keys"},
    "wait": {"seconds"},
    "look": set(),
    "zoom": {"box"},
    "navigate": {"url"},
    "go_back": set(),
    "go_forward": set(),
    "hover": {"mark", "at"},
    "select_option": {"mark", "value"},
    "launch": {"app"},
    "list_windows": set(),
    "focus_window": {"window"},
    "read_clipboard": set(),
    "write_clipboard": {"text"},
    "note": {"text", "kind", "reason", "key"},
    "web_note": {"text", "kind", "reason", "key"},
    "finish": {"success", "answer"},
    "ask_user": {"question"},
    "read_record": {"ref", "step_range", "find", "offset"},
}


@pytest.mark.req("R-ACT-0")
def test_names_and_arguments_are_the_promised_ones() -> None:
    declared = {tool.name: set(json.loads(tool.parameters_json)["properties"]) for tool in declare(TOOLS)}
    assert declared == PROMISED


def test_schemas_are_closed_canonical_and_described() -> None:
    for tool in declare(TOOLS):
        schema = json.loads(tool.parameters_json)
        assert schema["additionalProperties"] is False
        assert tool.parameters_json == json.dumps(schema, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        assert tool.description
        assert tool.owner == ("device" if tool.name in DEVICE_TOOLS else "harness")
        for word in ('"$ref"', '"$defs"', '"title"', '"null"', '"ge"', '"le"', "Arguments"):
            assert word not in tool.parameters_json


def test_the_order_is_fixed_and_each_tool_comes_once() -> None:
    names = [tool.name for tool in declare(["finish", "look", "click", "look"])]
    assert names == ["click", "look", "finish"]


@pytest.mark.req("R-ACT-0", "R-PRO-3")
def test_the_desktop_tools_follow_those_of_the_web_in_the_fixed_order() -> None:
    names = list(TOOLS)
    at = names.index("select_option") + 1
    assert names[at : at + 5] == ["launch", "list_windows", "focus_window", "read_clipboard", "write_clipboard"]
    assert set(names[:at]) | {"launch"} <= DEVICE_TOOLS.keys()


@pytest.mark.req("R-ACT-1")
def test_the_model_reads_what_it_may_launch() -> None:
    (launch,) = declare(["launch"], apps=("editor", "files"))
    assert json.loads(launch.parameters_json)["properties"]["app"]["enum"] == ["editor", "files"]
    (bare,) = declare(["launch"])
    assert "enum" not in bare.parameters_json, "what one device offers must not stay for the next"


def test_bounds_stand_in_the_schema() -> None:
    (click,) = declare(["click"])
    properties = json.loads(click.parameters_json)["properties"]
    assert (properties["count"]["minimum"], properties["count"]["maximum"]) == (1, 3)
    assert properties["at"]["items"] == {"type": "integer"}
    assert (properties["at"]["minItems"], properties["at"]["maxItems"]) == (2, 2)


def test_an_unknown_tool_of_a_controller_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'clik' is no neutral tool.*closest: \['click'\]"):
        declare(["clik"])
