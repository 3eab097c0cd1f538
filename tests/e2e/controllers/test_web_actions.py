from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.controllers.web.keyboard import MODIFIERS, NAMED_KEYS
from harness.values.action import (
    Click,
    Drag,
    GoBack,
    GoForward,
    Hover,
    Look,
    Move,
    Navigate,
    PressKeys,
    Scroll,
    SelectOption,
    Target,
    TypeText,
    Wait,
)

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

RECORDER = """<body style="margin:0;height:3000px"><script>
  window.log = [];
  const names = ["mousedown", "mouseup", "click", "dblclick", "contextmenu", "keydown", "keyup", "mousemove", "wheel"];
  for (const name of names) addEventListener(name, event => {
    if (name === "contextmenu") event.preventDefault();
    log.push([name, event.key ?? event.button, event.clientX, event.clientY, event.ctrlKey, event.deltaY ?? 0]);
  }, {passive: false});
</script>"""
FORM = """<body style="margin:0"><form onsubmit="window.submits = (window.submits || 0) + 1; return false">
  <textarea id="area" rows="4" cols="40"></textarea><br><input id="line" value="hello" style="width:200px"><br>
  <input id="secret" type="password"><br><input id="mail" type="email" value="a@b.example"><br>
  <select id="pick"><option value="r">Red</option><option value="b">Blue  sky</option>
    <option value="g" disabled>Green</option></select>
  <button id="send">Send</button></form>
  <div id="rich" contenteditable style="width:300px;height:60px;border:1px solid">start</div>"""


async def test_a_click_lands_on_the_pixel_of_the_frame(serve, drive, target: Callable[[int, int], Target]) -> None:
    driven = await drive(serve({"/": RECORDER}))
    outcome = await driven.act(Click(target=target(120, 48)))
    assert outcome.status == "done"
    assert [call.text for call in outcome.calls] == ["clicked at 120,48"]
    clicks = [event for event in await driven.page.evaluate("log") if event[0] == "click"]
    assert [event[2:4] for event in clicks] == [[120, 48]]


async def test_buttons_counts_and_held_keys(serve, drive, target: Callable[[int, int], Target]) -> None:
    driven = await drive(serve({"/": RECORDER}))
    outcome = await driven.act(
        Click(target=target(10, 10), count=2),
        Click(target=target(300, 10), button="right"),
        Click(target=target(500, 10), keys=("Control",)),
    )
    assert [call.text for call in outcome.calls] == [
        "double-clicked at 10,10",
        "clicked at 300,10 with the right button",
        "clicked at 500,10 while holding Control",
    ]
    log = await driven.page.evaluate("log")
    assert [event[0] for event in log].count("dblclick") == 1
    assert [event[0] for event in log].count("contextmenu") == 1
    assert [event[4] for event in log if event[0] == "mousedown"] == [False, False, False, True]
    assert [event[1] for event in log if event[0] == "keyup"] == ["Control"]


@pytest.mark.case("G12")
async def test_a_drag_goes_move_keys_down_moves_up_keys(serve, drive, target: Callable[[int, int], Target]) -> None:
    driven = await drive(serve({"/": RECORDER}))
    await driven.act(Move(target=target(500, 500)))
    await driven.page.evaluate("log.length = 0")
    outcome = await driven.act(Drag(path=(target(0, 0), target(100, 100)), keys=("Control",)))
    assert outcome.calls[0].text == "dragged from 0,0 to 100,100 while holding Control"
    log = [event for event in await driven.page.evaluate("log") if event[0] != "click"]
    order = [event[0] for index, event in enumerate(log) if index == 0 or log[index - 1][0] != event[0]]
    assert order == ["mousemove", "keydown", "mousedown", "mousemove", "mouseup", "keyup"]
    assert [event[2:4] for event in log if event[0] in {"mousedown", "mouseup"}] == [[0, 0], [100, 100]]


async def test_the_wheel_turns_at_a_point(serve, drive, target: Callable[[int, int], Target]) -> None:
    driven = await drive(serve({"/": RECORDER}))
    outcome = await driven.act(Scroll(target=target(50, 60), dy=3))
    assert outcome.calls[0].text == "turned the wheel 3 down at 50,60"
    assert await driven.page.evaluate("scrollY") == 300
    wheels = [event for event in await driven.page.evaluate("log") if event[0] == "wheel"]
    assert [event[5] for event in wheels] == [100, 100, 100]


@pytest.mark.req("R-ACT-2")
async def test_hover_shows_what_hovering_shows(serve, drive) -> None:
    driven = await drive(serve({"/": "<button id=b onmouseenter='document.title = \"over\"'>B</button>"}))
    outcome = await driven.act(Hover(target=driven.mark("b")))
    assert outcome.observation is not None
    assert outcome.observation.title == "over"
    assert "(mark 1)" in outcome.calls[0].text


