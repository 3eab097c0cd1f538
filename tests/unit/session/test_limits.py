"""What a person reads when a round ends by a limit."""

from __future__ import annotations

import pytest

from harness.session.limits import reached_limit
from harness.session.state import SessionState, Totals
from harness.values.settings import Limits


@pytest.mark.req("R-RUN-2")
@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (Limits(steps=1), "the limit of 1 step is reached; raise it with --max-steps"),
        (Limits(steps=2), "the limit of 2 steps is reached; raise it with --max-steps"),
        (Limits(seconds=1.0), "the limit of 1 s is reached; raise limits.seconds"),
        (Limits(input_tokens=1), "the limit of 1 input token is reached; raise limits.input_tokens"),
    ],
)
def test_a_limit_is_told_with_its_amount(limits: Limits, text: str) -> None:
    state = SessionState(totals=Totals(steps=2, input_tokens=2))
    reached = reached_limit(state, limits, now_s=1.0)
    assert reached is not None
    assert reached[1] == text
