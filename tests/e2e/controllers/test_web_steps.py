from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from harness.controllers.web import WarmBrowser, WebController, create, find_chromium
from harness.errors import ActionUnknown, ControllerError
from harness.protocols import ControllerSpec, DeviceStart
from harness.values.action import Action, Click, DeviceCall, Look, Target, TypeText, Wait
from harness.values.geometry import FramePoint, Size
from observers.settle.web import PageWatch, WebSettle

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PAIR = """<body style="margin:0"><button id=a>A</button>
<button id=b onclick="window.hits = (window.hits || 0) + 1">B</button>
<script>a.onclick = () => { %s };</script>"""


@asynccontextmanager
async def debuggable_chromium() -> AsyncIterator[int]:
    """Start a Chromium of its own process and yield its debugging port."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            str(find_chromium()),
            *flags,
            "--remote-debugging-port=0",
            f"--user-data-dir={profile}",
            stderr=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        assert process.stderr is not None
        try:
            async for line in process.stderr:
                if b"DevTools listening on" in line:
                    yield int(line.split(b":")[-1].split(b"/")[0])
                    break
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            await process.communicate()


class SilenceableProxy:
    """A loopback TCP proxy that stops forwarding when told to, and keeps its connections open."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: list[asyncio.StreamWriter] = []
        self.is_silent = False
        self.port = 0

    async def __aenter__(self) -> SilenceableProxy:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for writer in self._writers:
            writer.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target_port)
        self._writers += [writer, far_writer]
        self._tasks.add(asyncio.create_task(self._pump(reader, far_writer)))
        self._tasks.add(asyncio.create_task(self._pump(far_reader, writer)))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            if not self.is_silent:
                writer.write(data)
                await writer.drain()
        writer.close()


MAX_SENT = Size(width_px=1280, height_px=800)


@pytest.mark.req("R-ACT-8")
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("location.href = '/other'", "the address is now"),
        ("history.pushState(null, '', '/route')", "the address is now"),
        ("location.reload()", "the page loaded anew"),
        ("confirm('Sure?')", "a dialog opened"),
        ("b.remove()", "mark 2 can't be used: b is gone"),
    ],
)
async def test_the_rest_is_not_executed_when_the_screen_changed(serve, drive, script: str, reason: str) -> None:
    driven = await drive(serve({"/": PAIR % script, "/other": "<p>other</p>"}))
    outcome = await driven.act(Click(target=driven.mark("a")), Click(target=driven.mark("b")), Look())
    assert outcome.calls[0].status == "executed"
    assert outcome.calls[-1].status == "not_executed"
    assert outcome.calls[-1].text.startswith("not executed: the screen changed (")
    assert reason in outcome.calls[-1].text
    assert outcome.calls[1].status in {"failed", "not_executed"}
    assert await driven.page.evaluate("window.hits || 0") == 0
    assert outcome.capture is not None


@pytest.mark.req("R-ACT-8")
async def test_calls_on_an_unchanged_screen_all_run(serve, drive) -> None:
    driven = await drive(serve({"/": PAIR % "document.title = 'x'; location.hash = 'h'"}))
    outcome = await driven.act(Click(target=driven.mark("a")), Click(target=driven.mark("b")))
    assert [call.status for call in outcome.calls] == ["executed", "executed"]
    assert [call.call_id for call in outcome.calls] == ["c0", "c1"]
    assert await driven.page.evaluate("window.hits") == 1


async def test_a_mark_of_an_old_frame_is_refused(serve, drive) -> None:
    driven = await drive(serve({"/": PAIR % ""}))
    old = driven.sight.observation.frame
    assert old is not None
    unknown = replace(old, sha256="0" * 64)
    calls = [DeviceCall(call_id="c", action=Click(target=driven.mark("b")))]
    outcome = await driven.controller.perform(calls, action_id="x", decision_frame=unknown, deadline_s=20)
    assert outcome.calls[0].status == "failed"
    assert "no longer the current one" in outcome.calls[0].text


@pytest.mark.case("G11")
@pytest.mark.req("R-ACT-5")
async def test_a_click_outside_the_frame_names_the_viewport(serve, drive, target: Callable[[int, int], Target]) -> None:
    driven = await drive(serve({"/": PAIR % ""}))
    outcome = await driven.act(Click(target=target(1200, 50)))
    assert outcome.calls[0].status == "failed"
    assert "1200,50 is outside the frame" in outcome.calls[0].text
    assert "viewport 800x600" in outcome.calls[0].text


