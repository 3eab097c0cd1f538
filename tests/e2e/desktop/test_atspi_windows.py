"""Windows, menus and dialogs of real applications: what is covered has no mark, and boxes are where pixels are."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from atspi_desk import Desk, desk_of, frame_of, lines, one, require_gtk2_bridge, texts
from desktop_session import DesktopSession, wait_for
from PIL import Image, ImageChops
from x_client import x_client

from harness.protocols import Marking
from harness.values.geometry import DevicePoint, FrameBox
from harness.values.mark import Mark

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-1")]


@pytest.fixture
def desk(desktop: DesktopSession) -> Iterator[Desk]:
    with desk_of(desktop) as made:
        yield made


def place(desk: Desk, title: str, x: int, y: int) -> None:
    """Put a window's content somewhere, in front, and wait until it is there."""
    window = desk.session.wait_for_window(title, is_active=False)
    window.configure(x=x, y=y)
    desk.session.display.sync()

    def is_there() -> bool:
        return any(title in seen.title and (seen.box.x, seen.box.y) == (x + 1, y + 20) for seen in desk.view.windows())

    wait_for(is_there, f"{title} at {x},{y}")


def picture(desk: Desk) -> Image.Image:
    pixels = desk.view.grab()
    size = (pixels.size.width_px, pixels.size.height_px)
    return Image.frombytes("RGB", size, bytes(pixels.bgrx), "raw", "BGRX")


async def settled_picture(desk: Desk) -> Image.Image:
    """Return the screen once two pictures of it, a moment apart, are the same."""
    before = picture(desk)
    for _ in range(100):
        await asyncio.sleep(0.15)
        after = picture(desk)
        if ImageChops.difference(before, after).getbbox() is None:
            return after
        before = after
    raise AssertionError("the screen does not come to rest")


async def steady_button(desk: Desk, name: str) -> Mark:
    """Return a button once it is at the same place twice: tool bars move while a window opens."""
    before = await desk.mark("button", name)
    for _ in range(100):
        await settled_picture(desk)
        now = await desk.mark("button", name)
        if now == before:
            return now
        before = now
    raise AssertionError(f"{name} does not come to rest")


async def drawn_box(desk: Desk, mark: Mark) -> FrameBox:
    """Return what changes near a mark when the pointer comes onto it: a button's box, as it is drawn."""
    left, top, right, bottom = mark.box.x_px - 6, mark.box.y_px - 6, mark.box.right_px + 6, mark.box.bottom_px + 6
    desk.move(DevicePoint(x=desk.whole.width - 2, y=desk.whole.height - 2))
    before = await settled_picture(desk)

    def changed(now: Image.Image) -> tuple[int, int, int, int] | None:
        difference = ImageChops.difference(before, now)
        for box in desk.view.popups():  # its tooltip
            difference.paste((0, 0, 0), (int(box.x), int(box.y), int(box.x + box.width), int(box.y + box.height)))
        return difference.crop((left, top, right, bottom)).getbbox()

    desk.move(frame_of(desk.view).transform.to_device(mark.click))
    wait_for(lambda: changed(picture(desk)), "the button to light up")
    box = changed(await settled_picture(desk))
    assert box is not None
    return FrameBox(x_px=left + box[0], y_px=top + box[1], width_px=box[2] - box[0], height_px=box[3] - box[1])


def assert_near(box: FrameBox, drawn: FrameBox, *, within_px: int) -> None:
    edges = [(box.x_px, drawn.x_px), (box.y_px, drawn.y_px), (box.right_px, drawn.right_px)]
    edges.append((box.bottom_px, drawn.bottom_px))
    assert all(abs(one_edge - other) <= within_px for one_edge, other in edges), (box, drawn)


@pytest.mark.req("R-IMG-9")
@pytest.mark.parametrize(
    ("argv", "environment", "title", "button"),
    [
        (["galculator"], {}, "galculator", "7"),
        (["galculator"], {"GDK_SCALE": "2"}, "galculator", "7"),
        (["featherpad"], {}, "Untitled", "Open"),
        (["featherpad"], {"QT_SCALE_FACTOR": "1.5"}, "Untitled", "Open"),
        (["featherpad"], {"QT_SCALE_FACTOR": "2"}, "Untitled", "Open"),
    ],
)
async def test_boxes_are_where_buttons_are_drawn(
    desk: Desk, argv: list[str], environment: dict[str, str], title: str, button: str
) -> None:
    desk.session.start(argv, title=title, environment=environment)
    mark = await steady_button(desk, button)
    assert_near(mark.box, await drawn_box(desk, mark), within_px=2)


