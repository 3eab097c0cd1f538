"""The image window, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from harness.values.artifact import Artifact, ArtifactKind
from harness.values.frame import Frame
from harness.values.geometry import Size, Transform
from harness.values.message import AssistantMessage, ToolCall, ToolResult
from harness.values.observation import Observation
from harness.values.projection import ImagePart
from harness.values.transcript import Entry, Exchange, RuntimeCapture
from harness.values.window import carrier_call, placed_images
from harness.window import WindowSelection, select_images


def _artifact(step: int, kind: ArtifactKind, *, blob: str | None = None, name: str = "", call: str = "") -> Artifact:
    artifact_id = f"s{step}-{name or kind}"
    return Artifact(
        id=artifact_id,
        kind=kind,
        step=step,
        blob=blob or f"blob of {artifact_id}",
        media_type="image/png",
        size_bytes=10,
        width_px=640,
        height_px=480,
        action_id=call or None,
    )


def _observation(blob: str) -> Observation:
    frame = Frame(
        sha256=blob,
        media_type="image/png",
        width_px=640,
        height_px=480,
        device_scale=1.0,
        captured_at_s=0.0,
        source="action",
        transform=Transform(),
    )
    return Observation(frame=frame, screen=Size(width_px=640, height_px=480))


def _exchange(step: int, images: Sequence[Artifact], *, sees: bool) -> Exchange:
    call = ToolCall(id=f"call-{step}", name="click", arguments_json="{}")
    return Exchange(
        seq=step * 10,
        step=step,
        round=1,
        message=AssistantMessage(parts=(call,)),
        results=(ToolResult(call_id=call.id, name="click", status="ok", text="done"),),
        carrier=call.id if sees else None,
        observation=_observation("frame") if sees else None,
        images=tuple(images),
    )


def _capture(step: int = 0, *, seq: int = 1, suffix: str = "") -> RuntimeCapture:
    images = (_artifact(step, "clean", name=f"clean{suffix}"), _artifact(step, "marks", name=f"marks{suffix}"))
    return RuntimeCapture(seq=seq, step=step, round=1, observation=_observation("frame"), images=images)


def _web_step(step: int) -> Exchange:
    return _exchange(step, [_artifact(step, "clean"), _artifact(step, "marks"), _artifact(step, "action")], sees=True)


def _text_step(step: int, *requested: Artifact) -> Exchange:
    return _exchange(step, requested, sees=False)


class _Window:
    """Asks for one request after the other, as the session loop does."""

    def __init__(self, budget: int, *, divisor: int = 3, marks_image: bool = True) -> None:
        self.budget = budget
        self.divisor = divisor
        self.marks_image = marks_image
        self.shown: tuple[ImagePart, ...] = ()
        self.born_after = 0

    def request(self, *entries: Entry) -> WindowSelection:
        last_step = max((entry.step for entry in entries if isinstance(entry, Exchange)), default=0)
        selection = select_images(
            entries,
            previous=self.shown,
            budget=self.budget,
            low_water_divisor=self.divisor,
            last_step=last_step,
            marks_image=self.marks_image,
            born_after_seq=self.born_after,
        )
        self.shown = selection.shown
        self.born_after = max(entry.seq for entry in entries)
        return selection


def _names(selection: WindowSelection) -> list[str]:
    return [part.artifact for part in selection.shown]


@pytest.mark.req("R-IMG-3")
def test_budget_0_shows_no_image_and_says_what_was_requested() -> None:
    window = _Window(0)
    assert window.request(_capture()) == WindowSelection()
    zoomed = _text_step(1, _artifact(1, "zoom", call="call-1"))
    assert window.request(_capture(), zoomed) == WindowSelection(not_shown=("s1-zoom",))


@pytest.mark.req("R-IMG-3")
def test_budget_1_is_the_current_clean_frame() -> None:
    window = _Window(1)
    entries: list[Entry] = [_capture()]
    assert _names(window.request(*entries)) == ["s0-clean"]
    entries.append(_web_step(1))
    selection = window.request(*entries)
    assert _names(selection) == ["s1-clean"]
    assert selection.evicted == ("s0-clean",)
    entries.append(_text_step(2, _artifact(2, "recall", call="call-2")))
    selection = window.request(*entries)
    assert _names(selection) == ["s1-clean"]
    assert selection.not_shown == ("s2-recall",)


@pytest.mark.req("R-IMG-4")
def test_budget_2_is_the_clean_frame_and_its_marks() -> None:
    window = _Window(2)
    entries: list[Entry] = [_capture()]
    assert _names(window.request(*entries)) == ["s0-clean", "s0-marks"]
    entries.append(_web_step(1))
    assert _names(window.request(*entries)) == ["s1-clean", "s1-marks"]


@pytest.mark.req("R-IMG-4")
def test_without_marks_images_the_slot_goes_to_the_overlay() -> None:
    window = _Window(2, marks_image=False)
    window.request(_capture())
    assert _names(window.request(_capture(), _web_step(1))) == ["s1-action", "s1-clean"]


@pytest.mark.req("R-IMG-2")
@pytest.mark.parametrize(
    ("budget", "expected", "not_shown"),
    [
        (1, ["s2-clean"], ("s3-a", "s3-b", "s3-c")),
        (2, ["s2-clean", "s3-a"], ("s3-b", "s3-c")),
        (3, ["s2-clean", "s3-a", "s3-b"], ("s3-c",)),
        (4, ["s2-clean", "s2-marks", "s3-a", "s3-b"], ("s3-c",)),
        (5, ["s2-action", "s2-clean", "s2-marks", "s3-a", "s3-b"], ("s3-c",)),
    ],
)
def test_claim_order_is_clean_requested_marks_overlay(
    budget: int, expected: list[str], not_shown: tuple[str, ...]
) -> None:
    requested = [_artifact(3, "recall", name=name, call="call-3") for name in "abc"]
    entries = [_capture(), _web_step(1), _web_step(2), _text_step(3, *requested)]
    window = _Window(budget)
    for count in range(1, 4):
        window.request(*entries[:count])
    selection = window.request(*entries)
    assert _names(selection) == expected
    assert selection.not_shown == not_shown


@pytest.mark.req("R-IMG-2")
def test_a_third_requested_image_gets_no_slot_even_where_there_is_room() -> None:
    requested = [_artifact(1, "recall", name=name, call="call-1") for name in "abc"]
    window = _Window(10)
    window.request(_capture())
    selection = window.request(_capture(), _text_step(1, *requested))
    assert _names(selection) == ["s0-clean", "s0-marks", "s1-a", "s1-b"]
    assert selection.not_shown == ("s1-c",)


@pytest.mark.req("R-IMG-2")
def test_a_requested_image_has_its_priority_once_and_stands_after_that() -> None:
    entries: list[Entry] = [_capture(), _text_step(1, _artifact(1, "zoom", call="call-1"))]
    window = _Window(4)
    window.request(entries[0])
    assert _names(window.request(*entries)) == ["s0-clean", "s0-marks", "s1-zoom"]
    entries.append(_text_step(2))
    assert _names(window.request(*entries)) == ["s0-clean", "s0-marks", "s1-zoom"]
    entries.append(_exchange(3, [_artifact(3, "clean"), _artifact(3, "action")], sees=True))
    selection = window.request(*entries)
    assert _names(selection) == ["s3-action", "s3-clean"]
    assert selection.evicted == ("s0-clean", "s0-marks", "s1-zoom")


@pytest.mark.req("R-IMG-11")
def test_a_requested_image_without_a_slot_never_enters_later() -> None:
    entries: list[Entry] = [_capture(), _text_step(1, _artifact(1, "zoom", call="call-1"))]
    window = _Window(1)
    window.request(entries[0])
    assert window.request(*entries).not_shown == ("s1-zoom",)
    window.budget = 5
    entries.append(_text_step(2))
    selection = window.request(*entries)
    assert _names(selection) == ["s0-clean"]
    assert selection.not_shown == ()


@pytest.mark.req("R-IMG-11")
def test_eviction_goes_down_to_the_low_water_mark_in_one_go() -> None:
    window = _Window(10)
    entries: list[Entry] = [_capture()]
    counts = [len(window.request(*entries).shown)]
    for step in range(1, 8):
        entries.append(_web_step(step))
        counts.append(len(window.request(*entries).shown))
    assert counts == [2, 5, 8, 3, 6, 9, 3, 6]


@pytest.mark.req("R-IMG-11")
def test_marks_go_first_then_requested_then_the_oldest_clean_before_its_overlay() -> None:
    entries: list[Entry] = [
        _capture(),
        _web_step(1),
        _text_step(2, _artifact(2, "zoom", call="call-2")),
        _web_step(3),
        _web_step(4),
    ]
    left = []
    for low_water in range(9, 2, -1):
        window = _Window(9, divisor=1)
        for count in range(1, 5):
            window.request(*entries[:count])
        assert len(window.shown) == 9
        window.budget = low_water
        left.append(set(_names(window.request(*entries))))
    gone = [before - after for before, after in pairwise(left)]
    assert left[0] == {"s2-zoom", "s1-clean", "s1-action", "s3-clean", "s3-action", "s0-clean"} | {
        "s4-clean",
        "s4-marks",
        "s4-action",
    }
    assert gone == [{"s2-zoom"}, {"s0-clean"}, {"s1-clean"}, {"s1-action"}, {"s3-clean"}, {"s3-action"}]


@pytest.mark.req("R-IMG-11")
def test_the_current_step_yields_only_by_the_claim_order() -> None:
    window = _Window(3)
    entries: list[Entry] = [_capture(), _web_step(1)]
    window.request(entries[0])
    assert _names(window.request(*entries)) == ["s1-action", "s1-clean", "s1-marks"]
    entries.append(_text_step(2, _artifact(2, "recall", call="call-2")))
    selection = window.request(*entries)
    assert _names(selection) == ["s1-clean", "s1-marks", "s2-recall"]
    assert selection.evicted == ("s1-action",)


@pytest.mark.req("R-IMG-5")
def test_ten_notes_change_neither_window_nor_slots() -> None:
    window = _Window(3)
    entries: list[Entry] = [_capture(), _web_step(1)]
    window.request(entries[0])
    before = window.request(*entries).shown
    for step in range(2, 12):
        entries.append(_text_step(step))
        assert window.request(*entries) == WindowSelection(shown=before)


@pytest.mark.req("R-IMG-6")
def test_a_lost_frame_keeps_the_overlay_and_the_capture_that_follows_is_the_clean_frame() -> None:
    blind = replace(_exchange(1, [_artifact(1, "action")], sees=True), observation=None)
    capture = _capture(1, seq=11)
    window = _Window(3)
    window.request(_capture())
    selection = window.request(_capture(), blind, capture)
    assert _names(selection) == ["s1-action", "s1-clean", "s1-marks"]


@pytest.mark.req("R-IMG-8")
def test_equal_pixels_share_one_slot_and_keep_the_place_that_was_sent() -> None:
    same = _exchange(1, [_artifact(1, "clean", blob="blob of s0-clean"), _artifact(1, "action")], sees=True)
    window = _Window(3)
    window.request(_capture())
    selection = window.request(_capture(), same)
    assert [(part.artifact, part.also) for part in selection.shown] == [
        ("s0-clean", ("s1-clean",)),
        ("s0-marks", ()),
        ("s1-action", ()),
    ]
    assert selection.evicted == ()
    later = window.request(_capture(), same, _web_step(2))
    assert _names(later) == ["s2-action", "s2-clean", "s2-marks"]
    assert set(later.evicted) == {"s0-clean", "s1-clean", "s0-marks", "s1-action"}


@pytest.mark.req("R-IMG-8")
def test_a_shared_slot_moves_when_the_entry_of_its_place_is_dropped() -> None:
    same = _exchange(1, [_artifact(1, "clean", blob="blob of s0-clean"), _artifact(1, "action")], sees=True)
    window = _Window(3)
    window.request(_capture())
    window.request(_capture(), same)
    selection = window.request(same)
    assert [(part.artifact, part.also) for part in selection.shown] == [("s1-action", ()), ("s1-clean", ())]
    assert selection.evicted == ("s0-clean", "s0-marks")


@pytest.mark.req("R-IMG-8")
def test_a_third_requested_image_with_pixels_that_are_shown_counts_as_shown() -> None:
    requested = [
        _artifact(1, "recall", name=name, call="call-1", blob=blob)
        for name, blob in (("a", None), ("b", None), ("c", "blob of s0-clean"))
    ]
    window = _Window(3)
    window.request(_capture())
    selection = window.request(_capture(), _text_step(1, *requested))
    assert [(part.artifact, part.also) for part in selection.shown] == [
        ("s0-clean", ("s1-c",)),
        ("s1-a", ()),
        ("s1-b", ()),
    ]
    assert selection.not_shown == ()


@pytest.mark.req("R-IMG-1")
def test_raw_captures_and_records_are_no_images() -> None:
    exchange = _exchange(1, [_artifact(1, "raw"), _artifact(1, "record"), _artifact(1, "clean")], sees=True)
    assert _names(_Window(10).request(exchange)) == ["s1-clean"]


def test_images_of_dropped_entries_leave() -> None:
    window = _Window(10)
    window.request(_capture())
    window.request(_capture(), _web_step(1))
    selection = window.request(_web_step(1), _text_step(2))
    assert selection.evicted == ("s0-clean", "s0-marks")
    assert _names(selection) == ["s1-action", "s1-clean", "s1-marks"]


@pytest.mark.req("R-HIS-6")
def test_the_images_of_a_step_that_no_request_showed_are_new_after_a_resume() -> None:
    window = _Window(6)
    window.request(_capture())
    resumed = _capture(1, seq=20, suffix="-2")
    selection = window.request(_capture(), _web_step(1), resumed)
    # Seven images stand or are new: the window shrinks to what the step brings.
    assert _names(selection) == ["s1-action", "s1-clean-2", "s1-marks-2"]


def test_requested_images_stand_with_their_own_call_and_the_others_with_the_carrier() -> None:
    calls = tuple(ToolCall(id=f"c{number}", name="zoom", arguments_json="{}") for number in range(3))
    exchange = Exchange(
        seq=1,
        step=1,
        round=1,
        message=AssistantMessage(parts=calls),
        results=tuple(ToolResult(call_id=call.id, name="zoom", status="ok", text="") for call in calls),
        carrier="c1",
        observation=_observation("frame"),
        images=(
            _artifact(1, "clean"),
            _artifact(1, "zoom", call="c0"),
            _artifact(1, "skill", call="unknown"),
            _artifact(1, "marks"),
            _artifact(1, "action"),
        ),
    )
    assert [(image.artifact.id, image.call_id) for image in placed_images(exchange)] == [
        ("s1-zoom", "c0"),
        ("s1-action", "c1"),
        ("s1-clean", "c1"),
        ("s1-marks", "c1"),
        ("s1-skill", "c1"),
    ]


def test_without_the_carriers_result_the_last_answered_call_carries() -> None:
    exchange = replace(_web_step(1), carrier="gone")
    assert carrier_call(exchange) == "call-1"
    assert carrier_call(replace(exchange, results=())) is None
    assert placed_images(replace(exchange, results=())) == ()


@pytest.mark.parametrize(("budget", "divisor"), [(-1, 3), (3, 0)])
def test_a_negative_budget_or_a_divisor_below_1_is_refused(budget: int, divisor: int) -> None:
    with pytest.raises(ValueError, match=rf"got {budget} and {divisor}"):
        select_images(
            (), previous=(), budget=budget, low_water_divisor=divisor, last_step=0, marks_image=True, born_after_seq=0
        )
