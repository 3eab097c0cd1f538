from __future__ import annotations

import pytest

from harness.controllers.desktop.preflight import check_display, display_notices, explain_blank


def answers(_display: str) -> bool:
    return True


def is_silent(_display: str) -> bool:
    return False


@pytest.mark.req("R-ACT-1")
@pytest.mark.case("G33")
@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "there is no display: DISPLAY is not set"),
        ({"DISPLAY": ""}, "there is no display: DISPLAY is not set"),
        ({"XDG_SESSION_TYPE": "tty"}, "a text session (XDG_SESSION_TYPE='tty')"),
        ({"XDG_SESSION_TYPE": "wayland"}, "this is a Wayland session (XDG_SESSION_TYPE='wayland') without an X server"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "this is a Wayland session (WAYLAND_DISPLAY='wayland-0') without an X"),
        ({"DISPLAY": "nonsense"}, "DISPLAY is 'nonsense', which names no display"),
    ],
)
def test_a_desktop_that_cannot_be_driven_is_named_with_its_cure(environment: dict[str, str], said: str) -> None:
    problem = check_display(environment, "linux", knock=answers)
    assert problem is not None
    assert said in problem
    assert "--desktop virtual" in problem


@pytest.mark.case("G33")
def test_a_wayland_session_is_told_to_log_in_with_x11() -> None:
    for environment, knock in (
        ({"XDG_SESSION_TYPE": "wayland"}, answers),
        ({"XDG_SESSION_TYPE": "wayland", "DISPLAY": ":0"}, is_silent),
    ):
        problem = check_display(environment, "linux", knock=knock)
        assert problem is not None
        assert "log in with an X11 session" in problem


@pytest.mark.case("G33")
def test_a_display_where_nobody_answers_is_a_problem() -> None:
    problem = check_display({"DISPLAY": ":7", "XDG_SESSION_TYPE": "x11"}, "linux", knock=is_silent)
    assert problem is not None
    assert problem.startswith("DISPLAY is ':7', but no X server answers there")


def test_a_display_that_answers_is_fine() -> None:
    environment = {"DISPLAY": ":7", "XDG_SESSION_TYPE": "x11", "WAYLAND_DISPLAY": "wayland-0"}
    assert check_display(environment, "linux", knock=answers) is None
    assert display_notices(environment, "linux") == ()


@pytest.mark.case("G33")
def test_a_display_inside_wayland_comes_with_its_limits() -> None:
    environment = {"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland", "WAYLAND_DISPLAY": "wayland-0"}
    assert check_display(environment, "linux", knock=answers) is None
    (notice,) = display_notices(environment, "linux")
    assert "captures are black and input reaches X11 programs only" in notice


def test_a_display_of_another_machine_is_not_asked() -> None:
    assert check_display({"DISPLAY": "laptop.example:0.0"}, "linux") is None


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_other_systems_need_no_display(platform: str) -> None:
    assert check_display({}, platform, knock=is_silent) is None


def test_macos_is_told_which_permissions_it_needs_and_that_they_are_not_checked() -> None:
    (notice,) = display_notices({}, "darwin")
    for words in ("Screen Recording", "Accessibility", "Privacy & Security", "can't tell whether they are granted"):
        assert words in notice
    assert display_notices({}, "win32") == ()


@pytest.mark.case("G33")
@pytest.mark.parametrize(
    ("environment", "platform", "said"),
    [
        ({"XDG_SESSION_TYPE": "wayland"}, "linux", "Wayland session (XDG_SESSION_TYPE='wayland')"),
        ({"XDG_SESSION_TYPE": "x11", "DISPLAY": ":3"}, "linux", "X11 session (XDG_SESSION_TYPE='x11') at DISPLAY ':3'"),
        ({}, "darwin", "Screen Recording"),
        ({}, "win32", "unlock it"),
    ],
)
def test_a_black_screen_is_explained(environment: dict[str, str], platform: str, said: str) -> None:
    assert said in explain_blank(environment, platform)
