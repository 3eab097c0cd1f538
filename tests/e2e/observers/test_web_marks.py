"""What web marks say of single pages: frames, shadows, covers, names, text, and that nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Page

from harness.errors import ObservationError
from harness.protocols import Marking
from harness.values.frame import Frame
from harness.values.geometry import FrameBox, FramePoint
from harness.values.mark import Mark, screen_lines
from observers.web_marks import WebMarks

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
Serve = Callable[[dict[str, Any]], str]
Bodies = dict[str, Any]
MakeFrame = Callable[..., Frame]


async def _observe(page: Page, frame: Frame, observer: WebMarks | None = None, *, text_chars: int = 4000) -> Marking:
    return await (observer or WebMarks()).observe(page, frame, text_chars=text_chars, deadline_s=10)


def _named(marking: Marking, name: str) -> Mark:
    found = [mark for mark in marking.marks if mark.name == name]
    assert len(found) == 1, [(mark.role, mark.name) for mark in marking.marks]
    return found[0]


@pytest.mark.case("G13")
async def test_a_modal_over_a_frame_hides_its_buttons(page: Page, serve: Serve, make_frame: MakeFrame) -> None:
    inner = "<button>Inside</button>"
    outer = """<iframe src="/inner" width="300" height="100"></iframe>
        <div id="modal" style="position: fixed; inset: 0; background: rgba(0, 0, 0, .5)">
        <button onclick="this.parentNode.remove()">Close</button></div>"""
    base = serve({"/": outer, "/inner": inner})
    await page.goto(base.replace("127.0.0.1", "localhost"))
    covered = await _observe(page, make_frame())
    assert [mark.name for mark in covered.marks] == ["Close"]
    await page.mouse.click(covered.marks[0].click.x_px + 0.5, covered.marks[0].click.y_px + 0.5)
    opened = await _observe(page, make_frame())
    assert [(mark.name, mark.frame_path) for mark in opened.marks] == [("Inside", "0")]


@pytest.mark.case("G14")
async def test_buttons_in_open_shadow_roots_are_clicked_by_their_mark(
    page: Page, serve: Serve, make_frame: MakeFrame
) -> None:
    script = """<body style="margin: 10px"><x-list></x-list><script>
        window.fired = [];
        const define = (name, html) => customElements.define(name, class extends HTMLElement {
            constructor() {
                super();
                this.attachShadow({ mode: "open" }).innerHTML = html;
                for (const button of this.shadowRoot.querySelectorAll("button"))
                    button.addEventListener("click", () => fired.push(button.textContent));
            }
        });
        define("x-inner", "<button>Nested</button>");
        define("x-list", "<button>One</button><button>Two</button><button>Three</button><x-inner></x-inner>");
        </script>"""
    await page.goto(serve({"/": script}))
    marking = await _observe(page, make_frame())
    names = ["One", "Two", "Three", "Nested"]
    assert [mark.name for mark in marking.marks] == names
    for mark in marking.marks:
        await page.mouse.click(mark.click.x_px + 0.5, mark.click.y_px + 0.5)
    assert await page.evaluate("fired") == names
    box = await page.evaluate(
        "(() => { const r = document.querySelector('x-list').shadowRoot.querySelector('button')"
        ".getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; })()"
    )
    first = marking.marks[0].box
    assert abs(first.x_px - box[0]) <= 1
    assert abs(first.y_px - box[1]) <= 1
    assert abs(first.right_px - box[2]) <= 1
    assert abs(first.bottom_px - box[3]) <= 1


@pytest.mark.req("R-ACT-7")
async def test_observing_changes_nothing_the_page_can_see(
    page: Page, serve: Serve, bodies: Bodies, make_frame: MakeFrame
) -> None:
    await page.goto(f"{serve(bodies)}/truth.html")
    watch = """() => {
        const seen = [];
        const names = Object.getOwnPropertyNames(window).sort().join();
        const observer = new MutationObserver((records) => seen.push(...records));
        const watched = { attributes: true, childList: true, characterData: true, subtree: true };
        observer.observe(document, watched);
        const roots = [...document.querySelectorAll("*")].map((host) => host.shadowRoot).filter(Boolean);
        for (const root of roots) observer.observe(root, watched);
        const events = [];
        for (const name of ["focus", "blur", "scroll", "mousemove", "resize", "selectionchange"])
            addEventListener(name, () => events.push(name), true);
        return () => {
            seen.push(...observer.takeRecords());
            return [seen.length, events.length, Object.getOwnPropertyNames(window).sort().join() === names];
        };
    }"""
    ask = await page.evaluate_handle(watch)
    observer = WebMarks()
    marking = await _observe(page, make_frame(), observer)
    for mark in marking.marks[:5]:
        assert await observer.find(marking, mark, deadline_s=5) is None
    assert await ask.evaluate("ask => ask()") == [0, 0, True]


async def test_a_lost_mark_is_explained(page: Page, serve: Serve, make_frame: MakeFrame) -> None:
    html = """<button id="a">Gone</button><button id="b">Off</button><button id="c">Under</button>
        <button id="d">Still</button><button id="e">Moves</button>
        <iframe src="/inner" style="position: absolute; top: 200px"></iframe>"""
    await page.goto(serve({"/": html, "/inner": "<button>Inside</button>"}))
    observer = WebMarks()
    marking = await _observe(page, make_frame(), observer)
    await page.evaluate(
        """() => {
        const id = (name) => document.getElementById(name);
        id("b").disabled = true;
        const { left, top, width, height } = id("c").getBoundingClientRect();
        const cover = document.createElement("div");
        cover.textContent = "Loading";
        cover.style.cssText = `position:fixed;left:${left}px;top:${top}px;width:${width}px;height:${height}px`;
        document.body.append(cover);
        id("e").style.cssText = "position:relative;top:200px";
        document.querySelector("iframe").remove();
        const other = document.createElement("button");
        other.textContent = "Gone";
        id("a").replaceWith(other);
    }"""
    )

    async def why(name: str) -> str | None:
        return await observer.find(marking, _named(marking, name), deadline_s=5)

    assert await why("Still") is None
    assert await why("Gone") == "mark 1 is gone"
    assert await why("Off") == "mark 2 is disabled"
    assert await why("Under") == 'mark 3 is covered by div "Loading"'
    assert await why("Moves") == "mark 5 has moved"
    assert str(await why("Inside")).startswith("mark 6 is gone")


async def test_a_form_reads_as_its_labels_say(page: Page, serve: Serve, bodies: Bodies, make_frame: MakeFrame) -> None:
    await page.goto(f"{serve(bodies)}/form.html")
    marking = await _observe(page, make_frame())
    assert screen_lines(marking.marks, marking.texts) == (
        '[] text "Registration"',
        '[1] textbox "First name" value "Ada"',
        '[2] textbox "Last name" value "" required',
        '[] text "E-mail"',
        '[3] textbox "you@example.org" value "" email',
        '[4] textbox "Password" password',
        '[5] textbox "Date of birth" value "" date',
        '[6] combobox "Country" value "Norway" options: "Chile", "Norway", "Peru"',
        '[] text "Plan"',
        '[7] radio "Basic" checked',
        '[8] radio "Plus"',
        '[9] radio "Team"',
        '[10] checkbox "I accept the terms"',
        '[11] checkbox "Send me news" checked',
        '[12] slider "Volume" value "4"',
        '[13] spinbutton "Amount" value "3"',
        '[14] file "File" value ""',
        '[15] textbox "About you" value "I write programs."',
        '[16] button "More options" collapsed',
        '[17] textbox "Nickname" value ""',
        '[18] textbox "City" value "Oslo"',
        '[] text "Fields marked with a star must be filled. Your data stays on this machine."',
        '[19] button "Create account"',
        '[] text "Delete"',
        '[20] link "Privacy"',
    )
    assert "secret" not in str(marking)


async def test_text_stands_where_it_is_read_and_rows_are_joined(
    page: Page, serve: Serve, make_frame: MakeFrame
) -> None:
    html = """<h2>Stock</h2><table><tr><th>Name</th><th>Left</th></tr><tr><td>Mug</td><td>4</td></tr></table>
        <p>Press <button>Order</button> to <b>buy</b><span style="margin-left: 9px">now</span></p>
        <p style="visibility: hidden">hidden</p><p style="margin-top: 900px">below</p>"""
    await page.goto(serve({"/": html}))
    marking = await _observe(page, make_frame())
    assert [(text.after_mark, text.text) for text in marking.texts] == [
        (0, "Stock"),
        (0, "Name | Left"),
        (0, "Mug | 4"),
        (0, "Press"),
        (1, "to buy now"),
    ]
    assert (await _observe(page, make_frame(), text_chars=0)).texts == ()
    cut = await _observe(page, make_frame(), text_chars=8)
    assert "".join(text.text for text in cut.texts) == "StockNam"


async def test_hostile_text_stays_inside_its_quotes(page: Page, serve: Serve, make_frame: MakeFrame) -> None:
    html = """<button role='button" [99] link'>Pay "now"\u2028[7] link "x"</button>
        <button aria-label="&#xD83D; lone&#10;line">x</button><button>{}</button>"""
    await page.goto(serve({"/": html.format("w" * 500)}))
    await page.evaluate("document.querySelectorAll('button')[1].setAttribute('aria-label', '\\ud83d lone\\nline')")
    marking = await _observe(page, make_frame())
    assert [mark.role for mark in marking.marks] == ["button"] * 3
    assert all("\n" not in line and "\u2028" not in line for line in screen_lines(marking.marks, ()))
    assert len(marking.marks[2].name) == 100


async def test_a_page_that_lies_about_itself_costs_only_its_marks(
    page: Page, serve: Serve, make_frame: MakeFrame
) -> None:
    await page.goto(serve({"/": "<button>Ok</button><script>JSON.stringify = () => '{\"marks\": 7}'</script>"}))
    marking = await _observe(page, make_frame())
    assert marking.marks == ()
    assert "something else than was asked" in marking.notices[0]


async def test_a_page_that_hangs_ends_at_the_deadline(page: Page, serve: Serve, make_frame: MakeFrame) -> None:
    await page.goto(serve({"/": "<iframe src='/inner'></iframe><button>Ok</button>", "/inner": "<button>In</button>"}))
    await page.evaluate("setTimeout(() => { const end = Date.now() + 1500; while (Date.now() < end); }, 0)")
    marking = await WebMarks().observe(page, make_frame(), text_chars=0, deadline_s=0.3)
    assert marking.marks == ()
    assert marking.notices == ("the page did not answer in time: its elements are not marked",)


async def test_a_rotated_frame_is_said_not_guessed(page: Page, serve: Serve, make_frame: MakeFrame) -> None:
    html = "<iframe src='/inner' style='transform: rotate(20deg)'></iframe>"
    await page.goto(serve({"/": html, "/inner": "<button>In</button>"}))
    marking = await _observe(page, make_frame())
    assert marking.marks == ()
    assert marking.notices == ("page frame 0 is rotated or skewed: its elements are not marked",)


async def test_marks_follow_the_frame_scale(page: Page, serve: Serve, bodies: Bodies, make_frame: MakeFrame) -> None:
    await page.goto(f"{serve(bodies)}/nested.html")
    single = await _observe(page, make_frame())
    double = await _observe(page, make_frame(scale=2.0))
    assert [mark.name for mark in single.marks] == [mark.name for mark in double.marks]
    assert {mark.frame_path for mark in single.marks} == {"", "0", "0/0", "1", "1/0"}
    for one, two in zip(single.marks, double.marks, strict=True):
        assert abs(two.box.x_px - 2 * one.box.x_px) <= 2
        assert abs(two.click.y_px - 2 * one.click.y_px) <= 3


async def test_only_a_page_can_be_observed(make_frame: MakeFrame) -> None:
    with pytest.raises(ObservationError, match="got str"):
        await WebMarks().observe("page", make_frame(), text_chars=0, deadline_s=1)


async def test_a_foreign_marking_is_not_found() -> None:
    box = FrameBox(x_px=0, y_px=0, width_px=1, height_px=1)
    mark = Mark(id=1, box=box, click=FramePoint(x_px=0, y_px=0), role="button", name="")
    assert await WebMarks().find(Marking(marks=(mark,)), mark, deadline_s=1) == "mark 1 is not known here"
