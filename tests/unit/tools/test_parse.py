from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.tools.calls import (
    AskRequest,
    DeviceRequest,
    FinishRequest,
    NoteRequest,
    ReadRecordRequest,
    Refusal,
    StepRange,
    ZoomRequest,
)
from harness.tools.declarations import TOOLS
from harness.tools.parse import parse_call, unique_calls
from harness.values.action import (
    Action,
    Click,
    Drag,
    FocusWindow,
    GoBack,
    GoForward,
    Hover,
    Launch,
    ListWindows,
    Look,
    Move,
    Navigate,
    PressKeys,
    ReadClipboard,
    Scroll,
    SelectOption,
    Target,
    TypeText,
    Wait,
    WriteClipboard,
    action_targets,
)
from harness.values.desktop import DesktopWindow, DeviceBox
from harness.values.frame import Frame
from harness.values.geometry import FrameBox, FramePoint, Size, Transform
from harness.values.mark import Mark
from harness.values.message import AssistantMessage, TextPart, ToolCall
from harness.values.observation import Observation

ALL = frozenset(TOOLS)
MARKS = tuple(
    Mark(
        id=number,
        box=FrameBox(x_px=10 * number, y_px=20, width_px=8, height_px=8),
        click=FramePoint(x_px=10 * number + 4, y_px=24),
        role="button",
        name=f"B{number}",
    )
    for number in (1, 2, 3)
)
FRAME = Frame(
    sha256="a" * 64,
    media_type="image/png",
    width_px=800,
    height_px=600,
    device_scale=2.0,
    captured_at_s=0.0,
    source="action",
    transform=Transform(scale_x=0.5, scale_y=0.5),
)
BOX = DeviceBox(x=0, y=0, width=9, height=9)
WINDOWS = (
    DesktopWindow(id=7, title='Save "a\nb"?', app="mousepad", box=BOX, is_active=True, kind="dialog"),
    DesktopWindow(id=3, title="letter.txt", app="mousepad", box=BOX),
)
SCREEN = Observation(frame=FRAME, screen=Size(width_px=1600, height_px=1200), marks=MARKS, windows=WINDOWS)
AT = Target(point=FramePoint(x_px=5, y_px=6))
MARK_2 = Target(point=MARKS[1].click, mark=MARKS[1])


def _call(name: str, arguments: object) -> ToolCall:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolCall(id="c1", name=name, arguments_json=text)


def _refusal(name: str, arguments: object, *, observation: Observation | None = SCREEN) -> str:
    parsed = parse_call(_call(name, arguments), declared=ALL, observation=observation)
    assert isinstance(parsed, Refusal), parsed
    assert parsed.call_id == "c1"
    return parsed.reason


@pytest.mark.parametrize(
    ("name", "arguments", "action"),
    [
        ("click", {"at": [5, 6]}, Click(target=AT)),
        ("click", {"at": [5.0, 6]}, Click(target=AT)),
        (
            "click",
            {"mark": 2, "button": "right", "count": 2, "keys": "ctrl+shift", "at": None},
            Click(target=MARK_2, button="right", count=2, keys=("Control", "Shift")),
        ),
        ("move", {"mark": 2}, Move(target=MARK_2)),
        ("hover", {"at": [5, 6]}, Hover(target=AT)),
        ("drag", {"from": [5, 6], "to": 2}, Drag(path=(AT, MARK_2))),
        ("drag", {"from": 2, "path": [[5, 6], 2], "keys": ["alt"]}, Drag(path=(MARK_2, AT, MARK_2), keys=("Alt",))),
        ("scroll", {"at": [5, 6], "dy": -3}, Scroll(target=AT, dy=-3)),
        ("type_text", {"text": "naïve 漢字\n"}, TypeText(text="naïve 漢字\n")),
        ("type_text", {"text": "x", "mark": 2}, TypeText(text="x", target=MARK_2)),
        ("press_keys", {"keys": "ctrl+a"}, PressKeys(keys=("Control", "a"))),
        ("wait", {"seconds": 1.5}, Wait(duration_s=1.5)),
        ("look", {}, Look()),
        ("look", "", Look()),
        ("navigate", {"url": "https://example.com/a?b=c"}, Navigate(url="https://example.com/a?b=c")),
        ("navigate", {"url": "about:blank"}, Navigate(url="about:blank")),
        ("go_back", {}, GoBack()),
        ("go_forward", {}, GoForward()),
        ("select_option", {"mark": 2, "value": ""}, SelectOption(target=MARK_2, value="")),
        ("launch", {"app": "editor"}, Launch(app="editor")),
        ("list_windows", {}, ListWindows()),
        ("focus_window", {"window": 3}, FocusWindow(window=3)),
        ("focus_window", {"window": 7.0}, FocusWindow(window=7)),
        ("read_clipboard", "", ReadClipboard()),
        ("write_clipboard", {"text": "naïve 漢字\n"}, WriteClipboard(text="naïve 漢字\n")),
        ("write_clipboard", {"text": ""}, WriteClipboard(text="")),
    ],
)
def test_device_calls(name: str, arguments: object, action: Action) -> None:
    parsed = parse_call(_call(name, arguments), declared=ALL, observation=SCREEN)
    assert parsed == DeviceRequest(call_id="c1", action=action)


