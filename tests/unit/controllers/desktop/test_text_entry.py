from __future__ import annotations

import pytest
from fake_desktop import FakeBackend

from harness.controllers.aim import CallFailed
from harness.controllers.deadline import Deadline
from harness.controllers.desktop.device_thread import DeviceThread
from harness.controllers.desktop.gestures import Gestures
from harness.controllers.desktop.guarded_thread import GuardedThread
from harness.controllers.desktop.text_entry import TextEntry
from harness.controllers.desktop.view import BackendView
from harness.protocols import FocusedField
from harness.values.action import Target, TypeText
from harness.values.geometry import FramePoint

TARGET = Target(point=FramePoint(x_px=1, y_px=1))


class Fields:
    """Answers with one field after another; the last stays."""

    def __init__(self, *fields: FocusedField) -> None:
        self._fields = list(fields)

    async def focused_field(self, device: object, *, deadline_s: float) -> FocusedField:
        return self._fields.pop(0) if len(self._fields) > 1 else self._fields[0]


def text(value: str, *, is_one_line: bool = False) -> FocusedField:
    return FocusedField(kind="text", value=value, is_one_line=is_one_line)


async def typed(backend: FakeBackend, fields: Fields | None, action: TypeText) -> str:
    thread = DeviceThread()
    view = BackendView(backend, monitor=backend.screen.monitors()[1], environment={})
    try:
        gestures = Gestures(backend.pointer, backend.keyboard)
        entry = TextEntry(backend, thread=GuardedThread(thread, None), gestures=gestures, view=view, fields=fields)
        return await entry.type(action, Deadline(5))
    finally:
        thread.close()


async def test_what_the_field_holds_is_read_back() -> None:
    backend = FakeBackend()
    told = await typed(backend, Fields(text("a"), text("ab")), TypeText(text="b"))
    assert told == 'typed 1 character; the field now holds "ab"'


async def test_the_read_back_waits_until_the_application_shows_the_text() -> None:
    fields = Fields(text(""), text(""), text("Gr"), text("Grüße"))
    assert (await typed(FakeBackend(), fields, TypeText(text="Grüße"))).endswith('the field now holds "Grüße"')


@pytest.mark.case("G15")
async def test_text_that_does_not_arrive_is_said() -> None:
    told = await typed(FakeBackend(), Fields(text("Grmio")), TypeText(text="Grêmio"))
    assert told.endswith('the field now holds "Grmio", which is not all of the typed text')


async def test_nothing_is_typed_when_nothing_has_the_keyboard() -> None:
    backend = FakeBackend()
    backend.windows.has_focus = False
    with pytest.raises(CallFailed, match="nothing was typed"):
        await typed(backend, None, TypeText(text="x"))
    assert backend.log.lines == []


@pytest.mark.case("G17")
async def test_a_line_break_does_not_send_a_field_of_one_line() -> None:
    backend = FakeBackend()
    told = await typed(backend, Fields(text("ab", is_one_line=True)), TypeText(text="a\r\nb"))
    assert backend.log.lines == ["type 'ab'"]
    assert "without the line breaks" in told


@pytest.mark.parametrize(("is_one_line", "chord"), [(True, ["End"]), (False, ["Control", "End"])])
async def test_text_goes_to_the_end_of_a_field_that_was_clicked(is_one_line: bool, chord: list[str]) -> None:
    backend = FakeBackend()
    field = text("old new", is_one_line=is_one_line)
    await typed(backend, Fields(field), TypeText(text=" new", target=TARGET))
    pressed = [f"{key} down" for key in chord] + [f"{key} up" for key in reversed(chord)]
    assert backend.log.lines == [*pressed, "type ' new'"]


@pytest.mark.req("R-ACT-6")
async def test_a_caret_that_can_not_be_moved_leaves_no_key_down() -> None:
    backend = FakeBackend()
    backend.keyboard.breaks_on = "End"
    with pytest.raises(CallFailed, match="End broke"):
        await typed(backend, Fields(text("old")), TypeText(text="new", target=TARGET))
    assert backend.log.lines == ["Control down", "End down", "End up", "Control up"]


@pytest.mark.parametrize(("kind", "may_paste"), [("password", True), ("terminal", False), ("other", False)])
async def test_only_fields_take_a_paste_and_a_password_is_never_shown(kind, may_paste: bool) -> None:
    backend = FakeBackend()
    told = await typed(backend, Fields(FocusedField(kind=kind, value="hunter2")), TypeText(text="hunter2"))
    assert backend.keyboard.pasted == [may_paste]
    assert "hunter2" not in told


async def test_a_window_that_can_not_be_read_is_said() -> None:
    told = await typed(FakeBackend(), None, TypeText(text="x"))
    assert told.endswith("what the window holds can't be read: look at the frame")
