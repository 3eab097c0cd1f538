"""A bundled site of three pages that can be walked in one direction only."""

from __future__ import annotations

from evals.suites.three_pages.suite import ThreePagesSuite


def create() -> ThreePagesSuite:
    """Return the suite, not opened yet."""
    return ThreePagesSuite()
