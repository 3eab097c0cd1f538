"""MiniWoB++: small web tasks with a reward of their own."""

from __future__ import annotations

from evals.suites.miniwob.pages import find_pages
from evals.suites.miniwob.suite import MiniWobSuite


def create() -> MiniWobSuite:
    """Return the suite, not opened yet.

    Raises:
        PluginError: the package that holds the pages is not installed; the text names the extra.
    """
    return MiniWobSuite(find_pages())
