"""`transom device serve`: its options, and what it tells a person."""

from __future__ import annotations

import re

import pytest
import yaml

from harness.cli.device import announcement, parse_apps
from harness.controllers.remote.address import Token
from harness.controllers.remote.serving import Served, ServingPlan
from harness.errors import UsageError
from harness.protocols import ControllerSpec, Display

_NEW = Token(value="a-new-secret-0123456789", is_new=True)
_GIVEN = Token(value="a-given-secret-0123456789", is_new=False)


def _text(*, display: Display = "virtual", host: str = "127.0.0.1", token: Token = _NEW) -> str:
    plan = ServingPlan(spec=ControllerSpec(kind="desktop", display=display), host=host, port=0)
    return announcement(Served(plan=plan, address=f"http://{host}:8765", token=token))


@pytest.mark.req("R-ACT-4")
def test_it_says_everything_a_person_needs() -> None:
    text = _text()
    assert "http://127.0.0.1:8765" in text
    assert "export TRANSOM_DEVICE_TOKEN=a-new-secret-0123456789" in text
    assert text.count("a-new-secret-0123456789") == 1
    assert "ssh -N -L 8765:127.0.0.1:8765 " in text
    assert "Ctrl-C" in text


def test_its_yaml_is_a_controller() -> None:
    line = re.search(r"^ +(controller: .*)$", _text(), re.MULTILINE)
    assert line is not None
    assert yaml.safe_load(line[1]) == {"controller": {"kind": "remote", "address": "http://127.0.0.1:8765"}}


@pytest.mark.req("R-ACT-4")
def test_a_token_that_was_given_is_not_repeated() -> None:
    text = _text(token=_GIVEN)
    assert "secret" not in text
    assert "set TRANSOM_DEVICE_TOKEN to the value that it has here" in text


def test_a_real_desktop_comes_with_a_warning() -> None:
    warning = "Whoever has the token sees this screen and controls its mouse and keyboard."
    assert warning in _text(display="real")
    assert warning not in _text(display="virtual")


def test_an_address_that_others_can_reach_comes_with_a_warning() -> None:
    text = _text(host="0.0.0.0", token=_GIVEN)
    assert "Warning: 0.0.0.0 can be reached from other machines" in text
    assert "does not encrypt" in text


def test_applications_are_split_without_a_shell() -> None:
    apps = parse_apps(["editor=mousepad --disable-server", "say=xterm -e 'echo $HOME; id' \"a b\"", "x=a=b"])
    assert apps == {
        "editor": ("mousepad", "--disable-server"),
        "say": ("xterm", "-e", "echo $HOME; id", "a b"),
        "x": ("a=b",),
    }


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        (["editor"], "takes NAME=COMMAND"),
        (["=mousepad"], "takes NAME=COMMAND"),
        (["editor="], "takes NAME=COMMAND"),
        (["a b=c"], "takes NAME=COMMAND"),
        (["editor='a"], "open quote"),
        (["a=b", "a=c"], "twice"),
    ],
)
def test_what_is_no_application_says_why(items: list[str], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        parse_apps(items)