@pytest.mark.parametrize(
    ("name", "arguments", "request_"),
    [
        (
            "zoom",
            {"box": [0, 0, 800, 600]},
            ZoomRequest(call_id="c1", box=FrameBox(x_px=0, y_px=0, width_px=800, height_px=600)),
        ),
        (
            "note",
            {"text": " a ", "kind": "fact", "reason": ""},
            NoteRequest(call_id="c1", text=" a ", note_kind="fact", reason=""),
        ),
        (
            "web_note",
            {"text": "a", "kind": "fact", "reason": "r", "key": "k"},
            NoteRequest(call_id="c1", text="a", note_kind="fact", reason="r", key="k"),
        ),
        ("finish", {"success": True, "answer": "42"}, FinishRequest(call_id="c1", success=True, answer="42")),
        ("finish", {"success": False}, FinishRequest(call_id="c1", success=False, answer="")),
        ("ask_user", {"question": "Which?"}, AskRequest(call_id="c1", question="Which?")),
        ("read_record", {"ref": "s1-record", "find": "x"}, ReadRecordRequest(call_id="c1", ref="s1-record", find="x")),
        (
            "read_record",
            {"step_range": [2, 4], "offset": 9},
            ReadRecordRequest(call_id="c1", steps=StepRange(first=2, last=4), offset=9),
        ),
    ],
)
def test_harness_calls(name: str, arguments: object, request_: object) -> None:
    assert parse_call(_call(name, arguments), declared=ALL, observation=SCREEN) == request_


