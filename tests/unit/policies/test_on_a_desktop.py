"""Keyless policies on a desktop: windows, applications, keys and places without a mark."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from harness.protocols import ModelSpec, PolicySpec, ScriptedCall
from harness.values.desktop import DesktopWindow, DeviceBox
from harness.values.tool import ToolDeclaration
from policies import heuristic, random, scripted
from policies.neutral import render
from policies.view import read_view

pytestmark = pytest.mark.req("R-MOD-6")
BOX = DeviceBox(x=0, y=0, width=9, height=9)
WINDOWS = (
    DesktopWindow(id=4, title="letter.txt - Mousepad", app="mousepad", box=BOX, is_active=True),
    DesktopWindow(id=2, title="Calculator", app="galculator", box=BOX),
)
NAMES = ("click", "type_text", "press_keys", "scroll", "wait", "list_windows", "focus_window", "finish")
SCREEN = (("menuitem", "File"), ("textbox", "", "", ("multiline",)), ("button", "Close"))


def spec(name: str, seed: int = 0) -> PolicySpec:
    return PolicySpec(model=ModelSpec(name=name, use=name), seed=seed)


def launch(*apps: str) -> ToolDeclaration:
    schema = {"type": "object", "properties": {"app": {"type": "string", "enum": list(apps)}}}
    return ToolDeclaration(name="launch", description="Start.", parameters_json=json.dumps(schema), owner="device")


@pytest.fixture
def desk(talk, tool):
    """A talk on a desktop where an editor and a file manager may be launched."""

    def begin(task: str, *lines: object):
        tools = (*(tool(name) for name in NAMES), launch("editor", "files"))
        return talk(task, tools=tools).show(*lines, windows=WINDOWS)

    return begin


def test_apps_and_windows_are_read(desk, talk) -> None:
    seen = read_view(render(desk("t", *SCREEN).projection()))
    assert (seen.is_desktop, seen.apps) == (True, ("editor", "files"))
    assert [window.id for window in seen.view.windows] == [4, 2]
    page = read_view(render(talk("t").show(*SCREEN).projection()))
    assert (page.is_desktop, page.apps) == (False, ())


@pytest.mark.parametrize(
    ("task", "name", "arguments"),
    [
        ('Open the "File" menu.', "click", {"mark": 1}),
        ("Press Ctrl+S.", "press_keys", {"keys": "Ctrl+S"}),
        ("Press Control + Shift + Tab.", "press_keys", {"keys": "Control+Shift+Tab"}),
        ("Open the editor.", "launch", {"app": "editor"}),
        ("Switch to the Calculator window.", "focus_window", {"window": 2}),
        ('Type "Dear Ada" into the letter.', "type_text", {"text": "Dear Ada", "mark": 2}),
    ],
)
async def test_the_heuristic_does_what_the_task_names(desk, said, task, name, arguments) -> None:
    started, policy = desk(task, *SCREEN), heuristic.create(spec("heuristic"))
    call = await started.ask(policy)
    assert (call.name, said(call)) == (name, arguments)
    typed = ("textbox", "", "Dear Ada", ("multiline",))
    started.answer(call, SCREEN[0], typed, SCREEN[2])
    assert (await started.ask(policy)).name == "finish"


async def test_a_menu_is_opened_and_its_entry_chosen_although_it_ends_in_dots(desk, said) -> None:
    started, policy = desk('Click "File" and then click "Save As".', *SCREEN), heuristic.create(spec("heuristic"))
    first = await started.ask(policy)
    started.answer(first, *SCREEN, ("menuitem", "Save"), ("menuitem", "Save As…"))
    assert said(await started.ask(policy)) == {"mark": 5}


async def test_a_field_of_the_next_window_is_not_the_one_that_was_filled(desk, said) -> None:
    started, policy = desk('Type "Dear Ada" and click "Save".', *SCREEN), heuristic.create(spec("heuristic"))
    typed = await started.ask(policy)
    started.answer(typed, ("textbox", "Name", "Untitled"), ("button", "Save"))
    assert said(await started.ask(policy)) == {"mark": 2}


async def test_text_goes_to_whoever_has_the_keyboard_where_no_field_is_marked(desk, said) -> None:
    started, policy = desk('Type "ls" and press Enter.', ("button", "Close")), heuristic.create(spec("heuristic"))
    typed = await started.ask(policy)
    assert (typed.name, said(typed)) == ("type_text", {"text": "ls"})
    started.answer(typed, ("button", "Close"))
    assert said(await started.ask(policy)) == {"keys": "Enter"}


@pytest.mark.parametrize(
    ("task", "lines"),
    [
        ('Find the entry and click "Frobnicate".', SCREEN),
        ('Click "Frobnicate".', (*SCREEN, ("button", "Next"))),
        ('Type "x" into the field "Frobnicate".', SCREEN),
    ],
)
async def test_nothing_is_clicked_that_the_task_does_not_name(desk, said, task, lines) -> None:
    """On a page it tries buttons and closes what is in the way; on a desktop such a click may do anything."""
    started, policy = desk(task, *lines), heuristic.create(spec("heuristic"))
    names = []
    for _ in range(6):
        call = await started.ask(policy)
        names.append(call.name)
        if call.name == "finish":
            break
        started.answer(call, *lines)
    assert set(names) <= {"scroll", "finish"}
    assert said(call)["success"] is False


async def test_a_dialog_that_takes_the_field_away_is_not_closed_unasked(desk, said) -> None:
    started, policy = desk('Type "x" into the letter and press "Send".', *SCREEN), heuristic.create(spec("heuristic"))
    call = await started.ask(policy)
    assert call.name == "type_text"
    started.answer(call, ("button", "Cancel"), ("button", "Discard"))
    assert (await started.ask(policy)).name != "click"


@pytest.mark.parametrize(
    ("title", "number"), [("Calculator", 2), ("letter.txt", 4), ("letter.txt - Mousepad", 4), ("${task.what}", 2)]
)
async def test_a_script_names_a_window_by_its_title(desk, said, title, number) -> None:
    calls = (
        ScriptedCall(tool="captures", arguments={"what": r"the (\w+) window"}),
        ScriptedCall(tool="focus_window", arguments={"window": {"title": title}}, line=3),
    )
    policy = scripted.create(PolicySpec(model=ModelSpec(name="scripted", use="scripted"), script=calls))
    call = await desk("Use the Calculator window.", *SCREEN).ask(policy)
    assert (call.name, said(call)) == ("focus_window", {"window": number})


@pytest.mark.parametrize("wanted", [{"title": "Terminal"}, {"title": ""}, {}])
async def test_a_window_that_is_not_there_ends_the_script_with_those_that_are(desk, said, wanted) -> None:
    calls = (ScriptedCall(tool="focus_window", arguments={"window": wanted}, line=3),)
    policy = scripted.create(PolicySpec(model=ModelSpec(name="scripted", use="scripted"), script=calls))
    call = await desk("t", *SCREEN).ask(policy)
    assert said(call)["success"] is False
    assert "script line 3 (focus_window)" in said(call)["answer"]
    assert "'Calculator'" in said(call)["answer"]


async def test_random_also_points_types_and_changes_windows(desk, said) -> None:
    started, policy = desk("Write zebra.", *SCREEN), random.create(spec("random", seed=3))
    calls = []
    for _ in range(300):
        call = await started.ask(policy)
        calls.append(call)
        started.answer(call)
    names = Counter(call.name for call in calls)
    assert set(names) == {"click", "type_text", "press_keys", "scroll", "focus_window", "finish"}
    points = [said(call)["at"] for call in calls if call.name == "click" and "at" in said(call)]
    assert len({tuple(point) for point in points}) > 20
    assert all(0 <= x < 800 and 0 <= y < 600 for x, y in points)
    assert {said(call)["window"] for call in calls if call.name == "focus_window"} == {2}
    assert any("mark" not in said(call) for call in calls if call.name == "type_text")
