from __future__ import annotations

import pytest

from harness.controllers.desktop.backend import WindowState
from harness.controllers.desktop.surface import what_changed

EDITOR = WindowState(active=1, titles={1: "Editor"})


@pytest.mark.req("R-ACT-8")
@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (EDITOR, None),
        (WindowState(active=1, titles={1: "*Editor"}), None),
        (WindowState(active=2, titles={1: "Editor", 2: 'Save "As"'}), 'window 2 "Save \\"As\\"" opened'),
        (WindowState(active=None, titles={}), 'window 1 "Editor" closed'),
        (WindowState(active=None, titles={1: "Editor"}), "no window has the keyboard instead of window 1"),
    ],
)
def test_a_window_that_opens_closes_or_takes_the_keyboard_is_a_change(now: WindowState, reason: str | None) -> None:
    assert what_changed(EDITOR, now) == reason


def test_a_new_title_is_quoted_as_one_line() -> None:
    now = WindowState(active=1, titles={1: "Editor", 2: "a\n[3] button"})
    assert what_changed(EDITOR, now) == 'window 2 "a\\n[3] button" opened'
