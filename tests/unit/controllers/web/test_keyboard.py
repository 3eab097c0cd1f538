from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.controllers.web.keyboard import known_names, split_runs, unknown_keys


@pytest.mark.req("R-ACT-5")
@pytest.mark.parametrize(
    ("keys", "unknown"),
    [
        (("Control", "a"), ()),
        (("Enter",), ()),
        (("é",), ()),
        (("Control", "é"), ("é",)),
        (("Banana",), ("Banana",)),
        (("ctrl", "a"), ("ctrl",)),
        (("\n",), ("\n",)),
    ],
)
def test_unknown_keys_are_found(keys: tuple[str, ...], unknown: tuple[str, ...]) -> None:
    assert unknown_keys(keys) == unknown


def test_the_names_that_are_shown_are_known() -> None:
    shown = [name for name in known_names().split(", ") if name.isalnum()]
    assert "ArrowLeft" in shown
    assert unknown_keys(("Control", *shown)) == ()


@given(st.text())
@pytest.mark.case("G15")
def test_runs_lose_no_character(text: str) -> None:
    assert "".join(split_runs(text)) == text


@given(st.text(min_size=1))
@pytest.mark.case("G17")
def test_no_run_mixes_keys_with_line_breaks(text: str) -> None:
    for run in split_runs(text):
        assert "\n" not in run or not any(" " <= char <= "~" for char in run)