@pytest.mark.req("R-ACT-5")
@pytest.mark.parametrize(
    ("name", "arguments", "texts"),
    [
        ("clik", {}, ["unknown tool 'clik'; did you mean 'click'?", "the tools are click, move"]),
        ("click", '{"at":[1,2', ["not valid JSON", "line 1, column 11"]),
        ("click", "[1]", ["must be a JSON object"]),
        ("click", '{"at":[1,2],"at":[3,4]}', ["'at' is given twice"]),
        ("click", '{"at":[NaN,2]}', ["NaN", "finite"]),
        ("click", '{"at":[1e999,2]}', ["'at': must be a finite integer"]),
        ("click", "[" * 100_000, ["nesting too deep"]),
        ("click", '{"at":[' + "9" * 5000 + ",2]}", ["a number is too long"]),
        ("click", {"at": [1.5, 2]}, ["'at': must be a finite integer, got [1.5, 2]"]),
        ("click", {"at": ["1", 2]}, ["'at': must be an integer"]),
        ("click", {"at": [True, 2]}, ["'at': must be an integer"]),
        ("click", {"at": [1, 2, 3]}, ["'at'", "at most 2"]),
        ("click", {"xy": [1, 2]}, ["unknown argument 'xy'", "valid arguments: mark, at, button, count, keys"]),
        ("type_text", {}, ["missing argument 'text'", "valid arguments: text, mark"]),
        ("click", {"mark": 1, "at": [1, 2]}, ["both mark and at"]),
        ("click", {}, ["neither mark nor at"]),
        ("click", {"mark": 9}, ["unknown mark 9", "3 marks, numbered 1 to 3", "earlier screens don't count"]),
        ("click", {"mark": "1"}, ["'mark': must be an integer"]),
        ("click", {"at": [1, 2], "count": 4}, ["'count'", "less than or equal to 3"]),
        ("click", {"at": [1, 2], "count": 0}, ["'count'", "greater than or equal to 1"]),
        ("click", {"at": [1, 2], "button": "main"}, ["'left', 'middle' or 'right'"]),
        ("click", {"at": [1, 2], "keys": "ctr"}, ["unknown key 'ctr'", "Control"]),
        ("drag", {"from": [1, 2]}, ["exactly one of to and path"]),
        ("drag", {"from": [1, 2], "to": [1.5, 2]}, ["'to': must be a finite integer"]),
        ("drag", {"from": [1, 2], "to": [1, 600]}, ["outside the frame", "800x600"]),
        ("scroll", {"at": [1, 2]}, ["dx and dy are both 0"]),
        ("wait", {"seconds": 60.5}, ["'seconds'", "60"]),
        ("wait", {"seconds": "3"}, ["'seconds': must be a number"]),
        ("type_text", {"text": "x" * 100_001}, ["at most 100000 characters"]),
        ("type_text", '{"text":"\\ud800"}', ["'text'", "unicode"]),
        ("navigate", {"url": "javascript:alert(1)"}, ["not a web address", "http://", "about:blank"]),
        ("navigate", {"url": "java\nscript:alert(1)"}, ["control characters"]),
        ("navigate", {"url": "file:///etc/passwd"}, ["not a web address"]),
        ("navigate", {"url": "about:config"}, ["not a web address"]),
        ("navigate", {"url": "https://"}, ["names no host"]),
        ("navigate", {"url": "http://[::1"}, ["malformed"]),
        (
            "focus_window",
            {"window": 4},
            ["unknown window 4", 'dialog 7 (active): "Save \\"a\\nb\\"?"', 'window 3: "letter.txt"'],
        ),
        ("focus_window", {"window": "letter.txt"}, ["'window': must be an integer"]),
        ("launch", {"app": ""}, ["'app'", "at least 1 character"]),
        ("launch", {"app": "a", "command": "xterm"}, ["unknown argument 'command'", "valid arguments: app"]),
        ("write_clipboard", {}, ["missing argument 'text'"]),
        ("write_clipboard", {"text": "x" * 100_001}, ["at most 100000 characters"]),
        ("zoom", {"box": [0, 0, 801, 10]}, ["not inside the frame", "800x600"]),
        ("zoom", {"box": [0, 0, 0, 10]}, ["at least 1"]),
        ("finish", {"success": "yes"}, ["'success'", "boolean"]),
        ("read_record", {}, ["exactly one of ref and step_range"]),
        ("read_record", {"step_range": [4, 2]}, ["ends before it begins"]),
        ("look", {"now": 1}, ["valid arguments: none"]),
    ],
)
def test_bad_calls_say_what_is_valid(name: str, arguments: object, texts: list[str]) -> None:
    reason = _refusal(name, arguments)
    assert [text for text in texts if text not in reason] == []
    assert len(reason) < 700


@pytest.mark.req("R-ACT-5")
def test_a_single_mark_is_counted_as_one() -> None:
    lonely = Observation(frame=FRAME, screen=SCREEN.screen, marks=MARKS[1:2])
    assert "has 1 mark, numbered 2; " in _refusal("click", {"mark": 9}, observation=lonely)


@pytest.mark.case("G11")
@pytest.mark.req("R-ACT-5")
@pytest.mark.parametrize("at", [[1200, 50], [800, 0], [0, 600], [-1, 5]])
def test_a_point_outside_the_frame_is_refused_with_its_size(at: list[int]) -> None:
    assert "800x600" in _refusal("click", {"at": at})


@pytest.mark.req("R-ACT-1", "R-ACT-5")
def test_only_apps_of_the_list_can_be_launched() -> None:
    def launch(app: str) -> object:
        return parse_call(_call("launch", {"app": app}), declared=ALL, observation=SCREEN, apps=("editor", "files"))

    assert launch("files") == DeviceRequest(call_id="c1", action=Launch(app="files"))
    for app in ("editr", "/usr/bin/xterm", "editor; rm -rf ~", "Editor"):
        refused = launch(app)
        assert isinstance(refused, Refusal)
        assert "the apps are editor, files" in refused.reason
    assert "did you mean 'editor'?" in str(launch("editr"))


