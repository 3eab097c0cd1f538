from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.config.migrate import plan_migration
from harness.config.removed import REMOVED
from harness.errors import ConfigError

FIELDS = sorted(REMOVED)
OLD = """\
# my agents
version: 1   # keep

defaults:
  # about images
  prompt:
    image_window_policy: sliding   # gone
    screenshot_window_images: 3    # stays
  # about observing
  observation:
    policy: probe
    probe_chains:
      - a
      - b
  context_management: {mode: off}
agents:
  demo:   # the demo
    model: heuristic
    desktop: {clipboard_first_typing: true}
    prompt: {image_window_policy: "x", note_view_chars: 9}
  desk:
    desktop:
      clipboard_first_typing: true   # gone
      marks_image: true              # stays
      action_post_wait_seconds: 2
      apps: {editor: [mousepad]}

  other: {observation: {policy: a}, model: idle, desktop: {action_post_wait_seconds: 1,
    use_post_action_image_as_current: true}}
"""
NEW = """\
# my agents
version: 1   # keep

defaults:
  # about images
  prompt:
    screenshot_window_images: 3    # stays
  # about observing
  context_management: {mode: off}
agents:
  demo:   # the demo
    model: heuristic
    prompt: {note_view_chars: 9}
  desk:
    desktop:
      marks_image: true              # stays
      apps: {editor: [mousepad]}

  other: {model: idle}
"""


@pytest.mark.req("R-CFG-2")
def test_exactly_the_removed_fields_go() -> None:
    migration = plan_migration(OLD, file="f")
    assert migration.text == NEW
    assert [(item.path, item.line) for item in migration.deleted] == [
        ("defaults.prompt.image_window_policy", 7),
        ("defaults.observation.policy", 11),
        ("defaults.observation.probe_chains", 12),
        ("agents.demo.desktop.clipboard_first_typing", 19),
        ("agents.demo.prompt.image_window_policy", 20),
        ("agents.desk.desktop.clipboard_first_typing", 23),
        ("agents.desk.desktop.action_post_wait_seconds", 25),
        ("agents.other.observation.policy", 28),
        ("agents.other.desktop.action_post_wait_seconds", 28),
        ("agents.other.desktop.use_post_action_image_as_current", 29),
    ]


def test_a_migrated_text_has_nothing_left_to_do() -> None:
    migration = plan_migration(NEW, file="f")
    assert migration.text == NEW
    assert migration.deleted == ()


@settings(max_examples=50)
@given(
    chosen=st.lists(st.tuples(st.sampled_from(["", "defaults", "demo"]), st.sampled_from(FIELDS)), unique=True),
    with_neighbour=st.booleans(),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_the_result_is_the_file_that_never_had_them(
    chosen: list[tuple[str, tuple[str, str]]], with_neighbour: bool, end: str
) -> None:
    def text(*, with_removed: bool) -> str:
        lines = ["version: 1  # one"]
        lines += section("", "", with_removed=with_removed)
        lines += ["defaults:", "  model: idle # m", *section("defaults", "  ", with_removed=with_removed)]
        lines += ["agents:", "  demo:", "    model: idle", *section("demo", "    ", with_removed=with_removed), "# end"]
        return end.join(lines) + end

    def section(place: str, indent: str, *, with_removed: bool) -> list[str]:
        lines = []
        for parent in ("observation", "desktop", "prompt"):
            keys = [key for where, (name, key) in chosen if where == place and name == parent]
            inner = [f"{indent}  {key}: [1, 2] # gone" for key in keys] if with_removed else []
            inner += [f"{indent}  # kept", f"{indent}  other: 'x'"] if with_neighbour else []
            lines += [f"{indent}# about {parent}", *([f"{indent}{parent}:", *inner] if inner else [])]
        return lines

    migration = plan_migration(text(with_removed=True), file="f")
    assert migration.text == text(with_removed=False)
    assert len(migration.deleted) == len(chosen)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("version: 1\nobservation.policy: x\n", "version: 1\n"),
        ("version: 1\ndefaults:\n  observation:\n    policy: |\n      a\n      b\n\n  model: idle\n", None),
        ("agents:\n  a:\n    observation:\n      policy: x", "agents:\n  a:\n"),
        ("agents: {a: {model: idle, observation: {policy: x}}}", "agents: {a: {model: idle}}"),
        ("agents: {a: {observation: {policy: x, probe_chains: y}, model: idle}}", "agents: {a: {model: idle}}"),
        ("agents: {a: {desktop: {x: 1, action_post_wait_seconds: 1, clipboard_first_typing: 2}}}", None),
        (
            "defaults: &d {observation: {policy: x}, model: idle}\nagents: {a: *d}\n",
            "defaults: &d {model: idle}\nagents: {a: *d}\n",
        ),
        ("\ufeffobservation: {policy: x}\nversion: 1\n", None),
    ],
)
def test_odd_shapes(old: str, new: str | None) -> None:
    migration = plan_migration(old, file="f")
    assert new is None or migration.text == new
    assert plan_migration(migration.text, file="f").deleted == ()


def test_what_cannot_be_cut_safely_is_left_to_the_user() -> None:
    text = "defaults:\n  observation: {policy: &p x}\n  model: *p\n"
    with pytest.raises(ConfigError, match="delete it by hand") as caught:
        plan_migration(text, file="f")
    assert caught.value.line == 2
