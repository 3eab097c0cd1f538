"""The settle watch on a real display: the frame that follows is the one that stays."""

from __future__ import annotations

import asyncio
import gc
import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from bare_display import BareDisplay
from busy_client import Answering, Repeating
from desktop_session import DesktopSession, wait_for
from settle_desk import CAP_S, Hand, JudgedFrame, ScreenView, SettleDesk
from x_client import XClient, x_client
from Xlib import X

from harness.errors import ControllerError
from harness.values.action import Action, Click, Launch, Look, Move, PressKeys, Scroll, Target, TypeText
from harness.values.geometry import FramePoint
from observers.settle.desktop import DesktopSettle, open_alarm
from observers.settle.polling import Ticker

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-3")]
AT = Target(point=FramePoint(x_px=0, y_px=0))
CLICK, DOUBLE_CLICK, SCROLL, MOVE = (
    Click(target=AT),
    Click(target=AT, count=2),
    Scroll(target=AT, dy=3),
    Move(target=AT),
)
LAUNCH = Launch(app="any")
Step = tuple[str, Action, Callable[[], object]]


@pytest.fixture
def hand(desktop: DesktopSession) -> Hand:
    return Hand(desktop.display)


@pytest.fixture
def desk(desktop: DesktopSession) -> Iterator[SettleDesk]:
    """Return a desk that hears the events of its display."""
    with closing(SettleDesk(ScreenView(desktop.environment), DesktopSettle())) as made:
        yield made


@pytest.fixture(params=["events", "pictures"])
def any_desk(request: pytest.FixtureRequest, desktop: DesktopSession) -> Iterator[SettleDesk]:
    """Return a desk that hears events, and one that only compares pictures, as on Windows and macOS."""
    shown = {} if request.param == "pictures" else None
    with closing(SettleDesk(ScreenView(desktop.environment, shown=shown), DesktopSettle())) as made:
        yield made


@pytest.fixture
def client(desktop: DesktopSession) -> Iterator[XClient]:
    with x_client(desktop.environment) as made:
        yield made


# -- frames of real applications


def _steps(desktop: DesktopSession, hand: Hand) -> Iterator[Step]:
    """Yield what people do with applications, about forty steps."""
    text = desktop.home / "settle.txt"
    text.write_text("a line of text\n" * 200, encoding="utf-8")
    yield "launch mousepad", LAUNCH, lambda: desktop.start(["mousepad", str(text)])
    yield "click in text", CLICK, lambda: hand.click(640, 400)
    yield "open a menu", CLICK, lambda: hand.click(337, 180)
    yield "close it", PressKeys(keys=("Escape",)), lambda: hand.press("Escape")
    yield "dialog by chord", PressKeys(keys=("Control", "o")), lambda: hand.press("Control_L", "o")
    yield "close the dialog", PressKeys(keys=("Escape",)), lambda: hand.press("Escape")
    yield "find bar", PressKeys(keys=("Control", "f")), lambda: hand.press("Control_L", "f")
    yield "type a word", TypeText(text="line"), lambda: hand.press_each("line")
    yield "find next", PressKeys(keys=("Enter",)), lambda: hand.press("Return")
    yield "close the bar", PressKeys(keys=("Escape",)), lambda: hand.press("Escape")
    yield "scroll", SCROLL, lambda: hand.click(640, 400, button=5, count=3)
    yield "select all", PressKeys(keys=("Control", "a")), lambda: hand.press("Control_L", "a")
    yield "copy", PressKeys(keys=("Control", "c")), lambda: hand.press("Control_L", "c")
    yield "type over it", TypeText(text="x" * 40), lambda: hand.press_each("x" * 40)
    yield "menu of help", PressKeys(keys=("Alt", "h")), lambda: hand.press("Alt_L", "h")
    yield "last item", PressKeys(keys=("ArrowUp",)), lambda: hand.press("Up")
    yield "about dialog", PressKeys(keys=("Enter",)), lambda: hand.press("Return")
    yield "close about", PressKeys(keys=("Escape",)), lambda: hand.press("Escape")
    yield "close unsaved", PressKeys(keys=("Control", "w")), lambda: hand.press("Control_L", "w")
    desktop.reset()
    yield "launch pcmanfm", LAUNCH, lambda: desktop.start(["pcmanfm", "/"])
    yield "enter a folder", DOUBLE_CLICK, lambda: hand.click(525, 260, count=2)
    yield "and back", PressKeys(keys=("Backspace",)), lambda: hand.press("BackSpace")
    yield "context menu", Click(target=AT, button="right"), lambda: hand.click(900, 600, button=3)
    yield "close the context menu", PressKeys(keys=("Escape",)), lambda: hand.press("Escape")
    yield "properties", PressKeys(keys=("Alt", "Enter")), lambda: hand.press("Alt_L", "Return")
    yield "close properties", PressKeys(keys=("Escape",)), lambda: hand.press("Escape")
    desktop.reset()
    yield "launch gnumeric", LAUNCH, lambda: desktop.start(["gnumeric"])
    yield "type into a cell", TypeText(text="12\n"), lambda: hand.press_each(["1", "2", "Return"])
    yield "format dialog", PressKeys(keys=("Control", "1")), lambda: hand.press("Control_L", "1")
    yield "close format", PressKeys(keys=("Escape",)), lambda: hand.press("Escape")
    desktop.reset()
    yield "launch featherpad", LAUNCH, lambda: desktop.start(["featherpad", str(text)])
    yield "click in qt text", CLICK, lambda: hand.click(640, 400)
    yield "qt menu", CLICK, lambda: hand.click(310, 170)
    yield "close qt menu", PressKeys(keys=("Escape",)), lambda: hand.press("Escape")
    yield "qt dialog", PressKeys(keys=("Control", "o")), lambda: hand.press("Control_L", "o")
    yield "close qt dialog", PressKeys(keys=("Escape",)), lambda: hand.press("Escape")
    yield "qt scroll", SCROLL, lambda: hand.click(640, 400, button=5, count=3)
    desktop.reset()
    yield "launch xterm", LAUNCH, lambda: desktop.start(["xterm"])
    yield "type a command", TypeText(text="ls /"), lambda: hand.press_each(["l", "s", "space", "slash"])
    yield "run it", PressKeys(keys=("Enter",)), lambda: hand.press("Return")
    desktop.reset()


