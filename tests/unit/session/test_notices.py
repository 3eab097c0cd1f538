"""What a person hears before an agent gets their screen."""

from __future__ import annotations

import pytest

from harness.controllers.desktop.corner import STOP_CHORD
from harness.protocols import ControllerSpec
from harness.session.notices import device_notices


@pytest.mark.req("R-ACT-6")
@pytest.mark.parametrize(("platform", "has_chord"), [("linux", True), ("darwin", False), ("win32", False)])
def test_a_real_desktop_is_announced_with_the_ways_to_stop(platform: str, has_chord: bool) -> None:
    (notice,) = device_notices(ControllerSpec(kind="desktop"), platform)
    assert "takes over the pointer and keyboard" in notice
    assert "top-left corner for 1 s" in notice
    assert "Ctrl-C" in notice
    assert (STOP_CHORD in notice) is has_chord


@pytest.mark.parametrize(
    "spec",
    [
        ControllerSpec(kind="web"),
        ControllerSpec(kind="desktop", display="virtual"),
        ControllerSpec(kind="remote", address="http://127.0.0.1:1"),
    ],
)
def test_nobody_is_warned_of_a_screen_that_is_not_theirs(spec: ControllerSpec) -> None:
    assert device_notices(spec, "linux") == ()
