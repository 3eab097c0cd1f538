"""What the kind of a device decides."""

from __future__ import annotations

import pytest

from harness.config.device import OWN_OBSERVERS, choose_device, missing_address
from harness.config.layer import Setting
from harness.config.problem import Path
from harness.config.resolve import schema_defaults
from harness.config.schema import DefaultsSection
from harness.protocols import Display


def settings(**values: object) -> dict[Path, Setting]:
    """Return the schema's defaults with some values of `a__b` changed, as if a file had set them."""
    changed = {
        tuple(name.split("__")): Setting(value=value, origin="f:1")  # type: ignore[arg-type]  # plain data of a test
        for name, value in values.items()
    }
    return schema_defaults() | changed


@pytest.mark.req("R-CFG-1", "R-CFG-4")
@pytest.mark.parametrize(
    ("kind", "observers"),
    [("web", ["web_marks"]), ("desktop", ["atspi_marks"]), ("remote", ["atspi_marks"]), ("somebodys", [])],
)
def test_observers_left_open_are_the_devices_own_and_say_so(kind: str, observers: list[str]) -> None:
    chosen = choose_device(settings(controller__kind=kind), None)
    assert chosen["observers",] == Setting(value=observers, origin=f"default for {kind}")


def test_the_schema_names_the_same_observers() -> None:
    description = DefaultsSection.model_fields["observers"].description or ""
    names = dict.fromkeys(name for own in OWN_OBSERVERS.values() for name in own)
    assert f"({', '.join(names)})" in description


@pytest.mark.parametrize("observers", [[], ["atspi_marks", "atspi_recording"]])
def test_observers_that_are_named_stay(observers: list[str]) -> None:
    chosen = choose_device(settings(controller__kind="desktop", observers=observers), None)
    assert chosen["observers",] == Setting(value=observers, origin="f:1")


@pytest.mark.req("R-CLI-1")
@pytest.mark.parametrize("display", ["real", "virtual"])
def test_the_option_turns_a_web_agent_into_one_of_a_desktop(display: Display) -> None:
    chosen = choose_device(settings(observers=["web_marks"]), display)
    assert chosen["controller", "kind"] == Setting(value="desktop", origin="--desktop")
    assert chosen["desktop", "display"] == Setting(value=display, origin="--desktop")
    assert chosen["observers",].value == ["atspi_marks"]


def test_the_option_keeps_the_observers_of_an_agent_of_a_desktop() -> None:
    named = ["atspi_marks", "atspi_recording"]
    chosen = choose_device(settings(controller__kind="desktop", observers=named), "virtual")
    assert chosen["observers",] == Setting(value=named, origin="f:1")


@pytest.mark.parametrize(("kind", "is_missing"), [("web", False), ("desktop", False), ("remote", True)])
def test_only_a_remote_device_needs_an_address(kind: str, is_missing: bool) -> None:
    assert (missing_address(settings(controller__kind=kind)) is not None) is is_missing
    assert missing_address(settings(controller__kind=kind, controller__address="http://h:1")) is None
