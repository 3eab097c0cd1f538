from __future__ import annotations

import pytest

from harness.cli.options import collect_overrides
from harness.config.overrides import read_overrides


def test_values_are_yaml_and_later_ones_win() -> None:
    settings, problems = read_overrides(
        [
            "limits.steps=5",
            "limits.steps=null",
            "controller.viewport=[800, 600]",
            "context_management.history.recent_exchanges=4",
            "model=idle",
            "context_management.mode=off",
        ]
    )
    assert problems == []
    assert {path: setting.value for path, setting in settings.items()} == {
        ("limits", "steps"): None,
        ("controller", "viewport"): [800, 600],
        ("context_management", "history"): {"recent_exchanges": 4},
        ("model",): "idle",
        ("context_management", "mode"): "off",
    }
    assert {setting.origin for setting in settings.values()} == {"--set"}


@pytest.mark.parametrize(
    ("override", "problem"),
    [
        ("limits.step=5", "did you mean"),
        ("prompt.image_placement=end", "is an unknown field"),
        ("observation.policy=x", "`observation.policy` was removed: delete it"),
        ("context_management.preset=lean", "not available yet"),
        ("limits.steps", "must be path=value"),
        ("=5", "must be path=value"),
        ("limits..steps=5", "must be path=value"),
        ("limits.steps=", "has no value"),
        ("limits.steps=zero", "must be a whole number, got 'zero'"),
        ("limits.steps=[1", "not valid YAML"),
        ("extends=demo", "can't be set on the command line"),
        ("agent={}", "can't be set on the command line"),
        ("limits=5", "must be a mapping"),
    ],
)
def test_a_wrong_override_is_explained(override: str, problem: str) -> None:
    _, problems = read_overrides([override])
    assert len(problems) == 1
    assert problem in problems[0].text
    assert problems[0].file == "--set"


def test_the_short_options_become_overrides_and_win() -> None:
    overrides = collect_overrides(["limits.steps=5"], max_steps=7, max_cost=0.5)
    settings, problems = read_overrides(overrides)
    assert problems == []
    assert (settings["limits", "steps"].value, settings["limits", "cost_usd"].value) == (7, 0.5)