async def _judge(desk: SettleDesk, steps: Iterator[Step]) -> list[JudgedFrame]:
    return [await desk.judged(*step) for step in steps]


def _assert_right(frames: list[JudgedFrame], *, allowed: int) -> None:
    wrong = [str(frame) for frame in frames if not frame.is_right]
    assert len(wrong) <= allowed, f"{len(wrong)} of {len(frames)} frames are wrong: {wrong}"


async def test_forty_frames_are_settled(
    desk: SettleDesk, desktop: DesktopSession, hand: Hand, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    frames = await _judge(desk, _steps(desktop, hand))
    assert len(frames) >= 40
    _assert_right(frames, allowed=1)
    assert "compared instead" not in caplog.text, "the events of the display told of every change"


@pytest.mark.soak
async def test_of_two_hundred_frames_ninety_nine_of_a_hundred_are_settled(
    desk: SettleDesk, desktop: DesktopSession, hand: Hand
) -> None:
    frames: list[JudgedFrame] = []
    while len(frames) < 200:
        frames += await _judge(desk, _steps(desktop, hand))
    for label, group in itertools.groupby(sorted(frames, key=lambda frame: frame.label), lambda frame: frame.label):
        waits = sorted(frame.report.waited_s for frame in group)
        print(f"{label}: median {waits[len(waits) // 2] * 1000:.0f} ms, slowest {waits[-1] * 1000:.0f} ms")  # noqa: T201
    print(f"{sum(not frame.is_right for frame in frames)} of {len(frames)} frames are wrong")  # noqa: T201
    _assert_right(frames, allowed=len(frames) // 100)


@pytest.mark.parametrize("attempt", range(4))
async def test_a_launched_spreadsheet_is_drawn_whole(desk: SettleDesk, desktop: DesktopSession, attempt: int) -> None:
    frame = await desk.judged(f"launch {attempt}", LAUNCH, lambda: desktop.start(["gnumeric"]))
    assert frame.report.kind == "settled"
    assert frame.is_right, str(frame)


# -- what counts and what does not


async def test_nothing_that_moves_is_idle(any_desk: SettleDesk, hand: Hand) -> None:
    report = await any_desk.after(CLICK, lambda: hand.click(1200, 700))
    assert report.kind == "idle"
    assert report.pending == ""


async def test_a_blinking_caret_and_fading_scrollbars_are_not_waited_for(
    any_desk: SettleDesk, desktop: DesktopSession, hand: Hand
) -> None:
    text = desktop.home / "long.txt"
    text.write_text("a line of text\n" * 300, encoding="utf-8")
    moving = {"XDG_CONFIG_HOME": str(desktop.home / "with-motion")}  # without the settings that keep toolkits still
    desktop.start(["mousepad", str(text)], title="long.txt", environment=moving)
    await any_desk.after(Look(), lambda: None)
    reports = [await any_desk.after(MOVE, lambda at=at: hand.move(500 + at, 420)) for at in range(8)]
    assert {report.kind for report in reports} <= {"idle", "settled"}
    # The pointer makes a scrollbar fade in, which takes a second, and the caret blinks all the time.
    assert max(report.waited_s for report in reports) < 0.8


async def test_a_menu_is_in_the_frame(any_desk: SettleDesk, desktop: DesktopSession, hand: Hand) -> None:
    desktop.start(["mousepad"], title="Mousepad")
    await any_desk.after(None, lambda: None)
    closed = any_desk.view.grab()
    frame = await any_desk.judged("menu", PressKeys(keys=("Alt", "f")), lambda: hand.press("Alt_L", "f"))
    assert frame.report.kind == "settled"
    assert frame.is_right, str(frame)
    assert any(box.height > 100 for box in any_desk.changed_since(closed))


async def test_what_never_rests_ends_at_the_cap_and_is_named(any_desk: SettleDesk, client: XClient) -> None:
    window = client.window((200, 100, 300, 200), title="Blinking", is_popup=True)
    with Repeating(0.03) as repeating:
        colours = itertools.cycle((0xFF0000, 0x00FF00))
        context = window.create_gc()

        def paint() -> None:
            context.change(foreground=next(colours))
            window.fill_rectangle(context, 10, 40, 280, 30)
            client.display.flush()

        repeating.start(paint)
        report = await any_desk.after(CLICK, lambda: None, cap_s=1.0)
    assert report.kind == "cap"
    assert report.pending == "an area of 280x30 px at 210,140 keeps changing"


async def test_a_window_that_paints_late_is_in_the_frame(desk: SettleDesk, client: XClient) -> None:
    empty = desk.view.grab()

    def show() -> None:
        window = client.root.create_window(
            *(300, 200, 400, 300, 0, client.display.screen().root_depth),
            background_pixmap=X.NONE,
            override_redirect=True,
        )
        window.map()
        client.display.sync()
        threading.Timer(0.45, _fill, (client, window)).start()

    report = await desk.after(CLICK, show)
    assert report.kind == "settled"
    assert [(box.width, box.height) for box in desk.changed_since(empty)] == [(400, 300)]


def _fill(client: XClient, window: object) -> None:
    context = window.create_gc(foreground=0x22AA44)  # type: ignore[attr-defined]  # an Xlib window
    window.fill_rectangle(context, 0, 0, 400, 300)  # type: ignore[attr-defined]
    client.display.sync()


@pytest.mark.parametrize("action", [PressKeys(keys=("Control", "o")), PressKeys(keys=("Enter",)), DOUBLE_CLICK])
async def test_a_dialog_that_takes_a_while_is_in_the_frame(desk: SettleDesk, client: XClient, action: Action) -> None:
    def open_soon() -> None:
        threading.Timer(0.35, lambda: client.window((300, 200, 400, 300), title="Dialog", colour=0x3355AA)).start()

    report = await desk.after(action, open_soon)
    frame = desk.view.grab()
    assert report.kind == "settled"
    await asyncio.sleep(0.5)
    assert desk.changed_since(frame) == ()


async def test_a_launch_waits_for_the_window_and_says_when_none_came(desk: SettleDesk, client: XClient) -> None:
    def open_late() -> None:
        threading.Timer(1.2, lambda: client.window((300, 200, 400, 300), title="Late")).start()

    report = await desk.after(LAUNCH, open_late)
    assert report.kind == "settled"
    report = await desk.after(LAUNCH, lambda: None, cap_s=0.8)
    assert (report.kind, report.pending) == ("cap", "no new window has appeared yet")


async def test_an_application_that_is_busy_is_waited_for(desk: SettleDesk, client: XClient) -> None:
    window = client.window((300, 200, 400, 300), title="Answers")
    client.set_atoms(window, "WM_PROTOCOLS", ["_NET_WM_PING"])
    client.display.sync()
    with Answering(client) as answering:
        await desk.after(CLICK, lambda: None)
        assert answering.count > 0, "the application was asked and has answered"
        before = desk.view.grab()
        answering.is_busy_s = 0.6
        answering.paints = lambda: _fill(client, window)
        report = await desk.after(CLICK, lambda: None)
    assert report.kind == "settled"
    assert desk.changed_since(before) != ()


async def test_a_tooltip_makes_no_step_slow(desk: SettleDesk, desktop: DesktopSession, hand: Hand) -> None:
    desktop.start(["pcmanfm", "/"], title="/")
    await desk.after(None, lambda: None)
    reports = [await desk.after(MOVE, lambda x=x: hand.move(x, 210)) for x in (335, 370, 400, 440) * 2]
    assert sum(report.waited_s for report in reports) < 8 * 0.45


# -- displays that go, watches that are given up


async def test_a_display_that_dies_ends_the_wait_and_later_watches_say_so(
    desktop: DesktopSession, tmp_path: Path
) -> None:
    bare = BareDisplay(desktop, tmp_path)
    with closing(SettleDesk(ScreenView(bare.environment), DesktopSettle())) as desk:
        watch = await desk.settle.watch(desk.view, LAUNCH)
        threading.Timer(0.2, bare.end).start()
        report = await watch.settled(cap_s=CAP_S)
        assert report.kind == "cap"
        assert "display" in report.pending
        with pytest.raises(ControllerError):
            await desk.settle.watch(desk.view, CLICK)


async def test_a_display_that_hangs_is_not_waited_for(desktop: DesktopSession, tmp_path: Path) -> None:
    bare = BareDisplay(desktop, tmp_path)
    with closing(SettleDesk(ScreenView(bare.environment), DesktopSettle())) as desk:
        watch = await desk.settle.watch(desk.view, CLICK)
        os.kill(bare.process_id, signal.SIGSTOP)
        try:
            report = await asyncio.wait_for(watch.settled(cap_s=0.5), 10.0)
        finally:
            os.kill(bare.process_id, signal.SIGCONT)
        assert (report.kind, report.pending) == ("cap", "the display does not answer")
        assert (await desk.after(CLICK, lambda: None)).kind == "idle"


async def test_watches_that_nobody_awaits_leave_nothing_behind(desk: SettleDesk, hand: Hand) -> None:
    await desk.after(CLICK, lambda: hand.click(1200, 700))
    before = _held()
    for _ in range(50):
        await desk.settle.watch(desk.view, CLICK)
    assert _held() == before
    assert (await desk.after(CLICK, lambda: None)).kind == "idle"


async def test_a_closed_settler_gives_connection_and_thread_back(desktop: DesktopSession) -> None:
    view = ScreenView(desktop.environment)
    before = _held()
    settle = DesktopSettle()
    await settle.watch(view, CLICK)
    settle.close()
    settle.close()
    wait_for(lambda: _held() == before, "connection and thread")
    view.close()


async def test_a_wait_that_is_cancelled_makes_room_for_the_next(desk: SettleDesk) -> None:
    watch = await desk.settle.watch(desk.view, LAUNCH)
    waiting = asyncio.ensure_future(watch.settled(cap_s=30.0))
    await asyncio.sleep(0.2)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    began_s = time.monotonic()
    assert (await desk.after(CLICK, lambda: None)).kind == "idle"
    assert time.monotonic() - began_s < 10.0


def _held() -> tuple[int, int]:
    """Return how many files and connections are open, and how many threads run."""
    return len(list(Path("/proc/self/fd").iterdir())), threading.active_count()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_display_that_refuses_is_watched_by_its_pictures(
    desktop: DesktopSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XAUTHORITY", str(desktop.home / "no-such-file"))
    alarm = open_alarm(desktop.environment)
    assert isinstance(alarm, Ticker)
    gc.collect()  # python-xlib leaves the socket of a refused connection open
