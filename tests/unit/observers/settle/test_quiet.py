"""The quiet rule on timelines made by hand; times in milliseconds from the action's end."""

from __future__ import annotations

import math

import pytest

from harness.values.desktop import DeviceBox
from observers.settle.expectation import DIRECT, LAUNCHING, OPENING, SPAWNING, Expectation
from observers.settle.quiet import QuietRule
from observers.settle.screen_events import (
    ActiveChanged,
    Answered,
    Asked,
    Changed,
    Closed,
    Painted,
    ScreenEvent,
    WindowHidden,
    WindowKind,
    WindowListed,
    WindowShown,
)

pytestmark = [pytest.mark.req("R-ACT-3")]
AREA = DeviceBox(x=0, y=0, width=1280, height=800)
BEGAN_S = 1000.0
Timeline = list[tuple[float, ScreenEvent]]


def _box(x: float, y: float, width: float, height: float) -> DeviceBox:
    return DeviceBox(x=x, y=y, width=width, height=height)


TEXT = _box(100, 100, 80, 20)
MENU = _box(40, 60, 160, 220)
DIALOG = _box(300, 200, 500, 300)
CARET = _box(200, 100, 1, 18)
SCROLLBAR = _box(954, 221, 5, 340)


def changed(box: DeviceBox) -> Changed:
    return Changed(box=box)


def shown(box: DeviceBox, kind: WindowKind = "window", window: int = 7) -> WindowShown:
    return WindowShown(window=window, box=box, kind=kind)


def hidden(box: DeviceBox, kind: WindowKind = "popup", window: int = 7) -> WindowHidden:
    return WindowHidden(window=window, box=box, kind=kind)


def heard(expectation: Expectation, timeline: Timeline, area: DeviceBox = AREA) -> QuietRule:
    rule = QuietRule(expectation, area=area, began_s=BEGAN_S)
    for at_ms, happened in timeline:
        rule.note(happened, BEGAN_S + at_ms / 1000)
    return rule


def due_ms(rule: QuietRule) -> float:
    return rule.due_s if math.isinf(rule.due_s) else round((rule.due_s - BEGAN_S) * 1000)


@pytest.mark.parametrize(("expectation", "expected_ms"), [(DIRECT, 150), (OPENING, 500), (SPAWNING, 500)])
def test_where_nothing_moves_the_first_wait_is_all(expectation: Expectation, expected_ms: int) -> None:
    rule = heard(expectation, [])
    assert (due_ms(rule), rule.has_moved) == (expected_ms, False)


def test_a_menu_settles_a_tenth_of_a_second_after_its_last_change() -> None:
    rule = heard(DIRECT, [(6, shown(MENU, "popup")), (9, Painted(box=MENU)), (19, changed(MENU))])
    assert (due_ms(rule), rule.has_moved) == (119, True)


def test_every_change_begins_the_quiet_anew() -> None:
    assert due_ms(heard(DIRECT, [(5, changed(TEXT)), (90, changed(MENU)), (185, changed(TEXT))])) == 285


@pytest.mark.parametrize("box", [CARET, _box(200, 100, 2, 36), _box(200, 130, 12, 2)])
def test_a_caret_does_not_count(box: DeviceBox) -> None:
    rule = heard(DIRECT, [(20, changed(box)), (120, changed(box))])
    assert (due_ms(rule), rule.has_moved) == (150, False)


def test_a_fading_scrollbar_counts_once() -> None:
    fade: Timeline = [(10 + 16 * number, changed(SCROLLBAR)) for number in range(60)]
    rule = heard(DIRECT, [(4, changed(TEXT)), *fade])
    assert due_ms(rule) == 110


def test_a_spinner_counts_once_and_a_new_place_again() -> None:
    spinner = _box(600, 400, 16, 16)
    assert due_ms(heard(DIRECT, [(10, changed(spinner)), (60, changed(spinner)), (900, changed(spinner))])) == 110
    assert due_ms(heard(DIRECT, [(10, changed(spinner)), (60, changed(_box(700, 400, 16, 16)))])) == 160


def test_a_bar_that_moves_along_goes_on_counting() -> None:
    bar: Timeline = [(16 * number, changed(_box(300 + 6 * number, 400, 40, 6))) for number in range(60)]
    assert due_ms(heard(DIRECT, bar)) > 900


def test_typed_characters_count_one_by_one() -> None:
    typed: Timeline = [(20 * number, changed(_box(100 + 8 * number, 50, 6, 10))) for number in range(1, 20)]
    assert due_ms(heard(DIRECT, typed)) == 480


def test_a_highlight_is_no_sign_of_what_a_double_click_opens() -> None:
    icon = _box(481, 238, 90, 67)
    assert due_ms(heard(SPAWNING, [(4, changed(icon))])) == 500
    assert due_ms(heard(SPAWNING, [(4, changed(icon)), (460, changed(icon))])) == 560
    assert due_ms(heard(SPAWNING, [(4, changed(icon)), (60, changed(DIALOG))])) == 160


def test_a_dialog_ends_the_long_first_wait_and_is_given_more_quiet() -> None:
    rule = heard(
        OPENING, [(241, shown(DIALOG)), (241, WindowListed()), (260, Painted(box=DIALOG)), (260, changed(DIALOG))]
    )
    assert due_ms(rule) == 460


