"""Going to another page: by address, back and forward."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, assert_never

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.values.action import GoBack, GoForward, Navigate
from harness.values.mark import quote_page_text

NAVIGATION_S: Final = 15.0


async def travel(page: Page, action: Navigate | GoBack | GoForward, deadline: Deadline) -> str:
    """Open a page or step through the history, up to the moment the new document is there; return what happened.

    Raises:
        CallFailed: nothing opened; the text says why.
        PlaywrightError: the page is gone.
    """
    timeout_ms = max(1.0, min(NAVIGATION_S, deadline.left_s) * 1000)
    match action:
        case Navigate():
            return await _open(page, action.url, timeout_ms)
        case GoBack():
            return await _step_history(page, lambda: page.go_back(wait_until="commit", timeout=timeout_ms), "back")
        case GoForward():
            return await _step_history(
                page, lambda: page.go_forward(wait_until="commit", timeout=timeout_ms), "forward"
            )
        case _:
            assert_never(action)


async def _open(page: Page, url: str, timeout_ms: float) -> str:
    try:
        answer = await page.goto(url, wait_until="commit", timeout=timeout_ms)
    except PlaywrightError as exc:
        if page.is_closed():
            raise
        raise CallFailed(f"{quote_page_text(url)} did not open: {navigation_reason(exc)}") from exc
    status = "" if answer is None or answer.ok else f" with HTTP status {answer.status}"
    return f"opened {quote_page_text(page.url)}{status}"


async def _step_history(page: Page, move: Callable[[], Awaitable[object]], direction: str) -> str:
    before = page.url
    try:
        answer = await move()
    except PlaywrightError as exc:
        if page.is_closed():
            raise
        raise CallFailed(f"going {direction} failed: {navigation_reason(exc)}") from exc
    if answer is None and page.url == before:
        raise CallFailed(f"there is no page to go {direction} to; still at {quote_page_text(before)}")
    return f"went {direction} to {quote_page_text(page.url)}"


def navigation_reason(exc: PlaywrightError) -> str:
    """Return why a navigation failed in words, without Playwright's call log."""
    line = str(exc).splitlines()[0] if str(exc) else type(exc).__name__
    for prefix in ("Page.goto: ", "Page.go_back: ", "Page.go_forward: "):
        line = line.removeprefix(prefix)
    return quote_page_text(line.partition(" at http")[0])
