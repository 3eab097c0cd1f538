from __future__ import annotations

import pytest

from harness.controllers.web.fields import Option, match_option


def option(index: int, label: str, value: str) -> Option:
    return Option(index=index, label=label, value=value, is_selected=False, is_disabled=False)


OPTIONS = (option(0, "Two", "1"), option(1, "one", "Two"), option(2, "One", "x"), option(3, "New York", "ny"))


@pytest.mark.parametrize(
    ("wanted", "index"), [("Two", 0), ("1", 0), ("One", 2), ("ONE", 1), (" New  York ", 3), ("ny", 3), ("NY", None)]
)
def test_an_option_matches_by_label_then_value_then_folded_label(wanted: str, index: int | None) -> None:
    found = match_option(OPTIONS, wanted)
    assert (None if found is None else found.index) == index
