"""Errors cross the wire and stay what they are."""

from __future__ import annotations

from typing import get_args

import pytest

from harness import errors
from harness.controllers.device.failures import error_of, failed, fault
from harness.controllers.device.messages import Failed, FailureKind
from harness.errors import (
    ActionUnknown,
    ConfigError,
    ControllerError,
    EmergencyStop,
    HarnessError,
    ObservationError,
    PackageClash,
    PluginError,
    StorageBusy,
    UsageError,
)


@pytest.mark.parametrize(
    ("raised", "comes_back"),
    [
        (ControllerError, ControllerError),
        (ActionUnknown, ActionUnknown),
        (EmergencyStop, EmergencyStop),
        (ObservationError, ObservationError),
        (PluginError, PluginError),
        (PackageClash, PluginError),
        (UsageError, UsageError),
        (ConfigError, UsageError),
        (StorageBusy, ControllerError),
    ],
)
def test_a_typed_error_comes_back_typed(raised: type[HarnessError], comes_back: type[HarnessError]) -> None:
    error = error_of(failed(raised("the text; what to do")))
    assert type(error) is comes_back
    assert str(error) == "the text; what to do"


@pytest.mark.parametrize("kind", get_args(FailureKind))
def test_every_kind_of_failure_is_an_error_of_that_kind(kind: FailureKind) -> None:
    assert failed(error_of(Failed(failure=kind, text="the text"))).failure == (
        "controller" if kind == "fault" else kind
    )


def test_every_error_of_the_harness_has_a_kind() -> None:
    classes = [item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, HarnessError)]
    assert len(classes) > 15
    for cls in classes:
        assert failed(cls.__new__(cls)).failure != "fault"


def test_an_error_nobody_meant_is_the_devices_own_and_its_traceback_is_kept(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise RuntimeError("oops")
    except RuntimeError as exc:
        failure = fault(exc)
    error = error_of(failure)
    assert type(error) is ControllerError
    assert "a mistake of its own: RuntimeError: oops" in str(error)
    assert "test_failures.py" not in str(error)
    assert "test_failures.py" in caplog.text


def test_an_endless_traceback_is_cut() -> None:
    assert len(fault(RuntimeError("x" * 100_000)).details) < 10_000
