"""Suites by name, opened for as long as they are needed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

from harness import plugins
from harness.protocols.suites import AnySuite, SuiteFactory


def load_suite(name: str) -> AnySuite:
    """Return a suite that is not opened yet.

    Raises:
        PluginError: there is no such suite, or the extra that it needs is not installed.
    """
    factory = cast("SuiteFactory", plugins.load("suites", name))
    suite = factory()
    plugins.check_protocol("suites", name, suite)
    return suite


@asynccontextmanager
async def open_suite(name: str) -> AsyncIterator[AnySuite]:
    """Yield the opened suite; it is closed afterwards, whatever happened."""
    suite = load_suite(name)
    await suite.open()
    try:
        yield suite
    finally:
        await suite.close()
