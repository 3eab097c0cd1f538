"""email-inbox and its variants with the same wording: find a sender's email, then reply, forward, delete or star it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from evals.suites.miniwob.solutions.reading import find_mark, text_of
from harness.protocols.policies import Act, LookAround, SeenMark, View

SENDER = re.compile(r"Find the email by (.+?) and (reply|forward|click)")
REPLY = re.compile(r'with the text "(.*)"')
FORWARD = re.compile(r"forward that email to (.+)\.$")
ICONS = {"open search", "trash", "star"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the task asks for; `text` is the reply's text or the receiver."""

    sender: str
    action: Literal["reply", "forward", "trash", "star"]
    text: str = ""


async def solve(task: str, act: Act, look: LookAround) -> None:
    """Open the email and do with it what the task says."""
    wish = _read_wish(task)
    row = await _find_row(wish.sender, act, look())
    view = await act("click", mark=row.id)
    match wish.action:
        case "trash" | "star":
            await act("click", mark=find_mark(view, role="clickable", name=wish.action).id)
        case "reply" | "forward":
            view = await _open_answer(wish.action, act, view)
            field = find_mark(view, role="textbox")
            view = await act("type_text", mark=field.id, text=wish.text)
            await act("click", mark=find_mark(view, role="clickable", name=f"send {wish.action}").id)


def _read_wish(task: str) -> Wish:
    found = SENDER.search(task)
    assert found is not None, f"no sender in {task!r}"
    sender, verb = found.groups()
    if verb == "reply":
        return Wish(sender=sender, action="reply", text=REPLY.findall(task)[0])
    if verb == "forward":
        return Wish(sender=sender, action="forward", text=FORWARD.findall(task)[0])
    return Wish(sender=sender, action="trash" if "trash icon" in task else "star")


async def _find_row(sender: str, act: Act, view: View) -> SeenMark:
    """Scroll down the inbox until a row begins with exactly this sender, who may be part of another's name."""
    while True:
        rows = [mark for mark in view.marks if mark.role == "clickable" and mark.name not in ICONS]
        for row in rows:
            if row.name.startswith(f"{sender} "):
                return row
        before = text_of(view.lines)
        view = await act("scroll", mark=rows[-1].id, dy=1)
        assert text_of(view.lines) != before, f"the inbox has no email by {sender!r}"


async def _open_answer(action: str, act: Act, view: View) -> View:
    """Press Reply or Forward, below a long email after scrolling."""
    while not any(mark.name.lower() == action for mark in view.marks):
        before = text_of(view.lines)
        view = await act("scroll", mark=view.marks[0].id, dy=1)
        assert text_of(view.lines) != before, f"the email has no button {action!r}"
    return await act("click", mark=find_mark(view, role="clickable", name=action).id)
