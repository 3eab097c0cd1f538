from __future__ import annotations

import pytest

from harness.controllers.desktop.programs import OPENBOX, XVFB, missing_text
from harness.errors import ControllerError

NOWHERE = {"PATH": "/nonexistent"}


@pytest.mark.req("R-ACT-1")
def test_what_is_missing_is_told_with_the_way_to_install_it() -> None:
    text = missing_text("a virtual desktop", (XVFB, OPENBOX))
    assert text.startswith(
        "a virtual desktop needs programs that are not installed: Xvfb, openbox; run `transom doctor"
    )
    assert text.endswith("apt-get install --no-install-recommends xvfb openbox")


def test_a_program_that_is_required_and_absent_is_named() -> None:
    with pytest.raises(ControllerError, match=r"Xvfb is not installed; run: .*apt-get install .* xvfb$"):
        XVFB.require(NOWHERE)
