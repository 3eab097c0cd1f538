"""The check between the calls of a step: the page is still the one the model saw."""

from __future__ import annotations

from harness.controllers.web.tabs import Place
from harness.values.mark import quote_page_text


def what_changed(before: Place, now: Place) -> str | None:
    """Return in what the page differs from the one at the step's start, or None."""
    if now.tab != before.tab:
        return f"tab {now.tab} is active instead of tab {before.tab}"
    if now.dialogs != before.dialogs:
        return "a dialog opened"
    if now.route != before.route:
        return f"the address is now {quote_page_text(now.route)}"
    if now.document != before.document:
        return "the page loaded anew"
    return None
