"""Recordings of trees, without an application."""

from __future__ import annotations

import json
from typing import Any

import pytest
from atspi_trees import AREA, Thing, device_box, frame, reading, window

from harness.values.desktop import DeviceBox
from observers.atspi.link import DesktopState
from observers.atspi.survey import AppReading, Survey
from observers.atspi.transcript import write_transcript
from observers.atspi.vocabulary import State

pytestmark = [pytest.mark.req("R-IMG-10")]
TOP = (100, 100, 400, 300)


def written(
    *readings: AppReading, area: DeviceBox = AREA, scale: float = 1.0, late: frozenset[int | None] = frozenset()
) -> list[dict[str, Any]]:
    state = DesktopState(area=area, windows=(window(box=TOP, title="Letter"),), popups=())
    body = write_transcript(Survey(readings=readings, late=late), state, frame(area, scale), notices=())
    return [json.loads(line) for line in body.splitlines()]


def test_a_password_is_not_written_down_even_where_it_is_known() -> None:
    field = Thing("password text", "Pin", (110, 110, 80, 20), text="1234")
    lines = written(reading(Thing("frame", "Letter", TOP, [field])))
    assert "1234" not in json.dumps(lines)
    assert lines[2]["value"] is None


def test_boxes_are_in_pixels_of_the_frame() -> None:
    far = Thing("push button", "Far", (450, 120, 20, 20))
    app = reading(Thing("frame", "Letter", TOP, [Thing("push button", "Go", (110, 120, 60, 30)), far]))
    head, *nodes = written(app, area=device_box((100, 100, 300, 300)), scale=0.5)
    assert head["windows"][0]["box"] == [0, 0, 150, 150]
    assert [node["box"] for node in nodes] == [[0, 0, 150, 150], [5, 10, 30, 15], None]


def test_parents_come_first_and_texts_are_bounded() -> None:
    deep = Thing("label", "x" * 5000, (110, 110, 10, 10))
    app = reading(Thing("frame", "Letter", TOP, [Thing("panel", "", None, [deep]), Thing("label", "after", TOP)]))
    _, *nodes = written(app)
    assert [(node["id"], node["parent"], node["role"]) for node in nodes] == [
        (1, None, "frame"),
        (2, 1, "panel"),
        (3, 2, "label"),
        (4, 1, "label"),
    ]
    assert len(nodes[2]["name"]) == 2000
    assert nodes[1]["box"] is None
    assert nodes[0]["states"] == ["enabled", "sensitive", "showing", "visible"]


def test_what_was_left_out_is_said() -> None:
    assert written(reading(Thing("frame", "Letter", TOP)))[0]["is_complete"] is True
    assert written(reading(Thing("frame", "Letter", TOP), is_complete=False))[0]["is_complete"] is False
    head = written(late=frozenset({7}))[0]
    assert (head["is_complete"], head["notices"]) == (False, ["window 1 did not describe itself in time"])


def test_strange_text_stays_one_line() -> None:
    strange = 'a\n{"id": 9}\u2028\ud800'
    body = write_transcript(
        Survey(readings=(reading(Thing("frame", strange, TOP, (), (State.ACTIVE,))),)),
        DesktopState(area=AREA, windows=(window(box=TOP, title="x"),), popups=()),
        frame(),
        notices=(),
    )
    assert body.count(b"\n") == 2
    assert json.loads(body.split(b"\n")[1])["name"].startswith('a\n{"id": 9}')
