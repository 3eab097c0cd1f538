"""Neutral actions on a page: what each does, and the sentence that says what really happened."""

from __future__ import annotations

from typing import assert_never

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from harness.controllers import wording
from harness.controllers.aim import Aim, CallFailed, place_text
from harness.controllers.deadline import Deadline
from harness.controllers.pause import pause
from harness.controllers.web import fields
from harness.controllers.web.keyboard import Keyboard
from harness.controllers.web.navigation import travel
from harness.controllers.web.options import choose_option
from harness.controllers.web.pointer import Pointer
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
    TypeText,
    Wait,
    WriteClipboard,
)
from harness.values.frame import Frame


class Hands:
    """Performs actions on a page with one pointer and one keyboard."""

    def __init__(self) -> None:
        self._pointer = Pointer()
        self._keyboard = Keyboard()

    async def release(self) -> None:
        """Release every held key and button."""
        await self._pointer.release()
        await self._keyboard.release()

    async def act(self, page: Page, action: Action, frame: Frame | None, deadline: Deadline) -> str:
        """Perform one action whose targets are pixels of `frame`, and return what happened.

        Raises:
            CallFailed: it did not work; the text says why and what is valid.
            PlaywrightError: the page refused or is gone.
        """
        place = Aim(frame)
        match action:
            case Click() | Move() | Hover() | Drag() | Scroll():
                return await self._act_with_pointer(page, action, place)
            case TypeText():
                return await self._type(page, action, place)
            case PressKeys():
                await self._keyboard.press(page, action.keys)
                return f"pressed {'+'.join(action.keys)}"
            case SelectOption():
                return await choose_option(page, action, place, deadline)
            case Navigate() | GoBack() | GoForward():
                return await travel(page, action, deadline)
            case Wait():
                return await pause(action, deadline)
            case Look():
                return "looked; nothing was done"
            case Launch() | ListWindows() | FocusWindow() | ReadClipboard() | WriteClipboard():
                raise CallFailed(f"{action.kind} works on a desktop, not in a browser")
            case _:
                assert_never(action)

    async def _act_with_pointer(self, page: Page, action: Click | Move | Hover | Drag | Scroll, place: Aim) -> str:
        match action:
            case Click():
                await self._click(page, action, place)
                return wording.click_text(action)
            case Move() | Hover():
                await self._pointer.move(page, place.point(action.target))
                return f"moved the pointer to {place_text(action.target)}"
            case Drag():
                await self._drag(page, action, place)
                return wording.drag_text(action)
            case Scroll():
                await self._pointer.move(page, place.point(action.target))
                await self._pointer.scroll(page, action.dx, action.dy)
                return wording.scroll_text(action)
            case _:
                assert_never(action)

    async def _click(self, page: Page, action: Click, place: Aim) -> None:
        await self._pointer.move(page, place.point(action.target))
        await self._keyboard.hold(page, action.keys)
        await self._pointer.click(page, action.button, action.count)
        await self._keyboard.release()

    async def _drag(self, page: Page, action: Drag, place: Aim) -> None:
        points = [place.point(target) for target in action.path]
        if len(points) < 2:
            raise CallFailed(f"a drag needs at least two points, got {len(points)}; nothing was pressed")
        await self._pointer.move(page, points[0])
        await self._keyboard.hold(page, action.keys)
        await self._pointer.drag(page, points[1:])
        await self._keyboard.release()

    async def _type(self, page: Page, action: TypeText, place: Aim) -> str:
        if action.target is not None:
            await self._pointer.move(page, place.point(action.target))
            await self._pointer.click(page, "left", 1)
            await fields.move_caret_to_end(page)
        text = await _typeable(page, action.text)
        await self._keyboard.type_text(page, text)
        return f"{wording.typed_text(action.text, text, action.target)}; {await _field_text(page)}"


async def _typeable(page: Page, text: str) -> str:
    """Return `text` without its line breaks where the focused field holds one line: it would send its form."""
    if not wording.LINE_BREAKS & set(text) or not (await fields.read_focused(page)).is_one_line:
        return text
    return wording.without_line_breaks(text)


async def _field_text(page: Page) -> str:
    """Return what the focused field holds now, in words; never a password's content."""
    try:
        field = await fields.read_focused(page)
    except PlaywrightError:
        return "the page changed meanwhile, so what the field holds is not known"
    match field.kind:
        case "text":
            return wording.held_value_text(field.value)
        case "password":
            return "what the password field holds is not shown"
        case "other":
            return "the focused element is not a text field, so what it holds is not known"
        case "nothing":
            return "no element had the focus, so the text may have gone nowhere: click a field first"
        case _:
            assert_never(field.kind)
