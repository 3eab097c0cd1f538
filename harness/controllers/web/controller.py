"""The controller of a web page."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import ClassVar, Final

from playwright.async_api import Browser, Page
from playwright.async_api import Error as PlaywrightError

from harness.controllers.checks import Seen
from harness.controllers.deadline import Deadline, DeadlineReached
from harness.controllers.memory import OutcomeMemory
from harness.controllers.sensors import load_observers, load_settler
from harness.controllers.step import SETTLE_CAP_S, StepRun, run_calls
from harness.controllers.web.actions import Hands
from harness.controllers.web.launch import WarmBrowser, first_line, open_browser
from harness.controllers.web.navigation import NAVIGATION_S
from harness.controllers.web.sight import Eyes
from harness.controllers.web.surface import PageSurface
from harness.controllers.web.tabs import Tabs
from harness.errors import ControllerError
from harness.protocols import CONTROLLER_PROTOCOL, Capabilities, ControllerSpec, DeviceStart, MarkObserver, Settler
from harness.values.action import DeviceCall
from harness.values.frame import Frame
from harness.values.observation import SettleReport, Sight
from harness.values.outcome import Outcome
from harness.values.recording import Recording

WEB_TOOLS: Final = (
    "click",
    "move",
    "drag",
    "scroll",
    "type_text",
    "press_keys",
    "wait",
    "look",
    "navigate",
    "go_back",
    "go_forward",
    "hover",
    "select_option",
)
# After the step's deadline: time to see what came of it, to tell a dead browser from a slow page, to let go.
_LOOK_GRACE_S: Final = 1.2
_PROBE_S: Final = 0.4
_RELEASE_S: Final = 0.3
_FIRST_LOOK_S: Final = 10.0


class WebController:
    """Acts on the active page of a browser context. Performs one step at a time.

    Points are pixels of the decision frame and become CSS pixels of the viewport by that frame's transform alone.
    """

    PROTOCOL: ClassVar[int] = CONTROLLER_PROTOCOL

    def __init__(
        self, spec: ControllerSpec, *, observer: MarkObserver | None = None, settler: Settler | None = None
    ) -> None:
        self._spec = spec
        self._observer = observer
        self._settler = settler
        self._warm: WarmBrowser | None = None
        self._tabs: Tabs | None = None
        self._eyes: Eyes | None = None
        self._hands = Hands()
        self._memory = OutcomeMemory()
        self._turn = asyncio.Lock()
        self._device_scale = 1.0

    async def open(self, start: DeviceStart, observers: Sequence[str] = ("web_marks",)) -> Sight:
        """Start or attach to the browser, open the first page and return its first sight.

        Raises:
            ControllerError: the browser can't be started, or the first page does not open.
        """
        self._observer = self._observer or load_observers(observers).marks
        self._settler = self._settler or load_settler("web_settle")
        page = await self._first_page()
        self._tabs = Tabs(page.context, page)
        self._eyes = Eyes(
            self._tabs,
            observer=self._observer,
            max_sent=start.max_sent,
            text_chars=self._spec.page_text_chars,
            is_chromium=_engine_name(page, self._spec) == "chromium",
        )
        try:
            settle = await self._go_to(page, start.url)
            sight = await self._eyes.look(Deadline(_FIRST_LOOK_S), source="runtime", settle=settle)
        except BaseException:
            await self.close()
            raise
        if sight.capture is not None:
            self._device_scale = sight.capture.frame.device_scale
        return sight

    def capabilities(self) -> Capabilities:
        """Return what the opened page can do."""
        assert self._tabs is not None
        assert self._eyes is not None
        browser = self._tabs.active.context.browser
        version = "" if browser is None else f" {browser.version}"
        return Capabilities(
            tools=WEB_TOOLS,
            note_tool="web_note",
            screen=self._eyes.screen,
            device_scale=self._device_scale,
            engine=f"{_engine_name(self._tabs.active, self._spec)}{version}",
            marks_image=True,
        )

    async def capture(self, deadline_s: float) -> Sight:
        """Return what the page shows now; a failed capture is an observation without a frame.

        Raises:
            ControllerError: the browser is gone.
        """
        async with self._turn:
            deadline = Deadline(deadline_s)
            _, eyes = await self._ready(deadline)
            return await eyes.look(deadline, source="runtime", settle=None)

    async def perform(
        self, calls: Sequence[DeviceCall], *, action_id: str, decision_frame: Frame | None, deadline_s: float
    ) -> Outcome:
        """Run the calls in order against the frame the model saw, settle, and return one frame.

        The same `action_id` again returns the stored outcome and does nothing. It ends at most 2 s after `deadline_s`.

        Raises:
            ActionUnknown: the browser was lost after a call may have reached it.
            ControllerError: the browser was lost before anything reached it.
        """
        async with self._turn:
            stored = self._memory.recall(action_id)
            if stored is not None:
                return stored
            if not calls:
                return Outcome(action_id=action_id, status="refused", calls=(), observation=None)
            return await self._perform(calls, action_id, decision_frame, Deadline(deadline_s))

    async def _perform(
        self, calls: Sequence[DeviceCall], action_id: str, frame: Frame | None, deadline: Deadline
    ) -> Outcome:
        tabs, eyes = await self._ready(deadline)
        assert self._settler is not None
        screen_text = f"viewport {eyes.screen.width_px}x{eyes.screen.height_px} CSS px"
        surface = PageSurface(
            tabs=tabs,
            hands=self._hands,
            settler=self._settler,
            observer=self._observer,
            seen=Seen(frame=frame, marking=eyes.marking(frame), screen_text=screen_text),
        )
        run = StepRun(surface=surface, deadline=deadline)
        self._memory.begin(action_id)
        try:
            await run_calls(run, calls)
            await self.release_all()
            sight = await self._look_after(run, eyes)
        except (PlaywrightError, DeadlineReached, ControllerError) as exc:
            raise self._lost(run, action_id, exc) from exc
        return self._memory.keep(run.outcome(action_id, sight))

    async def _look_after(self, run: StepRun, eyes: Eyes) -> Sight:
        grace = run.deadline.extended(_LOOK_GRACE_S)
        await self._ready(grace)
        sight = await eyes.look(grace, source="action", settle=run.settle)
        if sight.capture is None and not await self._is_alive():
            raise ControllerError(f"the browser does not answer: {sight.observation.error}")
        return sight

    def _lost(self, run: StepRun, action_id: str, exc: Exception) -> ControllerError:
        if not run.may_have_acted:
            self._memory.forget(action_id)
        return run.lost(action_id, device="browser", reason=first_line(exc), again="start a new browser")

    async def collect_recordings(self, deadline_s: float) -> tuple[Recording, ...]:
        """Return none: nothing records a page."""
        return ()

    async def release_all(self) -> None:
        """Release every held key and button; safe at any time."""
        with contextlib.suppress(PlaywrightError, DeadlineReached):
            await Deadline(_RELEASE_S).run(self._hands.release(), "releasing keys and buttons")

    async def close(self) -> None:
        """Close the browser if this controller started it; a page that somebody else owns stays as it is."""
        await self.release_all()
        if self._settler is not None:
            self._settler.close()
        if self._tabs is not None:
            self._tabs.detach()
        if self._warm is not None:
            warm, self._warm = self._warm, None
            await warm.close()

    async def _first_page(self) -> Page:
        given = self._spec.page
        if isinstance(given, Page):
            return given
        if given is not None:
            raise ControllerError(f"page is a {type(given).__name__}; give a page of playwright.async_api")
        self._warm = await open_browser(self._spec)
        try:
            return await self._warm.new_page(viewport=self._spec.viewport, device_scale=self._spec.device_scale or 1.0)
        except BaseException:
            await self.close()
            raise

    async def _go_to(self, page: Page, url: str | None) -> SettleReport | None:
        if url is None:
            return None
        assert self._settler is not None
        watch = await self._settler.watch(page, None)
        try:
            await page.goto(url, wait_until="commit", timeout=NAVIGATION_S * 1000)
        except PlaywrightError as exc:
            raise ControllerError(
                f"the start page {url!r} did not open: {first_line(exc)}; check the address and that its server runs"
            ) from exc
        finally:
            report = await watch.settled(cap_s=SETTLE_CAP_S)
        return report

    async def _ready(self, deadline: Deadline) -> tuple[Tabs, Eyes]:
        """Return the parts of an opened controller, with an active page that lives.

        Raises:
            ControllerError: the browser is gone.
        """
        assert self._tabs is not None, "open the controller first"
        assert self._eyes is not None
        browser = self._browser()
        if browser is not None and not browser.is_connected():
            raise ControllerError("the browser is gone; resume the session to start a new one")
        if self._tabs.is_active_lost and not self._tabs.activate_another():
            await self._open_empty_page(deadline)
        return self._tabs, self._eyes

    async def _open_empty_page(self, deadline: Deadline) -> None:
        assert self._tabs is not None
        try:
            await deadline.run(self._tabs.active.context.new_page(), "opening an empty page")
        except (PlaywrightError, DeadlineReached) as exc:
            raise ControllerError(f"the last page is gone and no new one opens: {first_line(exc)}") from exc
        self._tabs.activate_another()

    def _browser(self) -> Browser | None:
        assert self._tabs is not None
        return self._tabs.active.context.browser

    async def _is_alive(self) -> bool:
        assert self._tabs is not None
        context = self._tabs.active.context
        try:
            # Answered by the browser process: a page that hangs does not hold it up.
            await Deadline(_PROBE_S).run(context.cookies("http://localhost"), "the browser")
        except (PlaywrightError, DeadlineReached):
            return False
        return True


def create(spec: ControllerSpec) -> WebController:
    """Return a web controller that is not opened yet."""
    return WebController(spec)


def _engine_name(page: Page, spec: ControllerSpec) -> str:
    browser = page.context.browser
    return spec.browser if browser is None else browser.browser_type.name
