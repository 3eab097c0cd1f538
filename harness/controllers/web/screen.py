"""Screenshots of a page: the fast CDP path, Playwright's own where that is not available."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from harness.controllers.deadline import Deadline, DeadlineReached
from harness.controllers.frames import DeviceArea
from harness.values.geometry import Size

FAST_CAP_S = 5.0
_VIEWPORT_JS = "() => ({width: innerWidth, height: innerHeight, scale: devicePixelRatio})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """A screenshot as captured.

    Attributes:
        png: Its bytes.
        area: The viewport it shows, in CSS pixels.
        degraded: Why the fast path was not used, or None.
    """

    png: bytes
    area: DeviceArea
    degraded: str | None = None


class PageScreen:
    """Takes screenshots of one page. Nothing it does is visible to the page."""

    def __init__(self, page: Page, *, is_chromium: bool) -> None:
        self._page = page
        self._is_chromium = is_chromium
        self._session: CDPSession | None = None
        self._metrics: tuple[int, int] | None = None

    async def viewport(self, deadline: Deadline) -> Size:
        """Return the size of the viewport in CSS pixels."""
        known = self._page.viewport_size
        if known is not None:
            return Size(width_px=known["width"], height_px=known["height"])
        seen = await deadline.run(self._page.evaluate(_VIEWPORT_JS), "reading the viewport")
        return Size(width_px=int(seen["width"]), height_px=int(seen["height"]))

    async def shoot(self, deadline: Deadline) -> Shot:
        """Return a screenshot of the viewport.

        Raises:
            PlaywrightError: the page is gone.
            DeadlineReached: neither path answered in time.
        """
        size = await self.viewport(deadline)
        area = DeviceArea(width=size.width_px, height=size.height_px)
        if not self._is_chromium:
            return Shot(png=await self._slow(deadline), area=area)
        try:
            cap_s = min(FAST_CAP_S, deadline.left_s / 2)
            return Shot(png=await deadline.run(self._fast(deadline), "the fast capture", cap_s=cap_s), area=area)
        except (PlaywrightError, DeadlineReached, KeyError, binascii.Error) as exc:
            why = str(exc).splitlines()[0] if str(exc) else type(exc).__name__
            self._session = None
            return Shot(png=await self._slow(deadline), area=area, degraded=f"the fast capture failed: {why}")

    async def _fast(self, deadline: Deadline) -> bytes:
        session = await self._attached()
        await self._keep_scale(session, deadline)
        # optimizeForSpeed: up to 2.7 times faster on busy pages for files that are a third larger or more.
        answer = await session.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
        return base64.b64decode(answer["data"], validate=True)

    async def _attached(self) -> CDPSession:
        if self._session is None:
            self._session = await self._page.context.new_cdp_session(self._page)
            self._metrics = None
        return self._session

    async def _keep_scale(self, session: CDPSession, deadline: Deadline) -> None:
        # A session of its own captures at scale 1 whatever the page's scale is, and `clip.scale` resets the page's
        # devicePixelRatio. Repeating the page's own metrics on this session gives physical pixels and changes nothing.
        size = self._page.viewport_size
        if size is None or self._metrics == (size["width"], size["height"]):
            return
        seen = await deadline.run(self._page.evaluate(_VIEWPORT_JS), "reading the device scale")
        if seen["scale"] != 1:
            metrics = {
                "width": size["width"],
                "height": size["height"],
                "screenWidth": size["width"],
                "screenHeight": size["height"],
                "deviceScaleFactor": seen["scale"],
                "mobile": False,
            }
            await session.send("Emulation.setDeviceMetricsOverride", metrics)
        self._metrics = (size["width"], size["height"])

    async def _slow(self, deadline: Deadline) -> bytes:
        timeout_ms = max(1.0, deadline.left_s * 1000)
        # caret="initial": hiding it would insert a style sheet that the page can see.
        shot = self._page.screenshot(type="png", scale="device", caret="initial", timeout=timeout_ms)
        return await deadline.run(shot, "the screenshot")