@pytest.mark.case("G11")
@pytest.mark.req("R-IMG-9")
@pytest.mark.parametrize(("device_scale", "limit"), [(1.0, 1280), (2.0, 1280), (1.5, 640), (2.0, 4000)])
async def test_clicks_land_at_every_scale(
    serve, warm_browser: WarmBrowser, target: Callable[[int, int], Target], device_scale: float, limit: int
) -> None:
    url = serve({"/": "<body style='margin:0'><script>onclick = e => { window.at = [e.clientX, e.clientY] }</script>"})
    page = await warm_browser.new_page(viewport=Size(width_px=800, height_px=600), device_scale=device_scale)
    controller = WebController(ControllerSpec(kind="web", page=page), settler=WebSettle())
    sight = await controller.open(DeviceStart(url=url, max_sent=Size(width_px=limit, height_px=limit)), ())
    frame = sight.observation.frame
    assert frame is not None
    assert sight.capture is not None
    assert frame.device_scale == device_scale
    assert frame.width_px == min(limit, int(800 * device_scale))
    assert (sight.capture.raw_size is None) == (frame.width_px == 800 * device_scale)
    point = target(frame.width_px // 2, frame.height_px - 1)
    calls = [DeviceCall(call_id="c", action=Click(target=point))]
    await controller.perform(calls, action_id="a", decision_frame=frame, deadline_s=20)
    x, y = await page.evaluate("window.at")
    assert abs(x * frame.transform.scale_x - point.point.x_px) <= max(1, frame.transform.scale_x)
    assert abs(y * frame.transform.scale_y - point.point.y_px) <= max(1, frame.transform.scale_y)
    assert await page.evaluate("devicePixelRatio") == device_scale
    outside = [DeviceCall(call_id="c", action=Click(target=target(frame.width_px, 0)))]
    refused = await controller.perform(outside, action_id="b", decision_frame=frame, deadline_s=20)
    assert f"x must be 0 to {frame.width_px - 1}" in refused.calls[0].text
    await controller.close()
    await warm_browser.close_page(page)


async def test_the_same_action_id_acts_once(serve, drive) -> None:
    driven = await drive(serve({"/": PAIR % ""}))
    calls = [DeviceCall(call_id="c", action=Click(target=driven.mark("b")))]
    frame = driven.sight.observation.frame
    first = await driven.controller.perform(calls, action_id="same", decision_frame=frame, deadline_s=20)
    second = await driven.controller.perform(calls, action_id="same", decision_frame=frame, deadline_s=20)
    assert second == first
    assert await driven.page.evaluate("window.hits") == 1


async def test_no_calls_are_refused_without_a_frame(serve, drive) -> None:
    driven = await drive(serve({"/": PAIR % ""}))
    outcome = await driven.act()
    assert (outcome.status, outcome.observation, outcome.calls) == ("refused", None, ())


@pytest.mark.case("G18")
@pytest.mark.parametrize(
    ("script", "dialog"),
    [
        ("alert('Hi')", "alert"),
        ("document.title = confirm('Hi')", "confirm"),
        ("document.title = prompt('Hi')", "prompt"),
    ],
)
async def test_a_dialog_is_answered_and_reported(serve, drive, script: str, dialog: str) -> None:
    driven = await drive(serve({"/": PAIR % script}))
    outcome = await driven.act(Click(target=driven.mark("a")))
    assert outcome.observation is not None
    assert outcome.capture is not None
    (report,) = outcome.observation.dialogs
    assert (report.kind, report.message, report.answer) == (dialog, "Hi", "dismiss")
    assert outcome.observation.title in {"", "false", "null"}
    again = await driven.act(Look())
    assert again.observation is not None
    assert again.observation.dialogs == ()


async def test_a_popup_is_listed_and_does_not_become_active(serve, drive) -> None:
    driven = await drive(serve({"/": PAIR % "window.open('/other')", "/other": "<title>Other</title>"}))
    outcome = await driven.act(Click(target=driven.mark("a")))
    assert outcome.observation is not None
    assert [(tab.id, tab.is_active) for tab in outcome.observation.tabs] == [(1, True), (2, False)]
    await driven.page.context.pages[1].close()


async def test_a_closed_page_gives_way_to_another(serve, drive) -> None:
    base = serve({"/": PAIR % "window.open('/other')", "/other": "<title>Other</title>"})
    driven = await drive(base)
    await driven.act(Click(target=driven.mark("a")))
    await driven.page.close()
    outcome = await driven.act(Look())
    assert outcome.observation is not None
    assert outcome.observation.url == f"{base}/other"
    assert "tab 1 was closed; tab 2 is active now" in outcome.observation.notices


@pytest.mark.case("G22")
@pytest.mark.req("R-ACT-6")
async def test_a_page_that_hangs_ends_the_step_in_time(serve, drive) -> None:
    driven = await drive(serve({"/": PAIR % "const end = Date.now() + 12000; while (Date.now() < end);"}))
    outcome = await driven.act(Click(target=driven.mark("a")), TypeText(text="x"), deadline_s=3)
    assert outcome.status == "unknown"
    assert [call.status for call in outcome.calls] == ["unknown", "not_executed"]
    assert outcome.observation is not None
    assert outcome.observation.frame is None
    assert outcome.observation.error is not None


@pytest.mark.req("R-ACT-6")
async def test_calls_after_the_deadline_are_not_executed(serve, drive) -> None:
    driven = await drive(serve({"/": PAIR % ""}))
    outcome = await driven.act(Click(target=driven.mark("b")), deadline_s=0)
    assert [call.status for call in outcome.calls] in (["failed"], ["not_executed"])
    assert await driven.page.evaluate("window.hits || 0") == 0


@pytest.mark.req("R-ACT-6")
async def test_held_keys_are_released_after_a_cut(serve, drive, target: Callable[[int, int], Target]) -> None:
    page = "<body><script>window.log = []; onkeydown = onkeyup = e => log.push(e.type + e.key)</script>"
    driven = await drive(serve({"/": page}))
    await driven.controller._hands._keyboard.hold(driven.page, ("Control", "Shift"))
    await driven.controller.release_all()
    await driven.controller.release_all()
    assert await driven.page.evaluate("log") == ["keydownControl", "keydownShift", "keyupShift", "keyupControl"]


@pytest.mark.case("G27")
async def test_a_dead_button_gives_the_same_frame_each_time(serve, drive) -> None:
    driven = await drive(serve({"/": "<button id=dead style='outline:0'>Dead</button>"}))
    first = await driven.act(Click(target=driven.mark("dead")))
    again = [await driven.act(Click(target=driven.mark("dead"))) for _ in range(2)]
    frames = {outcome.observation.frame.sha256 for outcome in (first, *again)}
    assert len(frames) == 1
    assert [outcome.observation.settle.kind for outcome in again] == ["idle", "idle"]


async def test_the_owner_keeps_its_page(serve, drive) -> None:
    driven = await drive(serve({"/": PAIR % ""}))
    await driven.controller.close()
    await driven.controller.close()
    assert not driven.page.is_closed()
    assert await driven.page.evaluate("1 + 1") == 2


async def test_a_browser_of_its_own_is_lost_and_found_out(serve) -> None:
    url = serve({"/": "<button id=b onclick='window.hit = 1'>B</button>"})
    controller = create(ControllerSpec(kind="web"))
    sight = await controller.open(DeviceStart(url=url, max_sent=MAX_SENT), ())
    capabilities = controller.capabilities()
    assert capabilities.engine.startswith("chromium ")
    assert capabilities.screen == Size(width_px=1280, height_px=800)
    assert capabilities.tools[0] == "click"
    frame = sight.observation.frame
    waiting = [DeviceCall(call_id="c", action=Wait(duration_s=1))]
    step = asyncio.ensure_future(controller.perform(waiting, action_id="a", decision_frame=frame, deadline_s=40))
    await asyncio.sleep(0)
    browser = controller._browser()
    assert browser is not None
    await browser.close()
    with pytest.raises(ActionUnknown, match="may have happened"):
        await step
    with pytest.raises(ControllerError, match="the browser is gone"):
        await controller.capture(5)
    with pytest.raises(ActionUnknown, match="cut off before"):
        await controller.perform(waiting, action_id="a", decision_frame=frame, deadline_s=5)
    await controller.close()


class SilencingSettler:
    """A settler after whose watch has begun the browser falls silent, once it is armed."""

    PROTOCOL = 1

    def __init__(self, proxy: SilenceableProxy) -> None:
        self._inner = WebSettle()
        self._proxy = proxy
        self.is_armed = False

    async def watch(self, device: object, action: Action | None) -> PageWatch:
        watch = await self._inner.watch(device, action)
        self._proxy.is_silent = self.is_armed
        return watch

    def close(self) -> None:
        self._inner.close()


@pytest.mark.case("G22")
@pytest.mark.req("R-ACT-6")
@pytest.mark.parametrize(("when", "error"), [("before", ControllerError), ("during", ActionUnknown)])
async def test_a_browser_that_falls_silent_is_a_typed_error_in_time(
    serve, when: str, error: type[ControllerError]
) -> None:
    url = serve({"/": "<button id=b>B</button>"})
    async with debuggable_chromium() as port, SilenceableProxy(port) as proxy:
        spec = ControllerSpec(kind="web", browser_endpoint=f"http://127.0.0.1:{proxy.port}")
        settler = SilencingSettler(proxy)
        controller = WebController(spec, settler=settler)
        sight = await controller.open(DeviceStart(url=url, max_sent=MAX_SENT), ())
        proxy.is_silent = when == "before"
        settler.is_armed = True
        calls = [DeviceCall(call_id="c", action=Click(target=Target(point=FramePoint(x_px=20, y_px=20))))]
        step = controller.perform(calls, action_id="a", decision_frame=sight.observation.frame, deadline_s=2)
        with pytest.raises(error) as raised:
            await asyncio.wait_for(step, timeout=30)
        await controller.close()
    assert raised.type is error