@pytest.mark.case("G15")
async def test_any_text_arrives_exactly(serve, drive) -> None:
    driven = await drive(serve({"/": FORM}))
    text = "Grêmio São €100 日本 𝄞 'quoted'\t{}"
    outcome = await driven.act(TypeText(text=text, target=driven.mark("area")))
    assert await driven.page.input_value("#area") == text
    assert "the field now holds" in outcome.calls[0].text


@pytest.mark.case("G17")
async def test_a_line_break_is_never_enter(serve, drive) -> None:
    driven = await drive(serve({"/": FORM}))
    await driven.act(TypeText(text="a\nb", target=driven.mark("area")))
    assert await driven.page.input_value("#area") == "a\nb"
    outcome = await driven.act(TypeText(text="x\ny", target=driven.mark("line")))
    assert await driven.page.input_value("#line") == "helloxy"
    assert "typed 2 characters" in outcome.calls[0].text
    assert "without the line breaks" in outcome.calls[0].text
    assert await driven.page.evaluate("window.submits || 0") == 0
    await driven.act(PressKeys(keys=("Enter",)))
    assert await driven.page.evaluate("window.submits") == 1


@pytest.mark.parametrize(("field", "before"), [("line", "hello"), ("mail", "a@b.example")])
async def test_text_goes_to_the_end_of_a_field(serve, drive, field: str, before: str) -> None:
    driven = await drive(serve({"/": FORM}))
    outcome = await driven.act(TypeText(text="xyz", target=driven.mark(field)))
    assert outcome.calls[0].text.endswith(f'the field now holds "{before}xyz"')


async def test_text_goes_to_the_end_of_editable_content(serve, drive, target: Callable[[int, int], Target]) -> None:
    driven = await drive(serve({"/": FORM}))
    box = await driven.page.locator("#rich").bounding_box()
    assert box is not None
    outcome = await driven.act(TypeText(text=" end", target=target(int(box["x"]) + 5, int(box["y"]) + 8)))
    assert outcome.calls[0].text.endswith('the field now holds "start end"')


async def test_a_password_is_never_read_back(serve, drive) -> None:
    driven = await drive(serve({"/": FORM}))
    outcome = await driven.act(TypeText(text="S3cr3t", target=driven.mark("secret")))
    assert await driven.page.input_value("#secret") == "S3cr3t"
    assert outcome.calls[0].text == (
        "typed 6 characters at "
        f"{driven.mark('secret').point.x_px},{driven.mark('secret').point.y_px} (mark 3); "
        "what the password field holds is not shown"
    )


async def test_typing_without_a_focused_field_says_so(serve, drive) -> None:
    driven = await drive(serve({"/": "<p>nothing here</p>"}))
    outcome = await driven.act(TypeText(text="lost"))
    assert "no element had the focus" in outcome.calls[0].text


async def test_long_text_is_whole_and_wakes_key_listeners(serve, drive) -> None:
    page = "<textarea id=area onkeydown='window.keys = (window.keys || 0) + 1'></textarea>"
    driven = await drive(serve({"/": page}))
    text = "0123456789\n" * 300
    outcome = await driven.act(TypeText(text=text + "!", target=driven.mark("area")))
    assert await driven.page.input_value("#area") == text + "!"
    assert await driven.page.evaluate("window.keys") == 1
    assert "holds 3301 characters" in outcome.calls[0].text


@pytest.mark.case("G16")
async def test_a_chord_is_pressed_as_one(serve, drive) -> None:
    driven = await drive(serve({"/": FORM}))
    await driven.act(Click(target=driven.mark("line")), PressKeys(keys=("Control", "a")))
    assert await driven.page.input_value("#line") == "hello"
    selected = await driven.page.evaluate("[line.selectionStart, line.selectionEnd]")
    assert selected == [0, 5]
    await driven.act(PressKeys(keys=("Delete",)))
    assert await driven.page.input_value("#line") == ""


@pytest.mark.req("R-ACT-5")
async def test_an_unknown_key_names_the_valid_ones(serve, drive) -> None:
    driven = await drive(serve({"/": RECORDER}))
    outcome = await driven.act(PressKeys(keys=("Control", "Banana")))
    assert outcome.calls[0].status == "failed"
    assert "['Banana']" in outcome.calls[0].text
    assert "ArrowLeft" in outcome.calls[0].text
    assert await driven.page.evaluate("log") == []


async def test_every_named_key_reaches_the_page(serve, drive) -> None:
    page = "<script>window.log = []; onkeydown = e => { log.push(e.key); e.preventDefault() }</script>"
    driven = await drive(serve({"/": page}))
    names = sorted(NAMED_KEYS | MODIFIERS)
    for name in names:
        await driven.controller._hands._keyboard.press(driven.page, (name,))
    assert await driven.page.evaluate("log") == [" " if name == "Space" else name for name in names]


