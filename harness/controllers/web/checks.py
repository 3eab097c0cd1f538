"""Checks before a call on a page: its keys, and that the page is still the one the model saw."""

from __future__ import annotations

from harness.controllers.aim import CallFailed
from harness.controllers.web.keyboard import known_names, unknown_keys
from harness.controllers.web.tabs import Place
from harness.values.action import Action, Click, Drag, PressKeys
from harness.values.mark import quote_page_text


def check_keys(action: Action) -> None:
    """Refuse keys that a page's keyboard does not have.

    Raises:
        CallFailed: the text names the keys there are.
    """
    keys = action.keys if isinstance(action, Click | Drag | PressKeys) else ()
    unknown = unknown_keys(keys)
    if unknown or (isinstance(action, PressKeys) and not keys):
        raise CallFailed(f"unknown keys {list(unknown)!r}; use {known_names()}")


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
