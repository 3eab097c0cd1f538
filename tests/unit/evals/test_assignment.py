from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evals.suites.three_pages.assignment import draw_assignment


@given(st.integers(0, 10**9))
def test_an_assignment_is_whole_and_the_same_for_the_same_seed(seed: int) -> None:
    drawn = draw_assignment(seed)

    assert drawn == draw_assignment(seed)
    assert drawn.source in drawn.fields
    assert drawn.target in drawn.inputs
    assert drawn.target not in {field.name for field in drawn.fields}
    assert len({field.value for field in drawn.fields}) == len(drawn.fields) == 5
    assert f'"{drawn.source.name}"' in drawn.instruction
    assert drawn.source.value not in drawn.instruction


def test_other_seeds_draw_other_names_and_values() -> None:
    drawn = [draw_assignment(seed) for seed in range(20)]

    assert len({item.source.name for item in drawn}) > 3
    assert len({item.target for item in drawn}) > 3
    assert len({item.source.value for item in drawn}) == 20