@pytest.mark.req("R-IMG-9")
async def test_boxes_are_where_a_gtk2_button_is_drawn(desk: Desk) -> None:
    require_gtk2_bridge()
    desk.session.start(["pcmanfm", "/"], title="/")
    mark = await steady_button(desk, "Home Folder")
    assert_near(mark.box, await drawn_box(desk, mark), within_px=2)


@pytest.mark.req("R-IMG-9")
async def test_a_window_of_scale_two_at_an_odd_place_is_clicked(desk: Desk) -> None:
    desk.session.start(["galculator"], title="galculator", environment={"GDK_SCALE": "2"})
    place(desk, "galculator", 33, 57)
    desk.click(await desk.mark("menuitem", "View"))
    desk.click(await desk.mark("menuitemradio", "Scientific Mode"))
    desk.click(await desk.mark("button", "n!"))
    assert await desk.mark("button", "hyp")


async def test_what_is_covered_has_no_mark(desk: Desk) -> None:
    desk.session.start(["galculator"], title="galculator")
    place(desk, "galculator", 100, 100)
    seven = await desk.mark("button", "7")
    whole = await desk.observe()
    desk.session.start(["xterm", "-title", "front", "-geometry", "40x10"], title="front")
    place(desk, "front", seven.box.x_px + 30, seven.box.y_px - 100)
    marking = await desk.until(lambda marking: marking if "window front" in lines(marking) else None, "the terminal")
    assert marking.marks[0].role == "window", "the active window comes first"
    covered = {mark.name for mark in whole.marks} - {mark.name for mark in marking.marks}
    assert "9" in covered
    assert "1" not in covered
    assert one(marking, "button", "7"), "a part of it shows"
    for mark in marking.marks:
        title = "front" if mark.role == "window" else "galculator"
        assert desk.owner_at(frame_of(desk.view).transform.to_device(mark.click)) == title, mark


async def test_a_title_bar_covers_too(desk: Desk) -> None:
    desk.session.start(["galculator"], title="galculator")
    place(desk, "galculator", 100, 100)
    seven = await desk.mark("button", "7")
    desk.session.start(["xterm", "-title", "front", "-geometry", "60x10"], title="front")
    place(desk, "front", 101, seven.box.y_px + 10)
    marking = await desk.until(lambda marking: marking if "window front" in lines(marking) else None, "the terminal")
    found = one(marking, "button", "7")
    assert found is not None
    assert found.box.bottom_px == seven.box.y_px + 10, "its lower part is under the title bar"
    desk.click(found)
    await desk.until(lambda marking: "7" in texts(marking), "7 on the display")


async def test_an_open_menu_is_listed_and_what_it_covers_is_not(desk: Desk) -> None:
    desk.session.start(["galculator"], title="galculator")
    desk.click(await desk.mark("menuitem", "View"))
    basic = await desk.mark("menuitemradio", "Basic Mode")
    assert basic.states == ("checked",)
    marking = await desk.observe()
    names = lines(marking)
    view = names.index("menuitem View")
    assert "expanded" in marking.marks[view].states
    assert names[view + 1 : view + 4] == [f"menuitemradio {name} Mode" for name in ("Basic", "Scientific", "Paper")]
    assert "button AC" not in names
    assert "button 0" in names
    popups = desk.view.popups()
    for mark in marking.marks:
        at = frame_of(desk.view).transform.to_device(mark.click)
        assert any(box.contains(at) for box in popups) == mark.role.startswith("menuitemradio") or "item" in mark.role
    desk.click(await desk.mark("menuitemradio", "Scientific Mode"))
    assert await desk.mark("button", "hyp")
    assert one(await desk.observe(), "menuitemradio", "Basic Mode") is None


async def test_menus_of_other_toolkits_are_listed(desk: Desk, tmp_path: Path) -> None:
    desk.session.start(["featherpad"], title="Untitled")
    desk.click(await desk.mark("menuitem", "Edit"))
    await desk.mark("menuitem", "Select All")
    desk.press("Escape")
    await desk.until(lambda marking: one(marking, "menuitem", "Select All") is None, "the menu to be closed")


async def test_menus_of_gtk2_are_listed_only_while_they_are_open(desk: Desk, tmp_path: Path) -> None:
    require_gtk2_bridge()
    desk.session.start(["pcmanfm", str(tmp_path)], title=tmp_path.name)
    desk.click(await desk.mark("menuitem", "View"))
    await desk.mark("menuitem", "Reload Folder")
    desk.press("Right")
    await desk.mark("menuitem", "Add to Bookmarks...")
    marking = await desk.observe()
    assert one(marking, "menuitem", "Reload Folder") is None, "it keeps its place, but it is closed"
    desk.press("Escape")
    await desk.until(lambda marking: one(marking, "menuitem", "Add to Bookmarks...") is None, "no menu")