@pytest.mark.req("R-ACT-5")
def test_windows_that_are_not_known_or_too_many_to_name() -> None:
    for observation in (None, Observation(frame=FRAME, screen=SCREEN.screen)):
        assert "call list_windows to look again" in _refusal("focus_window", {"window": 1}, observation=observation)
    many = tuple(DesktopWindow(id=number, title="w" * 5000, app="a", box=BOX) for number in range(1, 31))
    crowded = Observation(frame=FRAME, screen=SCREEN.screen, windows=many)
    reason = _refusal("focus_window", {"window": 99}, observation=crowded)
    assert reason.count("w…") == 20
    assert "and 10 more, which list_windows shows" in reason


def test_without_a_frame_there_is_nothing_to_point_at() -> None:
    blind = Observation(frame=None, screen=Size(width_px=800, height_px=600), marks=MARKS)
    for observation in (None, blind):
        assert "no frame to point at; call look" in _refusal("click", {"at": [1, 2]}, observation=observation)
        assert "no frame to point at" in _refusal("click", {"mark": 1}, observation=observation)
        assert isinstance(parse_call(_call("look", {}), declared=ALL, observation=observation), DeviceRequest)


def test_a_screen_without_marks_says_so() -> None:
    bare = Observation(frame=FRAME, screen=SCREEN.screen)
    assert "has no marks; give at" in _refusal("click", {"mark": 1}, observation=bare)


def test_a_tool_that_was_not_offered_is_unknown() -> None:
    parsed = parse_call(_call("navigate", {"url": "about:blank"}), declared=frozenset({"look"}), observation=SCREEN)
    assert isinstance(parsed, Refusal)
    assert parsed.reason.endswith("the tools are look")


def test_page_text_in_a_refusal_is_escaped() -> None:
    assert _refusal("a\nb\u202e", {}).isprintable()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)
argument_names = sorted({name for model in TOOLS.values() for name in model.argument_names()})
likely = st.dictionaries(
    st.sampled_from(argument_names),
    json_values | st.integers(-3, 900) | st.lists(st.integers(-3, 900), min_size=2, max_size=4),
    max_size=5,
)


@pytest.mark.req("R-ACT-5")
@settings(max_examples=400, deadline=None)
@given(
    name=st.sampled_from(sorted(TOOLS)) | st.text(max_size=8),
    arguments=(likely | json_values).map(json.dumps) | st.text(max_size=40),
    observation=st.sampled_from([SCREEN, None]),
)
def test_whatever_the_model_writes_nothing_raises(name: str, arguments: str, observation: Observation | None) -> None:
    parsed = parse_call(ToolCall(id="c", name=name, arguments_json=arguments), declared=ALL, observation=observation)
    assert parsed.call_id == "c"
    if isinstance(parsed, Refusal):
        assert parsed.reason
        parsed.reason.encode()
    if isinstance(parsed, DeviceRequest):
        assert all(FRAME.contains(target.point) for target in action_targets(parsed.action))


def _message(*ids: str) -> AssistantMessage:
    calls = tuple(ToolCall(id=id_, name="look", arguments_json="{}") for id_ in ids)
    return AssistantMessage(parts=(TextPart(text="t"), *calls))


@pytest.mark.req("R-CTX-6")
@pytest.mark.parametrize(
    ("ids", "used", "expected"),
    [
        (("a", "b"), set(), ["a", "b"]),
        (("", "a", "a", " "), set(), ["call-7-1", "a", "call-7-3", "call-7-4"]),
        (("a", "b"), {"b"}, ["a", "call-7-2"]),
        (("", "call-7-1"), set(), ["call-7-1-2", "call-7-1"]),
        (("",), {"call-7-1", "call-7-1-2"}, ["call-7-1-3"]),
    ],
)
def test_missing_and_repeated_ids_become_ours(ids: tuple[str, ...], used: set[str], expected: list[str]) -> None:
    message = unique_calls(_message(*ids), used=used, step=7)
    assert [call.id for call in message.calls] == expected
    assert message.text == "t"


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["", "a", "call-1-1", "call-1-2", "call-1-1-2"]), max_size=8),
    st.sets(st.sampled_from(["a", "call-1-2"])),
)
def test_ids_are_unique_afterwards(ids: list[str], used: set[str]) -> None:
    after = [call.id for call in unique_calls(_message(*ids), used=used, step=1).calls]
    assert len(set(after)) == len(ids)
    assert not used & set(after)
