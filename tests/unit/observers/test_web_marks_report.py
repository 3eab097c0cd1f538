"""What a page may report."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from observers.web_marks.page_frame import Lens, load_pass, to_child, to_parent
from observers.web_marks.report import FoundMark, PageReport, Placement

_MARK = {"box": [0, 0, 9, 9], "spots": [[4.5, 4.5]], "role": "button", "name": "OK", "value": None, "states": []}


def _report(**change: object) -> str:
    return json.dumps({"marks": [_MARK], "texts": [{"text": "x", "at": [1, 1]}], "order": "mtf", **change})


def test_an_honest_report_is_read() -> None:
    report = PageReport.model_validate_json(_report())
    assert report.marks[0].name == "OK"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        _report(order="mt<"),
        _report(order="mm"),
        _report(extra=1),
        _report(marks=[{**_MARK, "role": 'button" [9] link'}]),
        _report(marks=[{**_MARK, "states": ["[9] link"]}]),
        _report(marks=[{**_MARK, "box": [0, 0, 9]}]),
        _report(marks=[{**_MARK, "name": "x" * 1000}]),
        _report().replace("4.5", "NaN"),
        _report().replace("4.5", "1e999"),
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        PageReport.model_validate_json(text)


def test_options_are_quoted_and_counted() -> None:
    mark = FoundMark.model_validate({**_MARK, "states": ["focused"], "options": ['A"\n[9] x'], "optionCount": 3})
    assert mark.words == ("focused", 'options: "A\\"\\n[9] x", … (3 in all)')


def test_a_nested_viewport_maps_there_and_back() -> None:
    place = Placement(index=0, scale=(0.5, 2.0), origin=(10.0, -4.0), clip=(10.0, 0.0, 30.0, 20.0))
    assert to_parent(place, (8.0, 3.0)) == (14.0, 2.0)
    assert to_child(place, (14.0, 2.0)) == (8.0, 3.0)
    lens = Lens(scale=(2.0, 2.0), shift=(1.0, 0.0)).within(place)
    assert lens == Lens(scale=(1.0, 4.0), shift=(21.0, -8.0), clip=(0.0, 2.0, 40.0, 12.0))


def test_the_pass_is_one_function_of_every_script() -> None:
    code = load_pass()
    assert code.startswith("(options) => {")
    for name in ("flatParent", "kindOf", "nameOf", "function walk"):
        assert name in code
