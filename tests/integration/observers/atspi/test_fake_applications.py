"""The observer and applications that answer, lie, hang and die, over a real message bus."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from atspi_trees import frame, listed
from fake_accessibility import ROOT, USUAL, FakeAccessibility, FakeApplication, Widget, fake_accessibility

from harness.errors import ObservationError
from harness.protocols import FocusedField, Marking
from observers.atspi import AtspiMarks, AtspiRecorder, questions
from observers.atspi.accessible import Ref
from observers.atspi.app_tree import Reach
from observers.atspi.bus import open_bus
from observers.atspi.vocabulary import State

pytestmark = [
    pytest.mark.req("R-ACT-1"),
    pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="no dbus-daemon here: install dbus"),
]


@pytest.fixture
def bus(tmp_path: Path) -> Iterator[FakeAccessibility]:
    with fake_accessibility(tmp_path) as made:
        yield made


def form(title: str = "Form", x: int = 10) -> Widget:
    return Widget(
        "frame",
        title,
        (x, 10, 300, 200),
        [
            Widget(
                "filler",
                inside=[
                    Widget("push button", "Go", (x + 10, 20, 60, 30)),
                    Widget("label", "Name", (x + 10, 60, 60, 30)),
                    Widget("text", "", (x + 80, 60, 90, 30), states=(*USUAL, State.EDITABLE), text="Ada"),
                    Widget("push button", "Gone", (x + 10, 100, 60, 30), states=(State.SENSITIVE,)),
                ],
            )
        ],
    )


async def observe(marks: AtspiMarks, bus: FakeAccessibility, *, deadline_s: float = 10) -> Marking:
    return await marks.observe(bus.view, frame(), text_chars=1000, deadline_s=deadline_s)


FORM = [("button", "Go"), ("textbox", "Name")]


@pytest.mark.parametrize(("has_cache", "toolkit"), [(True, "gtk"), (False, "gtk"), (False, "Qt")])
async def test_trees_are_read_with_a_cache_and_without(bus: FakeAccessibility, has_cache: bool, toolkit: str) -> None:
    application = bus.add(form(), has_cache=has_cache, toolkit=toolkit)
    made = await observe(AtspiMarks(), bus)
    assert listed(made) == FORM
    assert made.marks[1].value == "Ada"
    assert made.notices == ()
    assert (application.calls["GetRole"] > 0) is not has_cache, "a cached tree is not walked"


async def test_a_cancelled_observation_leaves_the_connection_in_step(bus: FakeAccessibility) -> None:
    bus.add(form(), has_cache=False)
    marks = AtspiMarks()
    expected = listed(await observe(marks, bus))
    for turns in range(60):
        task = asyncio.create_task(observe(marks, bus))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        if turns % 10 == 0:
            assert listed(await observe(marks, bus)) == expected
    assert listed(await observe(marks, bus)) == expected


async def test_calls_share_one_connection(bus: FakeAccessibility) -> None:
    bus.add(form())
    marks = AtspiMarks()
    made = await observe(marks, bus)
    several = [observe(marks, bus) for _ in range(3)]
    found = [marks.find(made, mark, deadline_s=10) for mark in made.marks]
    results = await asyncio.gather(*several, *found, marks.focused_field(bus.view, deadline_s=10))
    assert [listed(item) for item in results[:3]] == [FORM] * 3
    assert results[3:5] == [None, None]
    assert results[5] == FocusedField(kind="unknown")


def test_an_observer_works_in_one_event_loop_after_another(bus: FakeAccessibility) -> None:
    bus.add(form())
    marks = AtspiMarks()
    for _ in range(2):
        assert listed(asyncio.run(observe(marks, bus))) == FORM


async def test_one_that_hangs_costs_its_own_elements(bus: FakeAccessibility) -> None:
    hanging = bus.add(form("Hanging"), name="hanging")
    bus.add(form("Good", 400), name="good")
    marks = AtspiMarks()
    before = await observe(marks, bus)
    assert listed(before) == FORM * 2
    hanging.is_hanging = True
    clock = asyncio.get_running_loop().time
    times = [clock()]
    for _ in range(2):
        made = await observe(marks, bus)
        times.append(clock())
        assert listed(made) == [("window", "Hanging"), *FORM]
        assert "did not describe itself in time" in made.notices[0]
    assert times[2] - times[1] < (times[1] - times[0]) / 2, "one that was late is waited for less"
    reason = await marks.find(before, before.marks[0], deadline_s=0.2)
    assert reason == "mark 1 could not be checked: its application did not answer within 0.2 s"
    assert await marks.focused_field(bus.view, deadline_s=0.2) == FocusedField(kind="unknown")


async def test_one_that_dies_is_a_window(bus: FakeAccessibility) -> None:
    dying = bus.add(form())
    marks = AtspiMarks()
    before = await observe(marks, bus)
    dying.close()
    bus._services.remove(dying)
    made = await observe(marks, bus)
    assert listed(made) == [("window", "Form")]
    assert await marks.find(before, before.marks[0], deadline_s=5) == "mark 1 is gone"


@pytest.mark.parametrize(
    "junk",
    [
        ("", ()),
        ("s", ("?",)),
        ("a(so)", ([(":1.99", "/nowhere")] * 5,)),
        ("v", (("s", "x"),)),
        ("i", (-1,)),
        ("au", ([],)),
    ],
)
async def test_wrong_answers_are_no_answers(bus: FakeAccessibility, junk: tuple[str, tuple[object, ...]]) -> None:
    lying = bus.add(form("Lying"), name="lying")
    bus.add(form("Good", 400), name="good")
    lying.junk = junk
    marks = AtspiMarks()
    made = await observe(marks, bus)
    assert [item for item in listed(made) if item != ("window", "Lying")] == FORM
    body = await AtspiRecorder().record(bus.view, frame(), deadline_s=10)
    assert json.loads(body.splitlines()[0])["schema"] == "transom/accessibility/1"


async def test_properties_of_another_type_are_no_answers(bus: FakeAccessibility) -> None:
    application = bus.add(long_list(100, first=0, shown=10), form("Form", 400), has_cache=False)
    application.lies["Get"] = ("v", (("s", "x"),))
    assert ("button", "x") in listed(await observe(AtspiMarks(), bus))
    application.lies["Get"] = ("v", (("i", 7),))
    assert ("button", "") in listed(await observe(AtspiMarks(), bus))


async def test_a_mark_is_checked_against_what_is_there_now(bus: FakeAccessibility) -> None:
    window = form()
    go = window.inside[0].inside[0]
    bus.add(window)
    marks = AtspiMarks()
    made = await observe(marks, bus)
    (mark,) = [mark for mark in made.marks if mark.name == "Go"]
    before = (go.name, go.role, go.box, go.states)
    for changed, reason in (
        (("Stop", *before[1:]), 'is called "Stop" now'),
        ((go.name, "check box", *before[2:]), "is something else now"),
        ((*before[:2], (200, 150, 60, 30), go.states), "has moved"),
        ((*before[:2], (0, 0, 0, 0), go.states), "is no longer shown"),
        ((*before[:3], (State.SHOWING,)), "is disabled now"),
        ((*before[:3], (State.SENSITIVE,)), "is no longer shown"),
        (before, None),
    ):
        go.name, go.role, go.box, go.states = changed
        found = await marks.find(made, mark, deadline_s=5)
        assert found == (None if reason is None else f"mark {mark.id} {reason}")


async def test_questions_that_nobody_waits_for_are_forgotten(bus: FakeAccessibility) -> None:
    application = bus.add(form())
    connection = await open_bus(bus.view.environment)
    application.is_hanging = True
    for _ in range(3):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await connection.ask_one(questions.role(Ref(application.bus_name, ROOT)))
    assert not connection._waiting
    assert await connection.ask_one(questions.children(questions.REGISTRY)) == (Ref(application.bus_name, ROOT),)
    connection.close()


async def test_a_lost_bus_is_said_and_found_again(bus: FakeAccessibility) -> None:
    bus.add(form())
    marks = AtspiMarks()
    before = await observe(marks, bus)
    assert listed(before) == FORM
    windows = list(bus.view.shown)
    bus.stop()
    bus.view.shown = windows
    made = await observe(marks, bus)
    assert listed(made) == [("window", "Form")]
    assert made.notices[0].startswith("elements of windows are not seen: the accessibility bus")
    assert "could not be checked" in str(await marks.find(before, before.marks[0], deadline_s=5))
    bus.view.shown.clear()
    bus.start()
    bus.add(form())
    assert listed(await observe(marks, bus)) == FORM


def long_list(rows: int, *, first: int, shown: int, columns: int = 1) -> Widget:
    """Return a window with a list of which `shown` rows from `first` on can be seen, in so many columns."""
    width, height = 200 // columns, 700 * columns // shown

    def box(place: int) -> tuple[int, int, int, int]:
        return 20 + width * (place % columns), 50 + height * (place // columns), width, height

    items = [
        Widget("list item", f"row {row}", box(row - first) if first <= row < first + shown else (0, 0, 0, 0))
        for row in range(rows)
    ]
    states = (*USUAL, State.MANAGES_DESCENDANTS)
    return Widget("frame", "Rows", (10, 40, 300, 720), [Widget("list", "", (20, 50, 200, 700), items, states=states)])


@pytest.mark.parametrize("first", [0, 5000, 9980])
async def test_of_ten_thousand_rows_those_that_show_are_read(bus: FakeAccessibility, first: int) -> None:
    application = bus.add(long_list(10_000, first=first, shown=20), has_cache=False)
    made = await observe(AtspiMarks(), bus)
    assert [mark.name for mark in made.marks] == [f"row {number}" for number in range(first, first + 20)]
    assert made.notices == ()
    assert sum(application.calls.values()) < 500
    assert application.calls["GetChildren"] < 30


@pytest.mark.parametrize("count", [5, 500])
async def test_icons_of_gtk2_may_not_say_that_they_show(bus: FakeAccessibility, count: int) -> None:
    def place(number: int) -> tuple[int, int, int, int]:
        return (20 + 60 * (number % 4), 50 + 60 * (number // 4), 50, 50) if number < 40 else (0, 0, 0, 0)

    states = (State.VISIBLE, State.SENSITIVE, State.SELECTABLE)
    icons = [Widget("icon", f"file {number}", place(number), states=states) for number in range(count)]
    pane = Widget("layered pane", "", (20, 50, 240, 600), icons)
    application = bus.add(Widget("frame", "Files", (10, 40, 300, 720), [pane]), toolkit="GAIL")
    marks = AtspiMarks()
    made = await observe(marks, bus)
    assert listed(made) == [("icon", f"file {number}") for number in range(min(count, 40))]
    assert application.calls["GetExtents"] < 150
    assert await marks.find(made, made.marks[0], deadline_s=5) is None


async def test_more_rows_than_anybody_wants_are_left_out_and_that_is_said(bus: FakeAccessibility) -> None:
    bus.add(long_list(5000, first=100, shown=200, columns=4), has_cache=False)
    made = await observe(AtspiMarks(Reach(rows=80)), bus)
    assert 70 < len(made.marks) <= 80
    assert made.notices == ('window 1 "Rows" shows more than is listed here',)


def crowd(count: int) -> Widget:
    buttons = [Widget("push button", str(number), (20 + number % 50, 60, 5, 5)) for number in range(count)]
    groups = [Widget("filler", inside=buttons[start : start + 50]) for start in range(0, count, 50)]
    return Widget("frame", "Crowd", (10, 40, 300, 720), groups)


@pytest.mark.parametrize("has_cache", [True, False])
async def test_a_crowd_is_cut_and_that_is_said(bus: FakeAccessibility, has_cache: bool) -> None:
    bus.add(crowd(400), has_cache=has_cache)
    made = await observe(AtspiMarks(Reach(nodes=300)), bus, deadline_s=30)
    assert 200 < len(made.marks) < 300
    assert made.notices == ('window 1 "Crowd" shows more than is listed here',)


def endless(states: tuple[State, ...]) -> list[Widget]:
    """Return a window that contains itself, and one that is a chain of two thousand wrappers in some states."""
    circle = Widget("frame", "Circle", (10, 40, 300, 300))
    circle.inside += [circle, Widget("push button", "In", (20, 50, 50, 20))]
    chain = Widget("push button", "Deep", (420, 50, 50, 20))
    for _ in range(2000):
        chain = Widget("filler", inside=[chain], states=states)
    return [circle, Widget("frame", "Chain", (400, 40, 300, 300), [chain])]


@pytest.mark.parametrize("states", [USUAL, (*USUAL, State.FOCUSABLE)])
@pytest.mark.parametrize("has_cache", [True, False])
async def test_trees_without_end_have_one(bus: FakeAccessibility, has_cache: bool, states: tuple[State, ...]) -> None:
    bus.add(*endless(states), has_cache=has_cache)
    made = await observe(AtspiMarks(), bus, deadline_s=30)
    assert ("button", "In") in listed(made)
    body = await AtspiRecorder().record(bus.view, frame(), deadline_s=4)
    head, *nodes = [json.loads(line) for line in body.splitlines()]
    assert head["schema"] == "transom/accessibility/1"
    assert "In" in [node["name"] for node in nodes]


@pytest.mark.parametrize("has_cache", [True, False])
async def test_passwords_are_read_by_nobody(bus: FakeAccessibility, has_cache: bool) -> None:
    secret = Widget("password text", "Pin", (20, 20, 90, 30), states=(*USUAL, State.EDITABLE), text="swordfish")
    other = Widget("text", "Name", (20, 60, 90, 30), states=(*USUAL, State.EDITABLE, State.FOCUSED), text="Ada")
    application = bus.add(Widget("frame", "Login", (10, 10, 300, 200), [secret, other]), has_cache=has_cache)
    marks = AtspiMarks()
    made = await observe(marks, bus)
    assert [(mark.value, mark.states) for mark in made.marks] == [(None, ("password",)), ("Ada", ("focused",))]
    assert await marks.focused_field(bus.view, deadline_s=5) == FocusedField(kind="text", value="Ada", is_one_line=True)
    body = await AtspiRecorder().record(bus.view, frame(), deadline_s=10)
    values = {node["name"]: node["value"] for node in map(json.loads, body.splitlines()[1:])}
    assert (values["Pin"], values["Name"]) == (None, "Ada")
    secret.states, other.states = (*secret.states, State.FOCUSED), USUAL
    field = await marks.focused_field(bus.view, deadline_s=5)
    assert field == FocusedField(kind="password", is_one_line=True)
    assert application.calls["GetText"] == 3, "nobody has asked the password field"


async def test_a_recording_names_who_did_not_answer(bus: FakeAccessibility) -> None:
    hanging = bus.add(form("Hanging"), name="hanging")
    bus.add(form("Good", 400), name="good")
    hanging.is_hanging = True
    body = await AtspiRecorder().record(bus.view, frame(), deadline_s=1)
    head, *nodes = [json.loads(line) for line in body.splitlines()]
    assert head["is_complete"] is False
    assert "window 1 did not describe itself in time" in head["notices"]
    assert {node["app"] for node in nodes} == {"good"}


async def test_only_the_environment_of_the_device_names_the_bus(
    bus: FakeAccessibility, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus.add(form())
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus.address)
    bus.view.environment = {}
    made = await observe(AtspiMarks(), bus)
    assert listed(made) == [("window", "Form")]
    assert "DBUS_SESSION_BUS_ADDRESS is not set" in made.notices[0]


async def test_what_is_no_desktop_is_refused() -> None:
    for call in (
        AtspiMarks().observe(object(), frame(), text_chars=0, deadline_s=1),
        AtspiMarks().focused_field(object(), deadline_s=1),
        AtspiRecorder().record(object(), frame(), deadline_s=1),
    ):
        with pytest.raises(ObservationError, match="use it with `desktop`"):
            await call


async def test_the_same_application_is_asked_for_its_name_once(bus: FakeAccessibility) -> None:
    application: FakeApplication = bus.add(form())
    marks = AtspiMarks()
    await observe(marks, bus)
    first = application.calls["Get"]
    await observe(marks, bus)
    assert application.calls["Get"] - first < first
