from __future__ import annotations

import inspect

import pytest
from Xlib import error

from harness.controllers.desktop.x11.connection import (
    OPENING_ERRORS,
    REFUSALS,
    check_version,
    display_errors,
    open_display,
)
from harness.errors import ControllerError

pytestmark = [pytest.mark.req("R-ACT-1")]


def test_every_error_of_the_driver_is_known() -> None:
    classes = [kind for _, kind in inspect.getmembers(error, inspect.isclass) if issubclass(kind, Exception)]
    assert len(classes) > 20
    unknown = [kind for kind in classes if not issubclass(kind, (*OPENING_ERRORS, *REFUSALS))]
    assert unknown == []


@pytest.mark.parametrize(
    ("raised", "text"),
    [
        (error.BadLength(None, bytes(32)), "refused reading: "),
        (error.ResourceIDError("out of resource ids"), "refused reading: out of resource ids; open the device again"),
        (error.ConnectionClosedError("server"), "the display is gone while reading: .*closed by server; start"),
    ],
)
def test_errors_of_the_driver_do_not_leave(raised: Exception, text: str) -> None:
    with pytest.raises(ControllerError, match=text) as caught, display_errors("reading"):
        raise raised
    assert caught.value.__cause__ is raised


def test_other_errors_pass() -> None:
    with pytest.raises(KeyError), display_errors("reading"):
        raise KeyError


def test_an_old_driver_is_refused_with_what_to_do() -> None:
    check_version((0, 33))
    with pytest.raises(ControllerError, match=r"python-xlib is 0\.15.*pip install --force-reinstall --no-deps"):
        check_version((0, 15))


def test_without_a_display_the_variable_is_named() -> None:
    with pytest.raises(ControllerError, match="DISPLAY is not set"):
        open_display({})


def test_a_name_of_no_display_is_refused() -> None:
    with pytest.raises(ControllerError, match="'nonsense' can't be opened"):
        open_display({"DISPLAY": "nonsense"})
