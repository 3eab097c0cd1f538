"""A list of parts is stored as its difference to the one before."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.store.requests import build_difference, restore_parts

IDS = st.lists(st.integers(1, 9), max_size=12).map(tuple)


@pytest.mark.req("R-PRO-2")
@given(old=IDS, new=IDS)
def test_any_difference_restores_the_new_list(old: tuple[int, ...], new: tuple[int, ...]) -> None:
    assert restore_parts(old, json.loads(json.dumps(build_difference(old, new)))) == new


def test_a_changed_note_view_and_a_new_exchange_cost_two_ids() -> None:
    history = tuple(range(10, 1010))
    old, new = (1, 2, *history, 5), (1, 3, *history, 2000, 5)
    assert build_difference(old, new) == (1, [3, [1, 1000], 2000, [1001, 1]])
