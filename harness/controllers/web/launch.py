"""Starting a browser, or connecting to one, and making fresh pages in it."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Sequence
from typing import Final

from playwright.async_api import Browser, BrowserContext, BrowserType, Page, Playwright, ProxySettings, async_playwright
from playwright.async_api import Error as PlaywrightError

from harness.controllers.web.chromium import find_chromium
from harness.errors import ControllerError
from harness.protocols import ControllerSpec
from harness.values.geometry import Size

START_S: Final = 30.0
CLOSE_S: Final = 4.0
_QUIET_FLAGS: Final = (
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_NO_SANDBOX_FLAGS: Final = ("--no-sandbox",)
_HEADLESS_FLAGS: Final = ("--disable-gpu",)
# Without it WebRTC sends UDP past the proxy and shows the page local addresses; the flag of the same name that
# begins with `--force-` has no effect.
_PROXY_FLAGS: Final = ("--webrtc-ip-handling-policy=disable_non_proxied_udp",)


class WarmBrowser:
    """A running browser that hands out pages, each in a fresh context of its own."""

    def __init__(self, *, driver: Playwright, browser: Browser, engine: str) -> None:
        self._driver = driver
        self._browser = browser
        self._contexts: dict[Page, BrowserContext] = {}
        self.engine = engine

    @property
    def is_connected(self) -> bool:
        """Whether the browser still answers to this process."""
        return self._browser.is_connected()

    async def new_page(self, *, viewport: Size, device_scale: float = 1.0) -> Page:
        """Return an empty page in a context of its own: no shared cookies, service workers blocked.

        Raises:
            ControllerError: the browser is gone.
        """
        try:
            async with asyncio.timeout(START_S):
                context = await self._browser.new_context(
                    viewport={"width": viewport.width_px, "height": viewport.height_px},
                    device_scale_factor=device_scale,
                    service_workers="block",
                    accept_downloads=False,
                )
                page = await context.new_page()
        except (PlaywrightError, TimeoutError) as exc:
            raise ControllerError(f"the browser gave no new page: {first_line(exc)}; start it again") from exc
        self._contexts[page] = context
        return page

    async def close_page(self, page: Page) -> None:
        """Close a page that `new_page` returned, with its context; a dead one is forgotten."""
        context = self._contexts.pop(page, None)
        if context is not None:
            await _closed_quietly(context)

    async def close(self) -> None:
        """Close every page and the browser, or disconnect from one that was connected to."""
        for page in tuple(self._contexts):
            await self.close_page(page)
        await _closed_quietly(self._browser)
        with contextlib.suppress(PlaywrightError, TimeoutError):
            await asyncio.wait_for(self._driver.stop(), CLOSE_S)


async def open_browser(spec: ControllerSpec, *, flags: Sequence[str] = ()) -> WarmBrowser:
    """Start the browser that `spec` names, or connect to `spec.browser_endpoint`.

    Args:
        spec: Browser, proxy, headed or not, endpoint; page fields are not used.
        flags: Further command-line flags, Chromium only.

    Raises:
        ControllerError: it can't be started; the text says what to do.
    """
    driver = await async_playwright().start()
    try:
        async with asyncio.timeout(START_S):
            browser, remark = await _start(driver, spec, flags)
    except (PlaywrightError, TimeoutError) as exc:
        await driver.stop()
        raise ControllerError(_start_failure(spec, exc)) from exc
    except BaseException:
        await driver.stop()
        raise
    return WarmBrowser(driver=driver, browser=browser, engine=f"{spec.browser} {browser.version}{remark}")


async def _start(driver: Playwright, spec: ControllerSpec, flags: Sequence[str]) -> tuple[Browser, str]:
    """Return the browser and a remark on how it had to be started; empty for none."""
    if spec.browser_endpoint is not None:
        return await driver.chromium.connect_over_cdp(spec.browser_endpoint), ""
    proxy: ProxySettings | None = None if spec.proxy is None else {"server": spec.proxy}
    if spec.browser != "chromium":
        return await _engine(driver, spec.browser).launch(headless=not spec.is_headed, proxy=proxy), ""
    if not _is_root():
        with contextlib.suppress(PlaywrightError):
            return await _launch_chromium(driver, spec, flags, proxy, has_sandbox=True), ""
    return await _launch_chromium(driver, spec, flags, proxy, has_sandbox=False), " without its sandbox"


async def _launch_chromium(
    driver: Playwright, spec: ControllerSpec, flags: Sequence[str], proxy: ProxySettings | None, *, has_sandbox: bool
) -> Browser:
    return await driver.chromium.launch(
        executable_path=_chromium_path(is_headed=spec.is_headed),
        headless=not spec.is_headed,
        args=[*_chromium_flags(spec, has_sandbox=has_sandbox), *flags],
        chromium_sandbox=has_sandbox,
        proxy=proxy,
    )


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _engine(driver: Playwright, name: str) -> BrowserType:
    engines = {"firefox": driver.firefox, "webkit": driver.webkit}
    if name not in engines:
        raise ControllerError(f"controller.browser is {name!r}; use 'chromium', 'firefox' or 'webkit'")
    return engines[name]


def _chromium_path(*, is_headed: bool) -> str:
    found = find_chromium(is_headed=is_headed)
    if found is None:
        raise ControllerError(
            "no Chromium found: looked at TRANSOM_BROWSER, the PATH and Playwright's downloads; "
            "run `transom doctor --fix` or set TRANSOM_BROWSER to one"
        )
    return str(found)


def _chromium_flags(spec: ControllerSpec, *, has_sandbox: bool) -> tuple[str, ...]:
    return (
        *_QUIET_FLAGS,
        *(() if has_sandbox else _NO_SANDBOX_FLAGS),
        *(() if spec.is_headed else _HEADLESS_FLAGS),
        *(() if spec.proxy is None else _PROXY_FLAGS),
    )


def _start_failure(spec: ControllerSpec, exc: BaseException) -> str:
    if spec.browser_endpoint is not None:
        return (
            f"no browser answers at {spec.browser_endpoint!r}: {first_line(exc)}; "
            "start one with --remote-debugging-port and give its address"
        )
    return f"{spec.browser} did not start: {first_line(exc)}; run `transom doctor --fix`"


def first_line(exc: BaseException) -> str:
    """Return what a Playwright error says, without its call log."""
    lines = [line for line in str(exc).splitlines() if line.strip()]
    return lines[0].strip() if lines else type(exc).__name__


async def _closed_quietly(resource: BrowserContext | Browser) -> None:
    with contextlib.suppress(PlaywrightError, TimeoutError):
        await asyncio.wait_for(resource.close(), CLOSE_S)
