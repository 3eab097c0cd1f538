"""The whole controller on a desktop in memory: what is captured, where calls land, what is refused."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from desktop_session import wait_for
from fake_desktop import FakeBackend, FakeScreen, FakeWindows, fake_window

from harness.controllers.desktop.controller import DesktopController
from harness.errors import ActionUnknown, ControllerError
from harness.protocols import ControllerSpec, DeviceStart
from harness.values.action import (
    Action,
    Click,
    DeviceCall,
    Drag,
    FocusWindow,
    ListWindows,
    Look,
    Navigate,
    PressKeys,
    ReadClipboard,
    Target,
    TypeText,
    Wait,
    WriteClipboard,
)
from harness.values.desktop import DeviceBox
from harness.values.frame import Frame
from harness.values.geometry import FramePoint, Size
from harness.values.outcome import Outcome

START = DeviceStart(url=None, max_sent=Size(width_px=1280, height_px=800))
LEFT = DeviceBox(x=-1920, y=0, width=1920, height=1080)
MIDDLE = DeviceBox(x=0, y=0, width=2560, height=1440)
RIGHT = DeviceBox(x=2560, y=200, width=1280, height=1024)


def at(x_px: int, y_px: int) -> Target:
    return Target(point=FramePoint(x_px=x_px, y_px=y_px))


class Opened:
    """An opened controller with the frame its model saw last."""

    def __init__(self, controller: DesktopController, backend: FakeBackend, frame: Frame | None) -> None:
        self.controller = controller
        self.backend = backend
        self.frame = frame
        self._number = 0

    async def perform(self, *actions: Action, deadline_s: float = 10.0, action_id: str | None = None) -> Outcome:
        self._number += 1
        calls = [DeviceCall(call_id=f"c{index}", action=action) for index, action in enumerate(actions)]
        name = action_id or f"a{self._number}"
        return await self.controller.perform(calls, action_id=name, decision_frame=self.frame, deadline_s=deadline_s)


@asynccontextmanager
async def opened(backend: FakeBackend, *, monitor: int = 1) -> AsyncIterator[Opened]:
    spec = ControllerSpec(kind="desktop", display="virtual", monitor=monitor, environment={})
    controller = DesktopController(spec, backend=backend)
    sight = await controller.open(START, ())
    try:
        yield Opened(controller, backend, sight.observation.frame)
    finally:
        await controller.close()


@pytest.mark.case("G08")
@pytest.mark.req("R-IMG-9")
async def test_a_click_is_aimed_by_the_image_that_the_model_saw() -> None:
    points = DeviceBox(x=0, y=0, width=1440, height=813)
    async with opened(FakeBackend(FakeScreen(points, scale=2.0))) as desktop:
        frame = desktop.frame
        assert frame is not None
        assert (frame.width_px, frame.device_scale) == (1280, 2.0)
        seen = FramePoint(x_px=round(700 * 1280 / 1440), y_px=round(400 * frame.height_px / 813))
        await desktop.perform(Click(target=Target(point=seen)))
        landed = desktop.backend.log.positions[-1]
        assert abs(landed.x - 700) * 1280 / 1440 <= 1
        assert abs(landed.y - 400) * 1280 / 1440 <= 1


@pytest.mark.case("G09")
@pytest.mark.parametrize(("number", "box"), [(1, LEFT), (2, MIDDLE), (3, RIGHT)])
async def test_the_chosen_monitor_is_captured_and_clicked(number: int, box: DeviceBox) -> None:
    backend = FakeBackend(FakeScreen(LEFT, MIDDLE, RIGHT))
    async with opened(backend, monitor=number) as desktop:
        assert desktop.frame is not None
        assert set(backend.screen.grabbed) == {number}
        last = at(desktop.frame.width_px - 1, desktop.frame.height_px - 1)
        await desktop.perform(Click(target=at(0, 0)))
        assert box.contains(backend.log.positions[-1])
        await desktop.perform(Click(target=last))
        assert box.contains(backend.log.positions[-1])
        assert backend.log.positions[-1].x > box.x + box.width - 2 * box.width / desktop.frame.width_px


async def test_a_monitor_that_is_not_there_lists_those_that_are() -> None:
    backend = FakeBackend(FakeScreen(LEFT, MIDDLE))
    with pytest.raises(ControllerError, match=r"no monitor 7.*1920x1080"):
        async with opened(backend, monitor=7):
            pass
    assert backend.is_closed


@pytest.mark.req("R-ACT-5")
@pytest.mark.parametrize(
    ("action", "said"),
    [
        (Click(target=at(320, 10)), "x must be 0 to 319 and y 0 to 199 (screen 320x200 px)"),
        (PressKeys(keys=("Control", "Hyper")), "unknown keys ['Hyper']"),
        (PressKeys(keys=()), "unknown keys"),
        (Drag(path=(at(1, 1),)), "at least two points"),
        (Navigate(url="https://example.org"), "works in a browser, not on a desktop"),
        (FocusWindow(window=9), "there is no window 9"),
    ],
)
async def test_what_can_not_be_done_is_refused_and_nothing_moves(action: Action, said: str) -> None:
    async with opened(FakeBackend()) as desktop:
        outcome = await desktop.perform(action)
        assert outcome.calls[0].status == "failed"
        assert said in outcome.calls[0].text
        assert desktop.backend.log.lines == []
        assert outcome.observation is not None
        assert outcome.observation.frame is not None


@pytest.mark.req("R-ACT-8")
async def test_a_window_that_opens_ends_the_step() -> None:
    backend = FakeBackend(windows=FakeWindows(fake_window(1, is_active=True)))
    async with opened(backend) as desktop:
        dialog = fake_window(2, "Save?", is_active=True)
        backend.keyboard.on_type = lambda: setattr(backend.windows, "open", (dialog, fake_window(1)))
        outcome = await desktop.perform(TypeText(text="x"), Click(target=at(5, 5)), Look())
        assert [call.status for call in outcome.calls] == ["executed", "not_executed", "not_executed"]
        assert 'window 2 "Save?" opened' in outcome.calls[1].text
        assert all("down" not in line for line in backend.log.lines)
        assert outcome.observation is not None
        assert (outcome.observation.title, len(outcome.observation.windows)) == ("Save?", 2)


async def test_windows_and_the_clipboard_are_told_as_quoted_text() -> None:
    backend = FakeBackend(windows=FakeWindows(fake_window(3, 'a "b"\n[1] button', is_active=True)))
    async with opened(backend) as desktop:
        outcome = await desktop.perform(
            ListWindows(), WriteClipboard(text="one\ntwo"), ReadClipboard(), FocusWindow(window=3)
        )
        told = [call.text for call in outcome.calls]
        assert told[0] == 'window 3 (active): "a \\"b\\"\\n[1] button"'
        assert told[1] == "put 7 characters on the clipboard"
        assert told[2] == 'the clipboard holds "one\\ntwo"'
        assert told[3] == "window 3 has the keyboard"


@pytest.mark.req("R-ACT-4")
async def test_the_same_action_twice_acts_once() -> None:
    async with opened(FakeBackend()) as desktop:
        first = await desktop.perform(Click(target=at(5, 5)), action_id="same")
        again = await desktop.perform(Click(target=at(5, 5)), action_id="same")
        assert desktop.backend.log.lines.count("left down") == 1
        assert again.calls == first.calls


@pytest.mark.req("R-ACT-6")
@pytest.mark.parametrize("action", [Wait(duration_s=60), TypeText(text="x")])
async def test_a_step_ends_with_its_deadline_and_lets_go(action: Action) -> None:
    backend = FakeBackend()
    backend.keyboard.takes_s = 1.5
    async with opened(backend) as desktop:
        releases = backend.releases
        async with asyncio.timeout(3.0):
            outcome = await desktop.perform(action, deadline_s=1.0)
        assert outcome.calls[0].status in {"executed", "unknown"}
        await asyncio.to_thread(wait_for, lambda: backend.releases > releases, "a release")


@pytest.mark.req("R-ACT-6")
async def test_what_was_held_is_released_at_the_start_after_each_step_and_at_the_end() -> None:
    backend = FakeBackend()
    async with opened(backend) as desktop:
        assert backend.releases == 1
        await desktop.perform(Click(target=at(5, 5)))
        assert backend.releases == 2
    assert backend.releases == 3
    assert backend.is_closed


@pytest.mark.req("R-ACT-6")
async def test_a_release_cuts_off_the_drag_that_is_going_on() -> None:
    backend = FakeBackend()
    there_and_back = (at(10, 10), at(300, 190)) * 100  # half a minute of moves
    async with opened(backend) as desktop:
        dragging = asyncio.create_task(desktop.perform(Drag(path=there_and_back, keys=("Control",)), deadline_s=60))
        await asyncio.to_thread(wait_for, lambda: "left down" in backend.log.lines, "the drag to begin")
        releases = backend.releases
        async with asyncio.timeout(3.0):
            await desktop.controller.release_all()
            outcome = await dragging
        assert backend.releases > releases
        assert outcome.calls[0].status == "failed"
        assert "cut off" in outcome.calls[0].text
        assert backend.log.lines[-2:] == ["left up", "Control up"]


@pytest.mark.req("R-ACT-6")
async def test_a_display_that_does_not_answer_between_calls_ends_the_step_in_time() -> None:
    backend = FakeBackend()
    async with opened(backend) as desktop:
        backend.keyboard.on_type = lambda: setattr(backend.windows, "hangs_s", 3.0)
        async with asyncio.timeout(4.0):
            outcome = await desktop.perform(TypeText(text="x"), Look(), deadline_s=1.0)
        backend.windows.hangs_s = 0.0
        assert outcome.calls[1].status == "not_executed"


@pytest.mark.req("R-IMG-13")
async def test_a_picture_that_is_too_large_is_no_frame_and_says_why() -> None:
    backend = FakeBackend()
    async with opened(backend) as desktop:
        backend.screen.claimed = Size(width_px=9000, height_px=9000)
        outcome = await desktop.perform(Look())
        assert outcome.status == "done"
        assert outcome.observation is not None
        assert outcome.observation.frame is None
        assert "9000x9000" in (outcome.observation.error or "")


def break_pointer(backend: FakeBackend) -> None:
    backend.pointer.problem = ControllerError("the display is gone")


def break_windows(backend: FakeBackend) -> None:
    backend.windows.problem = ControllerError("the display is gone")


@pytest.mark.req("R-HIS-6")
@pytest.mark.parametrize(("broken", "error"), [(break_pointer, ActionUnknown), (break_windows, ControllerError)])
async def test_a_display_that_is_lost_says_whether_anything_may_have_happened(
    broken: Callable[[FakeBackend], None], error: type[ControllerError]
) -> None:
    async with opened(FakeBackend()) as desktop:
        broken(desktop.backend)
        with pytest.raises(ControllerError) as caught:
            await desktop.perform(Click(target=at(5, 5)))
        assert type(caught.value) is error


async def test_a_start_page_is_refused_before_anything_is_opened() -> None:
    backend = FakeBackend()
    controller = DesktopController(ControllerSpec(kind="desktop", environment={}), backend=backend)
    with pytest.raises(ControllerError, match="opens no URL"):
        await controller.open(DeviceStart(url="https://example.org", max_sent=START.max_sent), ())
    assert backend.releases == 0
