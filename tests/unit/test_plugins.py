from __future__ import annotations

import pytest

from harness import plugins
from harness.errors import PluginError


class Speaks:
    def __init__(self, protocol: object) -> None:
        self.PROTOCOL = protocol


def test_names_lists_a_group_under_both_spellings() -> None:
    assert "scripted" in plugins.names("policies")
    assert plugins.names("policies") == plugins.names("transom.policies")


def test_an_unknown_group_lists_the_groups() -> None:
    with pytest.raises(PluginError, match=r"'policy'.*transom\.controllers"):
        plugins.names("policy")


def test_an_unknown_name_lists_the_near_match_and_all() -> None:
    with pytest.raises(PluginError, match=r"unknown policy 'scriptd'; did you mean 'scripted'\?; available: .*idle"):
        plugins.load("policies", "scriptd")


@pytest.mark.parametrize("group", ["policies", "controllers", "observers", "suites"])
def test_another_protocol_version_is_refused(group: str) -> None:
    plugins.check_protocol(group, "x", Speaks(1))
    plugins.check_protocol(group, "x", object())
    with pytest.raises(PluginError, match="speaks protocol 2, this transom speaks 1"):
        plugins.check_protocol(group, "x", Speaks(2))


def test_groups_without_a_protocol_take_any_version() -> None:
    plugins.check_protocol("commands", "x", Speaks(7))


@pytest.mark.parametrize(
    ("module", "extra"),
    [("playwright.async_api", "web"), ("miniwob", "evals"), ("openai", "openai"), ("os", None)],
)
def test_extra_for(module: str, extra: str | None) -> None:
    assert plugins.extra_for(module) == extra


def test_this_environment_has_no_clash() -> None:
    assert [report.problem for report in plugins.check_packages()] == ["", "", "", ""]