def test_a_window_is_waited_for_until_it_has_painted_itself() -> None:
    frame = [Painted(box=_box(300, 200, 500, 20)), Painted(box=_box(300, 200, 2, 300))]
    unpainted: Timeline = [(10, shown(DIALOG)), *((12.0, painted) for painted in frame), (12, changed(DIALOG))]
    assert due_ms(heard(DIRECT, unpainted)) == 1010
    assert heard(DIRECT, unpainted).pending(BEGAN_S + 0.9) == "a new window has not painted itself yet"
    assert (
        due_ms(heard(DIRECT, [*unpainted, (400, Painted(box=_box(302, 220, 498, 280))), (401, changed(DIALOG))])) == 601
    )


def test_a_window_that_goes_again_is_not_waited_for() -> None:
    assert due_ms(heard(DIRECT, [(10, shown(MENU, "popup")), (30, hidden(MENU)), (31, Answered(window=1))])) == 150


def test_a_launch_waits_for_a_window_however_much_changes() -> None:
    rule = heard(LAUNCHING, [(30, changed(DIALOG)), (900, changed(TEXT))])
    assert due_ms(rule) == math.inf
    assert rule.pending(BEGAN_S + 3) == "no new window has appeared yet"


@pytest.mark.parametrize("sign", [shown(DIALOG), WindowListed(), ActiveChanged()])
def test_a_launch_ends_with_a_window_or_the_keyboard_given_to_one(sign: ScreenEvent) -> None:
    rule = heard(LAUNCHING, [(600, sign), (640, Painted(box=DIALOG)), (640, changed(DIALOG))])
    assert 740 <= due_ms(rule) <= 940


def test_after_a_window_or_menu_has_closed_another_may_come() -> None:
    closed: Timeline = [(8, hidden(MENU)), (9, changed(MENU)), (9, ActiveChanged())]
    assert due_ms(heard(DIRECT, closed)) == 500
    assert due_ms(heard(DIRECT, [*closed, (30, Answered(window=1))])) == 150
    assert due_ms(heard(DIRECT, [*closed, (200, shown(MENU, "popup")), (201, Painted(box=MENU))])) == 300


def test_an_application_that_is_known_to_answer_is_waited_for() -> None:
    rule = heard(DIRECT, [(1, Asked(window=1, is_sure=True)), (3, changed(TEXT))])
    assert due_ms(rule) == math.inf
    assert rule.pending(BEGAN_S + 3) == "the application is busy and does not answer"
    assert due_ms(heard(DIRECT, [(1, Asked(window=1, is_sure=True)), (240, Answered(window=1))])) == 340


def test_an_application_that_may_not_know_how_to_answer_is_waited_for_half_a_second() -> None:
    asked: Timeline = [(1, Asked(window=1, is_sure=False)), (3, changed(TEXT))]
    assert due_ms(heard(DIRECT, asked)) == 501
    assert due_ms(heard(DIRECT, [*asked, (5, Answered(window=1))])) == 105


def test_a_closed_window_answers_no_more() -> None:
    assert due_ms(heard(DIRECT, [(1, Asked(window=1, is_sure=True)), (5, Closed(window=1))])) == 150


def test_an_answer_shortens_the_wait_for_a_chord_and_not_for_a_double_click() -> None:
    answered: Timeline = [(1, Asked(window=1, is_sure=True)), (4, Answered(window=1))]
    assert due_ms(heard(OPENING, answered)) == 150
    assert due_ms(heard(SPAWNING, answered)) == 500


def test_a_tooltip_is_no_news_when_it_comes_and_when_it_goes() -> None:
    tooltip = _box(408, 208, 231, 21)
    come: Timeline = [(503, shown(tooltip, "tooltip")), (504, Painted(box=tooltip)), (504, changed(tooltip))]
    assert due_ms(heard(DIRECT, [(440, changed(TEXT)), *come])) == 540
    rule = heard(DIRECT, [(5, hidden(tooltip, "tooltip")), (5, changed(_box(408, 209, 231, 20)))])
    assert (due_ms(rule), rule.has_moved) == (150, False)


@pytest.mark.parametrize("kind", ["window", "popup"])
def test_windows_off_the_shown_monitor_do_not_matter(kind: WindowKind) -> None:
    away = _box(1281, 801, 168, 35)
    rule = heard(DIRECT, [(20, shown(away, kind)), (30, hidden(away, kind))])
    assert (due_ms(rule), rule.has_moved) == (150, False)


def test_what_keeps_changing_is_named_by_its_place_on_the_shown_monitor() -> None:
    area = _box(-1920, 100, 1920, 1080)
    rule = heard(DIRECT, [(50 * number, changed(_box(-1910 + number, 140, 280, 20))) for number in range(1, 21)], area)
    assert rule.pending(BEGAN_S + 1.0) == "an area of 299x20 px at 11,40 keeps changing"


def test_pending_speaks_of_the_last_second_only() -> None:
    rule = heard(DIRECT, [(10, changed(DIALOG)), *((1500.0 + 50 * number, changed(TEXT)) for number in range(20))])
    assert rule.pending(BEGAN_S + 2.5) == "an area of 80x20 px at 100,100 keeps changing"
