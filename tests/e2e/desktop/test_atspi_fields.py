"""What has the keyboard, and whether a mark is still what it was, on real applications."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from atspi_desk import LIMIT_S, Desk, desk_of, one
from desktop_session import DesktopSession

from harness.protocols import FocusedField

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-ACT-1")]


@pytest.fixture
def desk(desktop: DesktopSession) -> Iterator[Desk]:
    with desk_of(desktop) as made:
        yield made


async def focused(desk: Desk, is_done: Callable[[FocusedField], bool]) -> FocusedField:
    """Return the focused field once it is as wanted."""
    end_s = time.monotonic() + LIMIT_S
    while True:
        field = await desk.observer.focused_field(desk.view, deadline_s=5)
        if is_done(field):
            return field
        assert time.monotonic() < end_s, field
        await asyncio.sleep(0.03)


def is_text(value: str) -> Callable[[FocusedField], bool]:
    return lambda field: field.kind == "text" and field.value == value


async def test_a_document_is_read(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Grüße\naus Köln")
    desk.session.start(["mousepad", str(file)], title="letter.txt")
    field = await focused(desk, is_text("Grüße\naus Köln"))
    assert not field.is_one_line
    desk.type("x")
    await focused(desk, is_text("xGrüße\naus Köln"))


async def test_a_qt_document_is_read(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Grüße\naus Köln\n")
    desk.session.start(["featherpad", str(file)], title="letter.txt")
    field = await focused(desk, lambda field: "aus Köln" in field.value)
    assert (field.kind, field.is_one_line) == ("text", False)
    await desk.until(lambda marking: [mark for mark in marking.marks if "aus Köln" in (mark.value or "")], "its value")
    desk.click(await desk.mark("textbox", "Search..."))
    field = await focused(desk, is_text(""))
    assert field.is_one_line


async def test_of_a_long_document_the_part_around_the_caret_is_read(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("".join(f"line {number}\n" for number in range(5000)))
    desk.session.start(["mousepad", str(file)], title="long.txt")
    field = await focused(desk, lambda field: field.value.startswith("line 0\n"))
    assert len(field.value) == 8000
    desk.press("Control_L", "End")
    field = await focused(desk, lambda field: field.value.endswith("line 4999\n"))
    assert len(field.value) == 8000


async def test_fields_of_a_form_say_their_kind(desk: Desk) -> None:
    desk.session.start(["zenity", "--forms", "--title=Form", "--add-entry=Name", "--add-password=Secret"], title="Form")
    desk.click(await desk.mark("textbox", "Name"))
    field = await focused(desk, is_text(""))
    assert field.is_one_line
    desk.type("ada")
    await focused(desk, is_text("ada"))
    desk.press("Tab")
    field = await focused(desk, lambda field: field.kind == "password")
    desk.type("swordfish")
    assert await focused(desk, lambda field: field.kind == "password") == field
    assert field.value == ""
    desk.press("Tab")
    await focused(desk, lambda field: field.kind == "other")


async def test_what_has_no_tree_is_not_known(desk: Desk) -> None:
    assert await desk.observer.focused_field(desk.view, deadline_s=5) == FocusedField(kind="unknown")
    desk.session.start(["xterm", "-title", "shell"], title="shell")
    assert await desk.observer.focused_field(desk.view, deadline_s=5) == FocusedField(kind="unknown")


async def test_a_mark_is_found_until_it_changes(desk: Desk) -> None:
    desk.session.start(["galculator"], title="galculator")
    seven = await desk.mark("button", "7")
    before = await desk.observe()
    for mark in before.marks:
        assert await desk.observer.find(before, mark, deadline_s=5) is None, mark
    window = desk.session.wait_for_window("galculator")
    window.configure(x=5, y=5)
    desk.session.display.sync()
    moved = await desk.until(
        lambda marking: mark if (mark := one(marking, "button", "7")) and mark.box != seven.box else None, "a move"
    )
    assert "has moved" in str(await desk.observer.find(before, seven, deadline_s=5))
    after = await desk.observe()
    found = one(after, "button", "7")
    assert found is not None
    assert found.box == moved.box
    desk.session.reset()
    reason = await desk.observer.find(after, found, deadline_s=5)
    assert reason == f"mark {found.id} is gone"


async def test_a_covered_mark_says_by_what(desk: Desk) -> None:
    desk.session.start(["galculator"], title="galculator")
    seven = await desk.mark("button", "7")
    before = await desk.observe()
    desk.session.start(["xterm", "-title", "front", "-geometry", "80x24"], title="front")
    terminal = desk.session.wait_for_window("front")
    terminal.configure(x=max(0, seven.click.x_px - 100), y=max(0, seven.click.y_px - 100))
    desk.session.display.sync()
    end_s = time.monotonic() + LIMIT_S
    while (reason := await desk.observer.find(before, seven, deadline_s=5)) is None:
        assert time.monotonic() < end_s
        await asyncio.sleep(0.03)
    assert reason == f'mark {seven.id} is covered by window 2 "front"'
    on_terminal = await desk.observe()
    whole = on_terminal.marks[0]
    assert whole.role == "window"
    assert await desk.observer.find(on_terminal, whole, deadline_s=5) is None


async def test_a_menu_item_goes_with_its_menu(desk: Desk) -> None:
    desk.session.start(["galculator"], title="galculator")
    desk.click(await desk.mark("menuitem", "View"))
    paper = await desk.mark("menuitemradio", "Paper Mode")
    marking = await desk.observe()
    assert await desk.observer.find(marking, paper, deadline_s=5) is None
    desk.press("Escape")
    await desk.until(lambda now: one(now, "menuitemradio", "Paper Mode") is None, "no menu")
    assert await desk.observer.find(marking, paper, deadline_s=5) is not None


async def test_a_mark_that_scrolled_away_is_not_found(desk: Desk) -> None:
    rows = [f"row {number}" for number in range(200)]
    desk.session.start(["zenity", "--list", "--title=Rows", "--column=Name", *rows], title="Rows")
    desk.click(await desk.mark("cell", "row 1"))
    await desk.state("cell", "row 1", "selected")
    before = await desk.observe()
    first = one(before, "cell", "row 1")
    assert first is not None
    assert await desk.observer.find(before, first, deadline_s=5) is None
    desk.press("End")
    await desk.mark("cell", "row 199")
    assert await desk.observer.find(before, first, deadline_s=5) is not None


async def test_an_unknown_mark_is_not_found(desk: Desk) -> None:
    desk.session.start(["galculator"], title="galculator")
    seven = await desk.mark("button", "7")
    other = Desk(desk.session, desk._windows)
    empty = await other.observe(view=desk.look(desk.view.windows()[0].box, {}))
    assert await desk.observer.find(empty, seven, deadline_s=5) == f"mark {seven.id} is not known here"
