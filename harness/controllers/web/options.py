"""Choosing an option of a select element."""

from __future__ import annotations

from typing import Final

from playwright.async_api import Page

from harness.controllers.aim import Aim, CallFailed, place_text
from harness.controllers.deadline import Deadline
from harness.controllers.web import fields
from harness.values.action import SelectOption
from harness.values.mark import quote_page_text

SHOWN_OPTIONS: Final = 20


async def choose_option(page: Page, action: SelectOption, place: Aim, deadline: Deadline) -> str:
    """Choose an option of the select element at the target, and return what was chosen.

    Raises:
        CallFailed: no select element is there, or no such option; the text names the options.
        PlaywrightError: the page refused or is gone.
    """
    select = await fields.find_select(page, place.point(action.target))
    if select is None:
        raise CallFailed(
            f"there is no select element at {place_text(action.target)}; click it and then click the choice instead"
        )
    options = await fields.list_options(select)
    chosen = fields.match_option(options, action.value)
    if chosen is None:
        raise CallFailed(
            f"there is no option {quote_page_text(action.value)}; the options are {_option_names(options)}"
        )
    if chosen.is_disabled:
        raise CallFailed(
            f"the option {quote_page_text(chosen.label)} is disabled; the options are {_option_names(options)}"
        )
    await select.select_option(index=chosen.index, timeout=deadline.left_s * 1000)
    return f"selected {quote_page_text(chosen.label)} at {place_text(action.target)}"


def _option_names(options: tuple[fields.Option, ...]) -> str:
    names = [quote_page_text(option.label or option.value) for option in options if not option.is_disabled]
    more = f" and {len(names) - SHOWN_OPTIONS} more" if len(names) > SHOWN_OPTIONS else ""
    return (", ".join(names[:SHOWN_OPTIONS]) or "none") + more
