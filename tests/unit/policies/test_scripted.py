"""`scripted`: one call a step, marks by role and name, captures of the task text."""

from __future__ import annotations

import pytest

from harness.protocols import ModelSpec, PolicySpec, ScriptedCall
from policies import scripted
from policies.scripted import CAPTURES

pytestmark = pytest.mark.req("R-CLI-5")
SCREEN = (
    ("button", "OK"),
    ("textbox", "Name", ""),
    ("button", "ok"),
    ("button", "OK"),
    ("link", "Help", "v"),
)


def make(*calls: tuple[str, dict[str, object]]):
    script = tuple(ScriptedCall(tool=tool, arguments=given, line=place) for place, (tool, given) in enumerate(calls, 1))
    return scripted.create(PolicySpec(model=ModelSpec(name="s", use="scripted"), script=script))


async def test_calls_go_out_in_order_one_a_step_and_then_it_finishes(talk, said) -> None:
    started, policy = talk("t").show(*SCREEN), make(("click", {"mark": 3}), ("wait", {"seconds": 1}))
    seen = []
    for _ in range(3):
        call = await started.ask(policy)
        seen.append((call.id, call.name, said(call)))
        started.answer(call, *SCREEN)
    assert seen[:2] == [("call-1", "click", {"mark": 3}), ("call-2", "wait", {"seconds": 1})]
    assert seen[2][1] == "finish"
    assert seen[2][2]["success"] is True


@pytest.mark.parametrize(
    ("wanted", "number"),
    [
        ({"role": "button", "name": "OK"}, 1),
        ({"role": "button", "name": "OK", "nth": 2}, 4),
        ({"role": "button", "name": "ok"}, 3),
        ({"name": "name"}, 2),
        ({"role": "link"}, 5),
        ({"value": "v"}, 5),
        ({"role": "link", "name": "HELP", "value": "v"}, 5),
    ],
)
async def test_a_mark_is_found_by_role_name_value_and_place(talk, said, wanted, number) -> None:
    call = await talk("t").show(*SCREEN).ask(make(("click", {"mark": wanted})))
    assert said(call) == {"mark": number}


async def test_drag_takes_descriptions_and_points(talk, said) -> None:
    given = {"from": {"name": "Help"}, "path": [{"name": "Name"}, [4, 5]]}
    call = await talk("t").show(*SCREEN).ask(make(("drag", given)))
    assert said(call) == {"from": 5, "path": [2, [4, 5]]}


@pytest.mark.parametrize(
    ("wanted", "said_why"),
    [
        ({"role": "button", "name": "Okay"}, "nearest: button 'ok', button 'OK'"),
        ({"role": "button", "name": "OK", "nth": 3}, "only 2 marks fit"),
        ({"role": "slider"}, "role 'slider'"),
    ],
)
async def test_a_mark_that_is_not_there_ends_the_script(talk, said, wanted, said_why) -> None:
    call = await talk("t").show(*SCREEN).ask(make(("click", {"mark": wanted})))
    assert call.name == "finish"
    assert said(call)["success"] is False
    assert said_why in str(said(call)["answer"])
    assert "script line 1 (click)" in str(said(call)["answer"])


async def test_captures_fill_texts_and_marks(talk, said) -> None:
    policy = make(
        (CAPTURES, {"WHO": 'user "(\\w+)"', "WHAT": "press (\\w+)"}),
        ("type_text", {"mark": {"name": "Name"}, "text": "${task.WHO}!"}),
        ("click", {"mark": {"name": "${task.WHAT}"}}),
    )
    started = talk('For user "bob" press Help').show(*SCREEN)
    call = await started.ask(policy)
    assert said(call) == {"mark": 2, "text": "bob!"}
    started.answer(call, *SCREEN)
    assert said(await started.ask(policy)) == {"mark": 5}


@pytest.mark.parametrize(
    ("captures", "text", "said_why"),
    [
        ({"WHO": "user (\\w+)"}, "x", "capture 'WHO'"),
        ({}, "${task.WHO}", "captures are: none"),
    ],
)
async def test_a_capture_that_is_missing_ends_the_script(talk, said, captures, text, said_why) -> None:
    policy = make((CAPTURES, captures), ("type_text", {"text": text}))
    call = await talk("nothing here").show(*SCREEN).ask(policy)
    assert call.name == "finish"
    assert said(call)["success"] is False
    assert said_why in str(said(call)["answer"])


async def test_captured_text_is_never_read_as_a_placeholder_again(talk, said) -> None:
    policy = make((CAPTURES, {"A": "say (.+)", "B": "(say)"}), ("type_text", {"text": "${task.A}"}))
    call = await talk("say ${task.B}").show(*SCREEN).ask(policy)
    assert said(call) == {"text": "${task.B}"}


async def test_a_resumed_script_goes_on_where_it_was(talk, said) -> None:
    calls = (("click", {"mark": 1}), ("click", {"mark": 2}))
    started = talk("t").show(*SCREEN)
    started.answer(await started.ask(make(*calls)), *SCREEN)
    assert said(await started.ask(make(*calls))) == {"mark": 2}
