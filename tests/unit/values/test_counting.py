from __future__ import annotations

import pytest

from harness.values.counting import counted


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 steps"), (1, "1 step"), (2, "2 steps"), (1000000, "1000000 steps")]
)
def test_only_one_stands_without_an_s(number: int, text: str) -> None:
    assert counted(number, "step") == text
