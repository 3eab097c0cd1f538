from __future__ import annotations

import pytest

from harness.config.problem import dotted
from harness.config.removed import NOT_YET, REMOVED, take_refused
from harness.config.yaml_reader import Data, parse_yaml

REMOVED_TEXTS = {
    "observation.policy",
    "observation.probe_chains",
    "desktop.use_post_action_image_as_current",
    "prompt.image_window_policy",
    "desktop.action_post_wait_seconds",
    "desktop.clipboard_first_typing",
}


def take(data: dict[str, Data], *path: str) -> tuple[dict[str, Data], list[str]]:
    kept, problems = take_refused(data, path, parse_yaml("", file="f"))
    return kept, [item.text for item in problems]


@pytest.mark.req("R-CFG-2")
def test_the_removed_fields_are_exactly_these() -> None:
    assert {dotted(field) for field in REMOVED} == REMOVED_TEXTS
    assert len(set(REMOVED.values())) == len(REMOVED), "each field has a message of its own"


@pytest.mark.req("R-CFG-2")
@pytest.mark.parametrize("field", sorted(REMOVED_TEXTS))
@pytest.mark.parametrize("value", [None, 1, "x", {}, []])
def test_a_removed_field_is_taken_out_with_an_empty_parent(field: str, value: Data) -> None:
    section, key = field.split(".")
    kept, texts = take({section: {key: value}, "model": "idle"})
    assert kept == {"model": "idle"}
    assert len(texts) == 1
    assert f"`{field}` was removed: delete it" in texts[0]


def test_the_dotted_spelling_counts_and_the_input_stays() -> None:
    data: dict[str, Data] = {"observation.policy": 1, "prompt": {"image_window_policy": 2, "note_view_chars": 3}}
    kept, texts = take(data, "defaults")
    assert kept == {"prompt": {"note_view_chars": 3}}
    assert len(texts) == 2
    assert data["prompt"] == {"image_window_policy": 2, "note_view_chars": 3}


@pytest.mark.parametrize("field", sorted(NOT_YET, key=dotted))
def test_a_planned_field_is_named_as_such(field: tuple[str, ...]) -> None:
    value: Data = 1
    for part in reversed(field):
        value = {part: value}
    assert isinstance(value, dict)
    kept, texts = take(value, "agents", "a")
    assert kept == {}
    assert texts == [f"`{dotted(field)}` is not available yet in this version; delete it"]
