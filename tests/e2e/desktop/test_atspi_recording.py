"""Accessibility recordings of real applications."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from atspi_desk import DEADLINE_S, Desk, desk_of, frame_of, one
from desktop_session import DesktopSession

from observers.atspi import AtspiRecorder

pytestmark = [pytest.mark.desktop, pytest.mark.req("R-IMG-10")]
FIELDS = {"id", "parent", "app", "window", "role", "name", "description", "states", "box", "value"}


@pytest.fixture
def desk(desktop: DesktopSession) -> Iterator[Desk]:
    with desk_of(desktop) as made:
        yield made


async def record(desk: Desk) -> list[dict]:
    body = await AtspiRecorder().record(desk.view, frame_of(desk.view), deadline_s=DEADLINE_S)
    assert body.endswith(b"\n")
    return [json.loads(line) for line in body.splitlines()]


async def test_windows_are_written_down_whole(desk: Desk) -> None:
    desk.session.start(["galculator"], title="galculator")
    seven = await desk.mark("button", "7")
    desk.session.start(["featherpad"], title="Untitled")
    await desk.mark("button", "New")
    head, *nodes = await record(desk)
    assert head["schema"] == "transom/accessibility/1"
    assert (head["width_px"], head["height_px"], head["frame"]) == (1280, 800, "0" * 64)
    assert [(item["app"], item["is_active"]) for item in head["windows"]] == [
        ("featherpad", True),
        ("galculator", False),
    ]
    assert head["notices"] == []
    assert head["is_complete"] is True
    assert all(set(node) == FIELDS for node in nodes)
    assert [node["id"] for node in nodes] == list(range(1, len(nodes) + 1))
    assert all(node["parent"] is None or node["parent"] < node["id"] for node in nodes)
    assert [node["window"] for node in nodes] == sorted((node["window"] for node in nodes), key=[2, 1].index)
    found = [node for node in nodes if node["name"] == "7" and node["role"] == "toggle button"]
    box = seven.box
    assert [node["box"] for node in found] == [[box.x_px, box.y_px, box.width_px, box.height_px]]
    hidden = [node for node in nodes if node["name"] == "Scientific Mode"]
    assert [(node["role"], node["box"]) for node in hidden] == [("radio menu item", None)]
    assert "showing" not in hidden[0]["states"]
    quit_items = [node for node in nodes if node["name"] == "Quit"]
    assert len(quit_items) == 2, "closed menus of Qt are there, too"


async def test_passwords_are_not_written_down(desk: Desk) -> None:
    desk.session.start(["zenity", "--forms", "--title=Form", "--add-entry=Name", "--add-password=Secret"], title="Form")
    desk.click(await desk.mark("textbox", "Name"))
    await desk.state("textbox", "Name", "focused")
    desk.type("ada")
    desk.press("Tab")
    await desk.state("textbox", "Secret", "focused")
    desk.type("swordfish")
    await desk.until(lambda marking: (mark := one(marking, "textbox", "Name")) and mark.value == "ada", "ada")
    _, *nodes = await record(desk)
    values = {node["role"]: node["value"] for node in nodes if node["role"] in {"text", "password text"}}
    assert values == {"text": "ada", "password text": None}
    assert "swordfish" not in json.dumps(nodes)


async def test_recording_changes_no_mark(desk: Desk) -> None:
    desk.session.start(["mousepad"], title="Mousepad")
    await desk.mark("menuitem", "File")
    before = await desk.observe()
    assert await record(desk) == await record(desk), "the same screen is written down in the same way"
    after = await desk.observe()
    assert (before.marks, before.texts, before.notices) == (after.marks, after.texts, after.notices)


async def test_what_is_not_seen_is_said(desk: Desk) -> None:
    desk.session.start(["xterm", "-title", "shell"], title="shell")
    head, *nodes = await record(desk)
    assert nodes == []
    assert [item["title"] for item in head["windows"]] == ["shell"]
    view = desk.look(desk.whole, {})
    body = await AtspiRecorder().record(view, frame_of(view), deadline_s=DEADLINE_S)
    head = json.loads(body)
    assert head["is_complete"] is False
    assert "DBUS_SESSION_BUS_ADDRESS" in head["notices"][0]
