"""Names of the installed plug-ins, without loading any."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from harness.config.schema import KEYLESS_POLICIES


@cache
def installed(group: str) -> frozenset[str]:
    """Return the names in an entry-point group, for example `transom.policies`; looked up once."""
    return frozenset(point.name for point in entry_points(group=group))


def installed_providers() -> tuple[str, ...]:
    """Return the installed policies that talk to a model, sorted."""
    return tuple(sorted(installed("transom.policies") - set(KEYLESS_POLICIES)))