async def test_a_context_menu_comes_first(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear Ada")
    desk.session.start(["mousepad", str(file)], title="letter.txt")
    field = await desk.until(
        lambda marking: next((mark for mark in marking.marks if mark.role == "textbox"), None), "a text"
    )
    assert field.value == "Dear Ada"
    desk.click(field, button=3)
    chosen = await desk.mark("menuitem", "Select All")
    marking = await desk.observe()
    assert marking.marks[0].role == "menuitem"
    assert lines(marking).index("menuitem Select All") < lines(marking).index("menuitem File")
    assert "Undo" in texts(marking), "what is disabled is only text"
    assert one(marking, "menuitem", "Undo") is None
    desk.click(chosen)
    await desk.until(lambda marking: one(marking, "menuitem", "Select All") is None, "the menu to be closed")


async def test_a_dialog_blocks_the_window_behind_it(desk: Desk) -> None:
    desk.session.start(["mousepad"], title="Mousepad")
    await desk.mark("menuitem", "File")
    desk.type("x")
    desk.session.wait_for_window("*Untitled")
    desk.press("Control_L", "w")
    cancel = await desk.mark("button", "Cancel")
    marking = await desk.observe()
    assert one(marking, "menuitem", "File") is None, "it shows, but it does not answer"
    dialog, window = desk.view.windows()
    assert marking.notices == (
        f'window {window.id} "*Untitled 1 - Mousepad" waits for dialog {dialog.id} "Save Changes": '
        "its elements are not listed",
    )
    desk.click(cancel)
    assert await desk.mark("menuitem", "File")


async def test_a_window_is_followed_by_those_behind_it(desk: Desk) -> None:
    desk.session.start(["galculator"], title="galculator")
    place(desk, "galculator", 10, 10)
    desk.session.start(["zenity", "--question", "--title=Sure", "--text=Sure?"], title="Sure")
    place(desk, "Sure", 600, 400)
    await desk.mark("button", "Yes")
    names = lines(await desk.observe())
    assert names[:2] == ["button No", "button Yes"]
    assert names[2] == "menuitem File"


async def test_a_popup_of_a_stranger_covers(desk: Desk) -> None:
    desk.session.start(["galculator"], title="galculator")
    seven = await desk.mark("button", "7")
    before = await desk.observe()
    with x_client(desk.session.environment) as client:
        client.window((seven.box.x_px, seven.box.y_px, seven.box.width_px, seven.box.height_px), is_popup=True)
        marking = await desk.until(lambda marking: marking if one(marking, "button", "7") is None else None, "no 7")
        assert len(marking.marks) == len(before.marks) - 1
        assert "is covered by a popup" in str(await desk.observer.find(before, seven, deadline_s=5))


@pytest.mark.req("R-ACT-6")
async def test_an_application_that_hangs_holds_nobody_up(desk: Desk) -> None:
    hanging = desk.session.start(["galculator"], title="galculator")
    place(desk, "galculator", 10, 10)
    desk.session.start(["zenity", "--question", "--title=Sure", "--text=Sure?"], title="Sure")
    place(desk, "Sure", 600, 400)
    await desk.mark("button", "Yes")
    before = await desk.observe()
    os.kill(hanging, signal.SIGSTOP)
    try:
        marking = await desk.observe()
        assert lines(marking) == ["button No", "button Yes", "window galculator"]
        assert "did not describe itself in time" in marking.notices[0]
        seven = one(before, "button", "7")
        assert seven is not None
        assert "could not be checked" in str(await desk.observer.find(before, seven, deadline_s=0.3))
    finally:
        os.kill(hanging, signal.SIGCONT)
    assert await desk.mark("button", "7"), "and it is seen again"


async def test_a_desktop_without_accessibility_has_its_windows(desk: Desk) -> None:
    desk.session.start(["galculator"], title="galculator")
    for address, reason in (("", "is not set"), ("unix:path=/nowhere/bus", "can't be reached")):
        environment = {**desk.session.environment, "DBUS_SESSION_BUS_ADDRESS": address}
        marking: Marking = await desk.observe(view=desk.look(desk.whole, environment))
        assert lines(marking) == ["window galculator"]
        assert reason in marking.notices[0]
