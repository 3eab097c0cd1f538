"""Marks on a page of which it is known what can be clicked, judged by real presses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Page

from harness.values.frame import Frame
from harness.values.geometry import DevicePoint
from observers.web_marks import WebMarks

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]
_WANTED = """() => {
    const found = [];
    const visit = (root) => {
        for (const element of root.querySelectorAll("*")) {
            if (element.dataset.t?.startsWith("y-")) found.push(element.dataset.t);
            if (element.shadowRoot) visit(element.shadowRoot);
        }
    };
    visit(document);
    return found;
}"""


async def _wanted(page: Page) -> set[str]:
    names: set[str] = set()
    for frame in page.frames:
        names.update(await frame.evaluate(_WANTED))
    return names


async def _press_all(page: Page, points: list[DevicePoint]) -> list[str]:
    for count, point in enumerate(points, start=1):
        await page.mouse.move(point.x, point.y)
        await page.mouse.down()
        await page.mouse.up()
        await page.wait_for_function("count => pressed.length >= count", arg=count)
    return [str(name) for name in await page.evaluate("pressed")]


@pytest.mark.req("R-ACT-2")
@pytest.mark.parametrize(("scale", "scroll"), [(1.0, 0), (2.0, 137)])
async def test_marks_are_what_a_press_reaches(
    page: Page,
    serve: Callable[[dict[str, Any]], str],
    bodies: dict[str, Any],
    make_frame: Callable[..., Frame],
    scale: float,
    scroll: int,
) -> None:
    await page.goto(f"{serve(bodies)}/truth.html")
    await page.evaluate("y => { document.body.style.paddingTop = `${y}px`; scrollTo(0, y); }", scroll)
    frame = make_frame(scale=scale)
    marking = await WebMarks().observe(page, frame, text_chars=2000, deadline_s=10)
    assert all(mark.box.contains(mark.click) for mark in marking.marks)
    names = await _press_all(page, [frame.transform.to_device(mark.click) for mark in marking.marks])
    wanted = await _wanted(page)
    # A list box is pressed on one of its options.
    hit = ["y-listbox" if mark.role == "listbox" else name for mark, name in zip(marking.marks, names, strict=True)]
    missing = sorted(wanted - set(hit))
    wrong = [(name, mark) for name, mark in zip(hit, marking.marks, strict=True) if name not in wanted]
    assert not marking.notices
    assert sorted(hit) == sorted(set(hit)), "two marks for one element"
    assert len(wanted & set(hit)) / len(wanted) >= 0.94, missing
    assert 1 - len(wrong) / len(hit) >= 0.97, wrong