@pytest.mark.parametrize(("value", "chosen"), [("Red", "r"), ("b", "b"), ("blue sky", "b")])
async def test_an_option_is_chosen_by_label_or_value(serve, drive, value: str, chosen: str) -> None:
    driven = await drive(serve({"/": FORM}))
    outcome = await driven.act(SelectOption(target=driven.mark("pick"), value=value))
    assert outcome.calls[0].text.startswith('selected "')
    assert await driven.page.input_value("#pick") == chosen


@pytest.mark.parametrize(("value", "reason"), [("Violet", "there is no option"), ("Green", "is disabled")])
async def test_a_missing_option_names_the_others(serve, drive, value: str, reason: str) -> None:
    driven = await drive(serve({"/": FORM}))
    outcome = await driven.act(SelectOption(target=driven.mark("pick"), value=value), Click(target=driven.mark("send")))
    assert [call.status for call in outcome.calls] == ["failed", "not_executed"]
    assert reason in outcome.calls[0].text
    assert '"Red", "Blue sky"' in outcome.calls[0].text
    assert await driven.page.evaluate("window.submits || 0") == 0


async def test_selecting_in_what_is_no_select_says_so(serve, drive) -> None:
    driven = await drive(serve({"/": FORM}))
    outcome = await driven.act(SelectOption(target=driven.mark("send"), value="Red"))
    assert "no select element" in outcome.calls[0].text


@pytest.mark.req("R-ACT-2")
async def test_fields_and_options_inside_frames_and_shadow_roots(
    serve, drive, target: Callable[[int, int], Target]
) -> None:
    inner = "<body style='margin:0'><select style='display:block;height:30px'><option>One<option>Two</select><input>"
    outer = """<body style="margin:0"><iframe src="/inner" style="border:5px solid;padding:7px;margin:0"></iframe>
      <div id=host></div><script>host.attachShadow({mode: "open"}).innerHTML = "<input id=deep>"</script>"""
    driven = await drive(serve({"/": outer, "/inner": inner}))
    outcome = await driven.act(
        SelectOption(target=target(20, 20), value="Two"), TypeText(text="in", target=target(30, 52))
    )
    assert [call.status for call in outcome.calls] == ["executed", "executed"]
    assert outcome.calls[1].text.endswith('the field now holds "in"')
    frame = driven.page.frames[1]
    assert await frame.evaluate("[document.querySelector('select').value, document.querySelector('input').value]") == [
        "Two",
        "in",
    ]
    box = await driven.page.locator("#deep").bounding_box()
    assert box is not None
    outcome = await driven.act(TypeText(text="deep", target=target(int(box["x"]) + 9, int(box["y"]) + 9)))
    assert outcome.calls[0].text.endswith('the field now holds "deep"')


@pytest.mark.req("R-ACT-2")
async def test_navigating_back_and_forward(serve, drive) -> None:
    base = serve({"/": "<title>one</title>", "/two": "<title>two</title><p>second</p>"})
    driven = await drive(base)
    opened = await driven.act(Navigate(url=f"{base}/two"))
    assert opened.calls[0].text == f'opened "{base}/two"'
    assert opened.observation is not None
    assert (opened.observation.url, opened.observation.title) == (f"{base}/two", "two")
    back = await driven.act(GoBack())
    assert back.calls[0].text == f'went back to "{base}/"'
    forward = await driven.act(GoForward())
    assert forward.observation is not None
    assert forward.observation.title == "two"
    again = await driven.act(GoForward())
    assert again.calls[0].status == "failed"
    assert "no page to go forward to" in again.calls[0].text


async def test_a_page_that_does_not_open_is_an_error_for_the_model(serve, drive) -> None:
    base = serve({"/": "<title>one</title>"})
    driven = await drive(base)
    outcome = await driven.act(Navigate(url="http://127.0.0.1:9/"))
    assert outcome.calls[0].status == "failed"
    assert "did not open" in outcome.calls[0].text
    missing = await driven.act(Navigate(url=f"{base}/nowhere"))
    assert missing.calls[0].text.endswith("with HTTP status 404")


async def test_wait_and_look_do_nothing(serve, drive) -> None:
    driven = await drive(serve({"/": RECORDER}))
    outcome = await driven.act(Wait(duration_s=0.05), Look())
    assert [call.text for call in outcome.calls] == ["waited 0.05 s", "looked; nothing was done"]
    assert await driven.page.evaluate("log") == []
    assert outcome.observation is not None
    assert outcome.observation.settle is not None
    assert outcome.observation.settle.kind == "idle"
