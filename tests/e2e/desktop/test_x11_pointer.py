"""The pointer by XTEST on a real display."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from desktop_session import DesktopSession
from x_client import XClient, x_client
from Xlib import X
from Xlib.protocol import event

from harness.controllers.aim import CallFailed
from harness.controllers.desktop.x11.backend import X11Backend
from harness.controllers.desktop.x11.pointer import X11Pointer
from harness.values.action import Button
from harness.values.geometry import DevicePoint

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-1")]
EVERYTHING = X.ButtonPressMask | X.ButtonReleaseMask | X.PointerMotionMask | X.StructureNotifyMask


@pytest.fixture
def pointer(desktop: DesktopSession) -> Iterator[X11Pointer]:
    with closing(X11Backend(desktop.environment)) as backend:
        yield backend.pointer
        backend.release_all()


@pytest.fixture
def client(desktop: DesktopSession) -> Iterator[XClient]:
    """Return a program whose window covers 400x300 pixels at 100,100 and gets every pointer event there."""
    with x_client(desktop.environment) as made:
        made.window((100, 100, 400, 300), is_popup=True).change_attributes(event_mask=EVERYTHING)
        made.display.sync()
        yield made


def at(x: float, y: float) -> DevicePoint:
    return DevicePoint(x=x, y=y)


@pytest.mark.parametrize(("x", "y"), [(200.0, 150.0), (200.5, 150.5), (200.99, 150.99)])
def test_a_point_is_the_pixel_that_covers_it(pointer: X11Pointer, client: XClient, x: float, y: float) -> None:
    pointer.move(at(x, y))
    moved = client.wait_for_event(event.MotionNotify)
    assert (moved.root_x, moved.root_y) == (200, 150)
    assert pointer.position() == at(200, 150)


@pytest.mark.case("G12")
def test_a_drag_is_a_press_moves_and_a_release_in_order(pointer: X11Pointer, client: XClient) -> None:
    pointer.move(at(150, 150))
    client.wait_for_event(event.MotionNotify)
    pointer.press("left")
    for x in (160, 170, 180):
        pointer.move(at(x, 150))
    pointer.release("left")
    pressed = client.wait_for_event(event.ButtonPress)
    moves = [client.wait_for_event(event.MotionNotify) for _ in range(3)]
    released = client.wait_for_event(event.ButtonRelease)
    assert (pressed.root_x, [move.root_x for move in moves], released.root_x) == (150, [160, 170, 180], 180)
    assert all(move.state & X.Button1Mask for move in moves)


@pytest.mark.parametrize(("button", "logical"), [("left", 1), ("middle", 2), ("right", 3)])
def test_left_is_left_for_the_left_handed_too(
    pointer: X11Pointer, client: XClient, desktop: DesktopSession, button: Button, logical: int
) -> None:
    usual = list(desktop.display.get_pointer_mapping())
    desktop.display.set_pointer_mapping([3, 2, 1, *usual[3:]])
    try:
        pointer.move(at(200, 200))
        pointer.press(button)
        pointer.release(button)
        assert client.wait_for_event(event.ButtonPress).detail == logical
        assert client.wait_for_event(event.ButtonRelease).detail == logical
    finally:
        desktop.display.set_pointer_mapping(usual)


def test_the_wheel_turns_on_both_axes_a_click_at_a_time(pointer: X11Pointer, client: XClient) -> None:
    pointer.move(at(200, 200))
    pointer.turn_wheel(2, -1)
    pointer.turn_wheel(-1, 2)
    pointer.turn_wheel(0, 0)
    assert [client.wait_for_event(event.ButtonPress).detail for _ in range(6)] == [7, 7, 4, 6, 5, 5]


@pytest.mark.req("R-ACT-5")
@pytest.mark.parametrize(("x", "y"), [(-1, 5), (5, -0.1), (1280, 5), (5, 800), (1e9, 5)])
def test_nothing_moves_to_a_point_outside_the_desktop(pointer: X11Pointer, x: float, y: float) -> None:
    pointer.move(at(300, 300))
    with pytest.raises(CallFailed, match="outside the desktop of 1280x800"):
        pointer.move(at(x, y))
    assert pointer.position() == at(300, 300)


def test_the_last_pixel_is_inside(pointer: X11Pointer) -> None:
    pointer.move(at(1279.9, 799.9))
    assert pointer.position() == at(1279, 799)
